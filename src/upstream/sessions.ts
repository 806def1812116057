import { proxyFor } from './proxy.ts'

/** Seconds an idle connection is kept: shorter than servers and balancers do, so that reads seldom meet a dead one. */
const IDLE_SECONDS = 20

/** A connection for one call at a time; `leave` hands it to the next. */
export type Seat = { readonly fetch: Bun.FetchSession['fetch']; readonly leave: () => void }

/** The connections to one host. */
export type Sessions = {
  /** One that is kept, the warmest that is free. What is sent on it may be sent once more, when it turns out dead. */
  readonly kept: () => Seat
  /** One that nobody used before and nobody will again. */
  readonly own: () => Seat
}

/**
 * Opens no connection yet. Each kept one has a session of its own: the runtime sends a read again for every dead
 * connection it finds in a session's pool, and so finds one at most.
 */
export function openSessions(url: URL): Sessions {
  const route = proxyFor(url)
  const once = new Bun.FetchSession({ ...route, keepAlive: false })
  const free: Bun.FetchSession[] = []
  const open = () =>
    new Bun.FetchSession({
      ...route,
      keepAlive: { idleTimeout: IDLE_SECONDS, maxIdleSockets: 1 },
    })
  return {
    own: () => ({ fetch: once.fetch, leave: () => undefined }),
    kept: () => {
      const session = free.pop() ?? open()
      return { fetch: session.fetch, leave: () => free.push(session) }
    },
  }
}
