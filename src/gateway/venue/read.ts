import { LIMITS } from '../../contract/limits.ts'
import type { EnvelopeShape } from '../../contract/operations.ts'
import { Failure } from '../../core/failure.ts'
import { parseExact } from '../../core/json.ts'
import {
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
  type VenueHost,
} from '../../core/ports.ts'
import { openEnvelope, openPayload } from '../../upstream/wire/envelope.ts'
import { failureOfUpstreamError } from '../../upstream/wire/failures.ts'
import { publicHeaders } from '../../upstream/wire/wire.ts'
import type { Reply } from '../scrub/reply.ts'
import { type Scrub, ScrubError, type ScrubPolicy } from '../scrub/scrub.ts'

/** Access to the venue. */
export type VenueAccess = { readonly upstream: Upstream }

type VenueGet = {
  readonly path: string
  readonly host?: VenueHost
  readonly envelope?: EnvelopeShape
  /** The meaning of a success without data. */
  readonly missing?: 'not_found' | 'empty'
}

/** Reads a public path of the venue. Returns the payload's JSON text, without its envelope. Throws Failure. */
export async function readVenue(deps: VenueAccess, get: VenueGet): Promise<string> {
  const missing = get.missing ?? 'not_found'
  return openEnvelope(await sendGet(deps, get), get.envelope ?? 'data', 'read', { missing })
}

/** Reads a public path of the venue. Returns the payload, parsed by `parsePayload`. Throws Failure. */
export async function readPayload(
  deps: VenueAccess,
  get: Omit<VenueGet, 'envelope'>,
): Promise<unknown> {
  return openPayload(await sendGet(deps, get), { missing: get.missing ?? 'not_found' })
}

/** A rejection handler: null for not_found; rethrows any other error. */
export function noneIfNotFound(error: unknown): null {
  if (error instanceof Failure && error.code === 'not_found') return null
  throw error
}

/** Asks the venue after an unknown outcome. Returns undefined if the venue cannot be reached; the outcome then stays unknown. */
export async function confirmByVenue<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/**
 * Calls the venue's public query endpoint, which is a read although it is a POST. Returns the payload, parsed by
 * `parsePayload`. Throws Failure.
 */
export async function queryVenue(deps: VenueAccess, query: object): Promise<unknown> {
  return queriedPayload(await sendQuery(deps, query))
}

/** Parses an answer of the query endpoint. Throws Failure. */
export function queriedPayload(response: UpstreamResponse): unknown {
  return openPayload(response, { missing: 'not_found' })
}

/** Calls the query endpoint. Returns its raw answer, possibly a refusal. Throws Failure without an answer. */
export function sendQuery(deps: VenueAccess, query: object): Promise<UpstreamResponse> {
  return sendRead(deps, {
    host: 'main',
    method: 'POST',
    path: '/v1/public/query',
    headers: publicHeaders('POST'),
    body: JSON.stringify(query),
    lane: 'read',
    deadlineMs: LIMITS.upstreamReadDeadlineMs,
  })
}

function sendGet(deps: VenueAccess, { host = 'main', path }: VenueGet): Promise<UpstreamResponse> {
  return sendRead(deps, {
    host,
    method: 'GET',
    path,
    headers: publicHeaders('GET'),
    lane: 'read',
    deadlineMs: LIMITS.upstreamReadDeadlineMs,
  })
}

/** Sends a read; a call without a usable answer becomes a Failure. */
export async function sendRead(
  deps: VenueAccess,
  request: UpstreamRequest,
): Promise<UpstreamResponse> {
  try {
    return await deps.upstream.send(request)
  } catch (error) {
    if (error instanceof UpstreamError) throw failureOfUpstreamError(error, 'read')
    throw error
  }
}

/** Parses a payload; numbers keep their digits as sent. Throws SyntaxError, or RangeError if it is nested too deeply. */
export function parsePayload(text: string): unknown {
  return parseExact(text, LIMITS.scrubDepthMax)
}

/**
 * Scrubs the answer of a read. Throws upstream_unavailable for text that cannot be scrubbed. Only for reads, because a
 * write with such an answer may have succeeded.
 */
export function scrubRead(scrub: Pick<Scrub, 'text'>, text: string, policy: ScrubPolicy): Reply {
  try {
    return scrub.text(text, policy)
  } catch (error) {
    if (error instanceof ScrubError)
      throw new Failure('upstream_unavailable', undefined, { cause: error })
    throw error
  }
}
