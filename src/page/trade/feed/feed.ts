import type { ReadonlySignal } from '@preact/signals'
import type { ApiFailure } from '../../common/api.ts'
import type { Exact } from '../../common/exact-json.ts'

/** The last answer of a topic, when it came, and what has gone wrong since. */
export type Reading = {
  readonly data: Exact | null
  /** When `data` came; 0 before the first. */
  readonly atMs: number
  readonly failure: ApiFailure | null
}

export const NO_READING: Reading = { data: null, atMs: 0, failure: null }

/** What can be followed: a name for it, where it is read, and how often a poller looks. */
export type Topic = {
  readonly name: string
  readonly everyMs: number
  readonly load: () => Promise<Exact>
  /** The rate policy the load is charged to. */
  readonly policy: string
}

export type Watch = {
  readonly reading: ReadonlySignal<Reading>
  /** Looks now, whatever the schedule. */
  readonly refresh: () => void
  readonly stop: () => void
}

/** The one door through which live data comes. Whoever pushes instead of being asked implements this. */
export type Feed = {
  /** Follows a topic. Two watchers of one name share what is read. */
  readonly watch: (topic: Topic) => Watch
  /** Looks at every topic whose name starts so. */
  readonly refresh: (prefix: string) => void
}
