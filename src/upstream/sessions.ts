import type { Exchange } from './exchange.ts'
import { proxyFor } from './proxy.ts'
import { openWriteSockets } from './write-sockets.ts'

/** Seconds an idle connection is kept: shorter than servers and balancers do, so that reads seldom meet a dead one. */
const IDLE_SECONDS = 20

/** A connection for one call at a time; `leave` hands it to the next. */
export type Seat = { readonly exchange: Exchange; readonly leave: () => void }

/** The connections to one host. */
export type Sessions = {
  /** One that is kept, the warmest that is free. What is sent on it may be sent once more, when it turns out dead. */
  readonly read: () => Seat
  /** One that is kept for writes, or one of its own where a proxy stands between. What is sent on it is sent once. */
  readonly write: () => Seat
}

/**
 * Opens no connection yet. Each one for reads has a session of its own: the runtime sends a read again for every dead
 * connection it finds in a session's pool, and so finds one at most. `proxied` says that a proxy stands before the host:
 * only fetch knows the way through it.
 */
export function openSessions(url: URL, proxied: boolean): Sessions {
  const route = proxyFor(url)
  const free: Bun.FetchSession[] = []
  const open = () =>
    new Bun.FetchSession({
      ...route,
      keepAlive: { idleTimeout: IDLE_SECONDS, maxIdleSockets: 1 },
    })
  const write = proxied
    ? fetchedBy(new Bun.FetchSession({ ...route, keepAlive: false }))
    : openWriteSockets(url)
  return {
    read: () => {
      const session = free.pop() ?? open()
      return { exchange: fetchedBy(session), leave: () => free.push(session) }
    },
    write: () => ({ exchange: write, leave: () => undefined }),
  }
}

function fetchedBy({ fetch }: Bun.FetchSession): Exchange {
  return ({ url, method, headers, body }, signal) =>
    fetch(url, {
      ...{ method, headers, signal, redirect: 'manual', decompress: false },
      ...(body && { body }),
    })
}
