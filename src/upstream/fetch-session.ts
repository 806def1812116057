import { isLoopbackUrl } from '../core/base-url.ts'
import { guarded } from '../core/loop/guarded.ts'
import { makeRoom } from '../core/loop/reserve.ts'

/** Calls of one session: its connections are its own. */
export type FetchSession = { readonly fetch: Bun.FetchSession['fetch'] }

type Options = Omit<ConstructorParameters<typeof Bun.FetchSession>[0] & object, 'proxy'>

let isStarted = false

/**
 * Opens a session for calls to a URL. A proxy named in the environment serves the outside world, and has no business with
 * what runs on this machine. Each call has room made for its connection.
 */
export function openFetchSession(url: URL, options: Options = {}): FetchSession {
  startFetching()
  const route = isLoopbackUrl(url) ? { proxy: false as const } : {}
  const session = new Bun.FetchSession({ ...route, ...options })
  return {
    fetch: (input, init) => {
      makeRoom()
      return session.fetch(input, init)
    },
  }
}

/**
 * Starts the runtime's thread for fetch: it takes two descriptors, and the runtime ends the process where the first call
 * finds none.
 */
function startFetching(): void {
  if (isStarted) return
  isStarted = true
  makeRoom()
  fetch('http://localhost/', { unix: '/dev/null' }).catch(guarded('upstream', () => undefined))
}
