import type { ReadonlySignal } from '@preact/signals'
import type { ApiFailure } from '../../common/api.ts'
import type { Exact } from '../../common/exact-json.ts'

/** The last answer of a topic, when it came, and the failure since. */
export type TopicReading = {
  readonly data: Exact | null
  /** When `data` came; 0 before the first. */
  readonly atMs: number
  readonly failure: ApiFailure | null
  /** Whether each change arrives as it happens: then `data` is current, however old it is. */
  readonly isLive: boolean
}

/** Maximum ages of figures. Above its maximum a figure shows its age; above that of prices there is a warning. */
export const STALE_MS = {
  book: 5000,
  trades: 15_000,
  markets: 15_000,
  candles: 20_000,
  account: 20_000,
  prices: 30_000,
  /** A list that is read seldom. */
  conditional: 60_000,
} as const

export const NO_READING: TopicReading = { data: null, atMs: 0, failure: null, isLive: false }

/** The answer with newer rows in it, and whether those rows say all that has changed. */
type Patched = { readonly data: Exact; readonly isAll: boolean }

/**
 * How live data of the server updates a topic. `data`: the messages of one live topic are shown, alone or joined to an
 * answer. `change`: a message of any of these topics is a reason to read, unless its rows say all that has changed.
 */
export type Live =
  | {
      readonly kind: 'data'
      readonly topics: readonly [string]
      /** Joins an answer with live data; absent where live data alone is shown. */
      readonly joined?: (read: Exact, pushed: Exact) => Exact
      readonly patched?: undefined
    }
  | {
      readonly kind: 'change'
      readonly topics: readonly string[]
      /** Puts the rows of a message into an answer; absent where every message is a reason to read. */
      readonly patched?: (read: Exact, topic: string, rows: readonly Exact[]) => Patched
      readonly joined?: undefined
    }

/** A topic of the page: its name, how it is read, how often it is polled, and which live topics update it. */
export type FeedTopic = {
  readonly name: string
  readonly everyMs: number
  readonly load: () => Promise<Exact>
  /** The rate policy the load is charged to. */
  readonly policy: string
  readonly live?: Live
  /** Whether the windows of this browser share the answers. */
  readonly isShared?: boolean
  /** An answer that is known already, and when it was true. */
  readonly first?: { readonly data: Exact; readonly atMs: number } | null
}

/** An answer, and when it was asked for. */
export type TopicAnswer = { readonly data: Exact; readonly beganMs: number }

export type TopicWatch = {
  readonly reading: ReadonlySignal<TopicReading>
  readonly stop: () => void
}
