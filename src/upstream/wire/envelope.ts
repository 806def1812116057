import { LIMITS } from '../../contract/limits.ts'
import type { EnvelopeShape } from '../../contract/operations.ts'
import { Failure } from '../../core/failure.ts'
import { isObject, members, parseExact, parseExactLimited } from '../../core/json.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { UpstreamResponse } from '../../core/ports.ts'
import { type CallKind, CHART_ERROR, toFailure } from './failures.ts'

type OpenOptions = {
  /**
   * The meaning of a success without data: `not_found`, or the payload `{}` (`empty`, the default). For a write it is
   * always `{}`.
   */
  readonly missing?: 'not_found' | 'empty'
  /** Whether the call carried an account's signature. An unknown key then means `unauthorized`. */
  readonly signed?: boolean
}

/**
 * Extracts the payload's JSON text from a venue's answer, byte for byte:
 * - `data`: the member `data`.
 * - `bare`: the whole body (charts).
 * - `data_and_meta`: the member `data` with the envelope's `meta` as its last member, unless it has one already.
 * Throws the Failure that the venue's refusal means (see toFailure), or `not_found` if there is no data.
 */
export function openEnvelope(
  response: UpstreamResponse,
  shape: EnvelopeShape,
  kind: CallKind,
  { missing = 'empty', signed = false }: OpenOptions = {},
): string {
  const envelope = parse(response.body)
  if (!isAccepted(response, envelope, shape)) {
    throw toFailure({ ...codeAndMessage(envelope), ...httpStatusFields(response), signed }, kind)
  }
  if (shape === 'bare') return response.body
  const data = spanText(envelope, 'data')
  if (data === undefined && missing === 'not_found' && kind === 'read')
    throw new Failure('not_found')
  const meta = shape === 'data_and_meta' ? spanText(envelope, 'meta') : undefined
  return withMeta(data ?? '{}', meta)
}

/**
 * The parsed payload of a read, with numbers in their original spelling. Equals parseExact of openEnvelope's text but
 * needs one pass. The body's depth must have been checked on arrival. Throws Failure as openEnvelope does.
 */
export function openPayload(response: UpstreamResponse, options: OpenOptions): unknown {
  return (
    acceptedPayload(response) ??
    // Any other answer, such as a refusal, is handled as text.
    parseExact(openEnvelope(response, 'data', 'read', options), LIMITS.scrubDepthMax)
  )
}

/** The parsed payload of a success with data; null or undefined for any other answer. Never throws. */
export function acceptedPayload(response: UpstreamResponse): unknown {
  const envelope = isOk(response) ? parsedOrNull(response.body) : null
  return isObject(envelope) && envelope['success'] === true ? envelope['data'] : null
}

function parsedOrNull(body: string): unknown {
  try {
    return parseExactLimited(body, LIMITS.scrubDepthMax)
  } catch (error) {
    reportUnexpected('gateway', error, SyntaxError, RangeError)
    return null
  }
}

/** Whether the venue's refusal says, by code or text, that the object already exists. Never throws. */
export function isAlreadyExists({ status, body }: UpstreamResponse): boolean {
  const envelope = parse(body)
  if (status >= 500 || envelopeValue(envelope, 'success') !== false) return false
  const { code, message = '' } = codeAndMessage(envelope)
  return ALREADY_CODES.has(String(code)) || /\balready\b/i.test(message)
}

const ALREADY_CODES: ReadonlySet<string> = new Set(['-1604', '-1007'])

/** The members of an answer; `isJson` is false if the answer is not readable JSON. */
type Envelope = {
  readonly isJson: boolean
  readonly body: string
  readonly spans: ReturnType<typeof members>
}

function parse(body: string): Envelope {
  try {
    return { isJson: true, body, spans: members(body, LIMITS.scrubDepthMax) }
  } catch (error) {
    // A text that is nested too deeply counts as unreadable, like invalid JSON.
    if (error instanceof SyntaxError || error instanceof RangeError) {
      return { isJson: false, body, spans: null }
    }
    throw error
  }
}

/** The JSON text of a member; undefined if the member is absent or null. */
function spanText({ body, spans }: Envelope, name: string): string | undefined {
  const span = spans?.get(name)
  const text = span && body.slice(span.start, span.end)
  return text === 'null' ? undefined : text
}

function envelopeValue(envelope: Envelope, name: string): unknown {
  const text = spanText(envelope, name)
  return text === undefined ? undefined : JSON.parse(text)
}

function isOk({ status }: UpstreamResponse): boolean {
  return status >= 200 && status < 300
}

function isAccepted(response: UpstreamResponse, envelope: Envelope, shape: EnvelopeShape): boolean {
  if (!envelope.isJson || !isOk(response)) return false
  const success = envelopeValue(envelope, 'success')
  if (shape !== 'bare') return success === true
  return success !== false && envelopeValue(envelope, 's') !== 'error'
}

function codeAndMessage(envelope: Envelope): { code?: number | string; message?: string } {
  const isChartError = envelopeValue(envelope, 's') === 'error'
  const code = isChartError ? CHART_ERROR : envelopeValue(envelope, 'code')
  const message = envelopeValue(envelope, isChartError ? 'errmsg' : 'message')
  return {
    ...((typeof code === 'number' || typeof code === 'string') && { code }),
    ...(typeof message === 'string' && { message }),
  }
}

function httpStatusFields({ status, retryAfterSeconds }: UpstreamResponse) {
  return { httpStatus: status, retryAfterSeconds }
}

function withMeta(data: string, meta: string | undefined): string {
  if (
    meta === undefined ||
    !data.startsWith('{') ||
    members(data, LIMITS.scrubDepthMax)?.has('meta')
  )
    return data
  const open = data.slice(0, -1).trimEnd()
  return `${open}${open === '{' ? '' : ','}"meta":${meta}}`
}
