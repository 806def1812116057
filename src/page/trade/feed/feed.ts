import type { ReadonlySignal } from '@preact/signals'
import type { ApiFailure } from '../../common/api.ts'
import type { Exact } from '../../common/exact-json.ts'

/** What is known of a topic, when that was so, and what has gone wrong since. */
export type Reading = {
  readonly data: Exact | null
  /** When `data` came; 0 before the first. */
  readonly atMs: number
  readonly failure: ApiFailure | null
  /** Whether every change is told as it happens: then `data` is of now, however long ago it came. */
  readonly isLive: boolean
}

export const NO_READING: Reading = { data: null, atMs: 0, failure: null, isLive: false }

/**
 * How the server's live data concerns a topic. `told`: one of its topics says what is to be shown, by itself or joined to
 * what was read. `noticed`: a message of any of these says that it is time to read.
 */
export type Live =
  | {
      readonly kind: 'told'
      readonly topics: readonly [string]
      /** What is shown of what was read and what was told; absent where the last alone is shown. */
      readonly joined?: (read: Exact, told: Exact) => Exact
    }
  | { readonly kind: 'noticed'; readonly topics: readonly string[] }

/** What can be followed: a name for it, where it is read, how often a poller looks, and where changes are told. */
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
  /** Looks now, whatever the schedule. */
  readonly refresh: () => void
  readonly stop: () => void
}

/** The one door through which data comes, asked for or told. */
export type Feed = {
  /** Follows a topic. Two watchers of one name share what is read. */
  readonly watch: (topic: Topic) => Watch
  /** Looks at every topic whose name starts so. */
  readonly refresh: (prefix: string) => void
}
