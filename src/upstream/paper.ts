import { OPERATIONS } from '../contract/operations.ts'
import {
  BOOK_UNKNOWN_REFUSAL,
  isPaperRead,
  type LiveBooks,
  PUBLIC_QUERY,
} from '../contract/venue/paper.ts'
import type { Lane, LaneLoad } from '../core/loop/lanes.ts'
import {
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../core/ports.ts'
import { type HttpUpstreamOptions, httpUpstream } from './http.ts'
import { areSigned, publicHeaders } from './wire/wire.ts'

type PaperUpstreamOptions = {
  readonly live: PublicReads
  /** The embedded venue, which has the accounts. */
  readonly practice: Upstream
  /** The state of the mirrored books; null while the practice venue does not report it. */
  readonly books: () => Promise<Pick<LiveBooks, 'known' | 'unopened'> | null>
}

/**
 * A live venue's markets with the accounts of an embedded venue. An order that the embedded venue refuses because a
 * live book is unknown had no effect. Positions need current mark prices. Reads of positions are refused while all live
 * books are unknown, and in a market whose book has been unknown since the start. Throws UpstreamError.
 */
export function paperUpstream({ live, practice, books }: PaperUpstreamOptions): Upstream {
  return {
    send: async (request) => {
      const { path, body = '', deadlineMs } = request
      const kind = liveReadKind(request)
      if (kind === 'query') return live.query(body, deadlineMs)
      const found = kind === 'status' || isValued(request) ? await books() : undefined
      if (found !== undefined && !found?.known) throw new UpstreamError('unreachable', false)
      if (kind !== null) return live.get(path, deadlineMs)
      const response = done(await practice.send(request))
      // Refuses an answer that names a market whose book has been unknown since the start.
      if (found?.unopened.some((symbol) => response.body.includes(`"${symbol}"`)))
        throw new UpstreamError('unreachable', false)
      return response
    },
  }
}

const STATUS = OPERATIONS['platform.status'].path

/** How the live venue serves a request; null if the embedded venue serves it. */
function liveReadKind(request: UpstreamRequest): 'get' | 'query' | 'status' | null {
  const { method, host, lane, path, headers } = request
  if (host !== 'main' || lane !== 'read' || areSigned(headers)) return null
  if (method === 'POST') return path === PUBLIC_QUERY ? 'query' : null
  if (method !== 'GET' || !isPaperRead(path)) return null
  return path === STATUS ? 'status' : 'get'
}

/** Whether the answer to a request values positions at mark prices. */
function isValued({ method, path }: UpstreamRequest): boolean {
  return method === 'GET' && /^\/v1\/positions?(?:[/?]|$)/.test(path)
}

function done(response: UpstreamResponse): UpstreamResponse {
  const isAway = response.status === 503 && response.body.includes(BOOK_UNKNOWN_REFUSAL)
  if (isAway) throw new UpstreamError('unreachable', false)
  return response
}

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
