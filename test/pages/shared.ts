import type { Target, TargetSettings } from '../target.ts'

/** What test files share: the address of a browser, and those of servers by their keys. */
export type Shared = {
  readonly browser: string
  readonly servers: readonly { readonly key: string; readonly listening: Listening }[]
}

type Listening = Awaited<ReturnType<Target['listening']>>

/** The variable that holds the JSON of what is shared; `run.ts` sets it. */
export const SHARED_VARIABLE = 'PAGE_TESTS_SHARED'

/** The only worker of a run without workers. */
export const FIRST_WORKER = '1'

/**
 * The key of the server of these settings. Each worker has its own of those that stand still: what a file trades would
 * move prices that a file beside it compares.
 */
export function serverKey(settings: TargetSettings, worker: string): string {
  const isStill = settings['VENUE_CLOCK'] === 'virtual'
  return JSON.stringify(settings) + (isStill ? worker : '')
}

/** What is shared with this process; null where `run.ts` has not started it. */
export function sharedHere(): Shared | null {
  return JSON.parse(process.env[SHARED_VARIABLE] ?? 'null')
}

/** The server of these settings that another process has started for this one, and stops; null where there is none. */
export function sharedTarget({ servers }: Shared, settings: TargetSettings): Target | null {
  const worker = process.env['BUN_TEST_WORKER_ID'] ?? FIRST_WORKER
  const wanted = serverKey(settings, worker)
  const listening = servers.find(({ key }) => key === wanted)?.listening
  if (!listening) return null
  return {
    fetch: (path, init) => fetch(listening.public + path, init),
    ops: (path, init) => fetch(listening.ops + path, init),
    listening: async () => listening,
    log: () => '',
    stop: async () => undefined,
  }
}
