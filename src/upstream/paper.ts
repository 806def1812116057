import {
  type Upstream,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../core/ports.ts'
import { OPERATIONS } from '../spec/operations.ts'
import { AWAY, isPaperRead, PUBLIC_QUERY } from '../spec/venue/paper.ts'
import { areSigned } from '../wire/wire.ts'
import type { PublicReads } from './public-reads.ts'

type Parts = {
  readonly live: PublicReads
  /** The embedded venue, which answers for accounts. */
  readonly practice: Upstream
  /** Of how many live markets the books are known. */
  readonly knownBooks: () => Promise<number>
}

/**
 * A live venue's markets with the accounts of an embedded one. An order that the embedded venue refuses because the live
 * book is unknown was not done. Positions are not read while no book is known, since their marks are of before. Throws
 * UpstreamError.
 */
export function paperUpstream({ live, practice, knownBooks }: Parts): Upstream {
  return {
    send: async (request) => {
      const { path, body = '', deadlineMs } = request
      const kind = liveReadOf(request)
      if (kind === 'query') return live.query(body, deadlineMs)
      const needsBooks = kind === 'status' || isValued(request)
      if (needsBooks && (await knownBooks()) === 0) throw new UpstreamError('unreachable', false)
      return kind === null ? done(await practice.send(request)) : live.get(path, deadlineMs)
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
