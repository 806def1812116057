import { isPaperRead, PUBLIC_QUERY } from '../contract/venue/paper.ts'
import type { Lane, LaneLoad } from '../core/loop/lanes.ts'
import { UpstreamError, type UpstreamResponse } from '../core/ports.ts'
import { type HttpUpstreamOptions, httpUpstream } from './http.ts'
import { publicHeaders } from './wire/wire.ts'

/** The only calls that practice mode makes to a live venue: reads that need no account. */
export type PublicReads = {
  /** Reads a public market path, with its query. Throws UpstreamError. */
  readonly get: (path: string, deadlineMs: number) => Promise<UpstreamResponse>
  /** Calls the public query endpoint, a POST that only reads. Throws UpstreamError. */
  readonly query: (body: string, deadlineMs: number) => Promise<UpstreamResponse>
  readonly load: (lane: Lane) => LaneLoad
}

/** The public reads of a live venue. */
export function publicReads(
  venue: URL,
  bounds: Omit<HttpUpstreamOptions, 'main' | 'vaults'>,
): PublicReads {
  const { send, load } = httpUpstream({ main: venue, vaults: venue, ...bounds })
  const read = { host: 'main', lane: 'read' } as const
  return {
    load,
    get: async (path, deadlineMs) => {
      if (!isPaperRead(path)) throw new UpstreamError('unreachable', false)
      const headers = publicHeaders('GET')
      return send({ ...read, method: 'GET', path, headers, deadlineMs })
    },
    query: (body, deadlineMs) => {
      const headers = publicHeaders('POST')
      return send({ ...read, method: 'POST', path: PUBLIC_QUERY, headers, body, deadlineMs })
    },
  }
}
