import { isLoopbackUrl } from '../core/base-url.ts'
import { releaseReserve } from '../core/loop/descriptor-reserve.ts'
import { guarded } from '../core/loop/guarded.ts'

/** A fetch function with connections that no other session uses. */
export type FetchSession = { readonly fetch: Bun.FetchSession['fetch'] }

type Options = Omit<ConstructorParameters<typeof Bun.FetchSession>[0] & object, 'proxy'>

let isStarted = false

/**
 * Opens a session for calls to a URL. Calls to this machine skip the proxy that the environment names. Before each
 * call, a file descriptor is freed for its connection.
 */
export function openFetchSession(url: URL, options: Options = {}): FetchSession {
  startFetching()
  const route = isLoopbackUrl(url) ? { proxy: false as const } : {}
  const session = new Bun.FetchSession({ ...route, ...options })
  return {
    fetch: (input, init) => {
      releaseReserve()
      return session.fetch(input, init)
    },
  }
}

/**
 * Starts the runtime's fetch thread early. The thread needs two file descriptors, and the runtime ends the process if
 * too few are free at the first call.
 */
function startFetching(): void {
  if (isStarted) return
  isStarted = true
  releaseReserve()
  fetch('http://localhost/', { unix: '/dev/null' }).catch(guarded('upstream', () => undefined))
}
