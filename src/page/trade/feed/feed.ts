import type { ReadonlySignal } from '@preact/signals'
import type { ApiFailure } from '../../common/api.ts'
import type { Exact } from '../../common/exact-json.ts'

/** What is known of a topic, when that was so, and what has gone wrong since. */
export type Reading = {
  readonly data: Exact | null
  /** When `data` came; 0 before the first. */
  readonly atMs: number
  readonly failure: ApiFailure | null
  /** Whether each change arrives as it happens: then `data` is current, however long ago it came. */
  readonly isLive: boolean
}

export const NO_READING: Reading = { data: null, atMs: 0, failure: null, isLive: false }

/**
 * How live data of the server updates a topic. `data`: the messages of one live topic are what is shown, alone or joined to
 * what was read. `change`: a message of any of these says that it is time to read.
 */
export type Live =
  | {
      readonly kind: 'data'
      readonly topics: readonly [string]
      /** Joins an answer with live data; absent where live data alone is shown. */
      readonly joined?: (read: Exact, pushed: Exact) => Exact
    }
  | { readonly kind: 'change'; readonly topics: readonly string[] }

/** A topic of the page: its name, how it is read, how often it is polled, and which live topics update it. */
export type Topic = {
  readonly name: string
  readonly everyMs: number
  readonly load: () => Promise<Exact>
  /** The rate policy the load is charged to. */
  readonly policy: string
  readonly live?: Live
  /** What is known already, and when that was so. */
  readonly first?: { readonly data: Exact; readonly atMs: number } | null
}

export type Watch = {
  readonly reading: ReadonlySignal<Reading>
  readonly stop: () => void
}
