import {
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
  type VenueHost,
} from '../core/ports.ts'
import { LIMITS } from '../spec/limits.ts'
import type { EnvelopeShape } from '../spec/operations.ts'
import { failureOfUpstreamError, openEnvelope } from '../wire/envelope.ts'
import { publicHeaders } from '../wire/wire.ts'
import type { Deps } from './deps.ts'

type VenueGet = {
  readonly path: string
  readonly host?: VenueHost
  readonly envelope?: EnvelopeShape
  /** What a success without data means: nothing of that name, or nothing to say. */
  readonly missing?: 'not_found' | 'empty'
}

/** Reads a public path of the venue: the payload's JSON text, cut out of its envelope. Throws Failure. */
export async function readVenue(deps: Pick<Deps, 'upstream'>, get: VenueGet): Promise<string> {
  const response = await sendRead(deps, {
    host: get.host ?? 'main',
    method: 'GET',
    path: get.path,
    headers: publicHeaders('GET'),
    lane: 'read',
    deadlineMs: LIMITS.upstreamReadDeadlineMs,
  })
  const missing = get.missing ?? 'not_found'
  return openEnvelope(response, get.envelope ?? 'data', 'read', { missing }).text
}

/** Asks the venue's public query endpoint, a read although it is a POST. Throws Failure. */
export async function queryVenue(deps: Pick<Deps, 'upstream'>, query: object): Promise<string> {
  const response = await sendRead(deps, {
    host: 'main',
    method: 'POST',
    path: '/v1/public/query',
    headers: publicHeaders('POST'),
    body: JSON.stringify(query),
    lane: 'read',
    deadlineMs: LIMITS.upstreamReadDeadlineMs,
  })
  return openEnvelope(response, 'data', 'read', { missing: 'not_found' }).text
}

/** Sends a read; a call without a usable answer becomes a Failure. */
export async function sendRead(
  deps: Pick<Deps, 'upstream'>,
  request: UpstreamRequest,
): Promise<UpstreamResponse> {
  try {
    return await deps.upstream.send(request)
  } catch (error) {
    if (error instanceof UpstreamError) throw failureOfUpstreamError(error, 'read')
    throw error
  }
}
