import { OPERATIONS } from '../contract/operations.ts'
import { AWAY, isPaperRead, type LiveBooks, PUBLIC_QUERY } from '../contract/venue/paper.ts'
import {
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../core/ports.ts'
import type { PublicReads } from './public-reads.ts'
import { areSigned } from './wire/wire.ts'

type Parts = {
  readonly live: PublicReads
  /** The embedded venue, which answers for accounts. */
  readonly practice: Upstream
  /** How the live books stand; null while the practice venue does not say. */
  readonly books: () => Promise<Pick<LiveBooks, 'known' | 'unopened'> | null>
}

/**
 * A live venue's markets with the accounts of an embedded one. An order that the embedded venue refuses because the live
 * book is unknown was not done. Positions are not read while no book is known, or theirs was not since the start: their
 * marks are of before. Throws UpstreamError.
 */
export function paperUpstream({ live, practice, books }: Parts): Upstream {
  return {
    send: async (request) => {
      const { path, body = '', deadlineMs } = request
      const kind = liveReadOf(request)
      if (kind === 'query') return live.query(body, deadlineMs)
      const found = kind === 'status' || isValued(request) ? await books() : undefined
      if (found !== undefined && !found?.known) throw new UpstreamError('unreachable', false)
      if (kind !== null) return live.get(path, deadlineMs)
      const response = done(await practice.send(request))
      // A symbol is a word of the answer, whichever position it is of.
      if (found?.unopened.some((symbol) => response.body.includes(`"${symbol}"`)))
        throw new UpstreamError('unreachable', false)
      return response
    },
  }
}

const STATUS = OPERATIONS['platform.status'].path

/** How a request is read from the live venue; null for one that the embedded venue answers. */
function liveReadOf(request: UpstreamRequest): 'get' | 'query' | 'status' | null {
  const { method, host, lane, path, headers } = request
  if (host !== 'main' || lane !== 'read' || areSigned(headers)) return null
  if (method === 'POST') return path === PUBLIC_QUERY ? 'query' : null
  if (method !== 'GET' || !isPaperRead(path)) return null
  return path === STATUS ? 'status' : 'get'
}

/** Whether an answer values positions by the marks. */
function isValued({ method, path }: UpstreamRequest): boolean {
  return method === 'GET' && /^\/v1\/positions?(?:[/?]|$)/.test(path)
}

function done(response: UpstreamResponse): UpstreamResponse {
  const isAway = response.status === 503 && response.body.includes(AWAY)
  if (isAway) throw new UpstreamError('unreachable', false)
  return response
}
