import { OPERATIONS } from '../contract/operations.ts'
import {
  BOOK_UNKNOWN_REFUSAL,
  isPaperRead,
  type LiveBooks,
  PUBLIC_QUERY,
} from '../contract/venue/paper.ts'
import {
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../core/ports.ts'
import type { PublicReads } from './public-reads.ts'
import { areSigned } from './wire/wire.ts'

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
