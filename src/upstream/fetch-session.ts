import { isLoopbackUrl } from '../core/base-url.ts'
import { guarded } from '../core/loop/guarded.ts'
import { makeRoom } from '../core/loop/reserve.ts'

/** A session for calls, with its own connections. */
export type FetchSession = { readonly fetch: Bun.FetchSession['fetch'] }

type Options = Omit<ConstructorParameters<typeof Bun.FetchSession>[0] & object, 'proxy'>

let isStarted = false

/**
 * Opens a session for calls to a URL. The environment's proxy is skipped for this machine. Each call frees a file
 * descriptor for its connection first.
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
 * Starts the runtime's fetch thread early. It needs two descriptors, and the runtime ends the process if the first call
 * finds too few.
 */
function startFetching(): void {
  if (isStarted) return
  isStarted = true
  makeRoom()
  fetch('http://localhost/', { unix: '/dev/null' }).catch(guarded('upstream', () => undefined))
}
