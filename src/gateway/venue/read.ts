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

/** Access to the venue, which every read of it uses. */
export type VenueAccess = { readonly upstream: Upstream }

type VenueGet = {
  readonly path: string
  readonly host?: VenueHost
  readonly envelope?: EnvelopeShape
  /** The meaning of a success without data: an unknown name, or an empty answer. */
  readonly missing?: 'not_found' | 'empty'
}

/** Reads a public path of the venue: the payload's JSON text, cut out of its envelope. Throws Failure. */
export async function readVenue(deps: VenueAccess, get: VenueGet): Promise<string> {
  const missing = get.missing ?? 'not_found'
  return openEnvelope(await sendGet(deps, get), get.envelope ?? 'data', 'read', { missing })
}

/** Reads a public path of the venue: the payload, as `parsePayload` parses it. Throws Failure. */
export async function readPayload(
  deps: VenueAccess,
  get: Omit<VenueGet, 'envelope'>,
): Promise<unknown> {
  return openPayload(await sendGet(deps, get), { missing: get.missing ?? 'not_found' })
}

/** Null for a failure that reports an unknown name; rethrows any other error. */
export function noneIfNotFound(error: unknown): null {
  if (error instanceof Failure && error.code === 'not_found') return null
  throw error
}

/**
 * The venue's answer after an unknown outcome; undefined when the venue cannot be asked, which leaves the outcome
 * unknown.
 */
export async function confirmByVenue<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/**
 * Asks the venue's public query endpoint, a read although it is a POST: the payload, as `parsePayload` parses it.
 * Throws Failure.
 */
export async function queryVenue(deps: VenueAccess, query: object): Promise<unknown> {
  return queriedPayload(await sendQuery(deps, query))
}

/** The answer of the query endpoint, parsed. Throws Failure. */
export function queriedPayload(response: UpstreamResponse): unknown {
  return openPayload(response, { missing: 'not_found' })
}

/** Asks the query endpoint: its answer as it came, perhaps a refusal. Throws Failure without an answer. */
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

/** A payload whose numbers keep their own spelling. Throws SyntaxError, or RangeError when it is nested too deep. */
export function parsePayload(text: string): unknown {
  return parseExact(text, LIMITS.scrubDepthMax)
}

/**
 * Scrubs the answer of a read. Text that cannot be scrubbed is an unusable answer: upstream_unavailable. For reads
 * alone: a write whose answer cannot be scrubbed has happened all the same.
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
