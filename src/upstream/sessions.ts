import { LIMITS } from '../spec/limits.ts'
import { signalOf } from './ending.ts'
import type { Exchange } from './exchange.ts'
import { type FetchSession, openFetchSession } from './fetch-session.ts'
import { openPool, type PoolRules } from './sockets/pool.ts'

/** How long an idle connection is kept: shorter than servers and balancers do, so that reads seldom meet a dead one. */
const READS_IDLE_MS = 20_000
/** The same of writes, which find no second connection where the first is dead. */
const WRITES_IDLE_MS = 4000

/** A connection for one call at a time; `leave` hands it to the next. */
export type Seat = { readonly exchange: Exchange; readonly leave: () => void }

/** The connections to one host. */
export type Sessions = {
  /** One that is kept, the warmest that is free. What is sent on it may be sent once more, when it turns out dead. */
  readonly read: () => Seat
  /** One that is kept for writes, or one of its own where a proxy stands between. What is sent on it is sent once. */
  readonly write: () => Seat
}

/** Opens no connection yet. `proxied` says that a proxy stands before the host: only fetch knows the way through it. */
export function openSessions(url: URL, proxied: boolean): Sessions {
  if (proxied) return proxiedSessions(url)
  const openingMax = LIMITS.upstreamOpeningMax
  const seatIn = (rules: Omit<PoolRules, 'openingMax'>) => {
    const seat = { exchange: openPool(url, { ...rules, openingMax }), leave: () => undefined }
    return () => seat
  }
  return {
    read: seatIn({ idleMs: READS_IDLE_MS, resends: true }),
    write: seatIn({ idleMs: WRITES_IDLE_MS, resends: false }),
  }
}

/**
 * Each connection for reads has a session of its own: the runtime sends a read again for every dead connection it finds
 * in a session's pool, and so finds one at most.
 */
function proxiedSessions(url: URL): Sessions {
  const idleTimeout = READS_IDLE_MS / 1000
  const free: FetchSession[] = []
  const open = () => openFetchSession(url, { keepAlive: { idleTimeout, maxIdleSockets: 1 } })
  const write = fetchedBy(openFetchSession(url, { keepAlive: false }))
  return {
    read: () => {
      const session = free.pop() ?? open()
      return { exchange: fetchedBy(session), leave: () => free.push(session) }
    },
    write: () => ({ exchange: write, leave: () => undefined }),
  }
}

function fetchedBy({ fetch }: FetchSession): Exchange {
  return ({ url, target, method, headers, body }, ending) =>
    fetch(url.origin + target, {
      ...{ method, headers, signal: signalOf(ending), redirect: 'manual', decompress: false },
      ...(body && { body }),
    })
}
