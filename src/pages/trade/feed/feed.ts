import type { ReadonlySignal } from '@preact/signals'
import type { ApiFailure } from '../../common/api.ts'
import type { Exact } from '../../common/exact-json.ts'

/** The last answer of a topic, its time, and the failure since then, if any. */
export type TopicReading = {
  readonly data: Exact | null
  /** The time when `data` arrived; 0 before the first answer. */
  readonly atMs: number
  readonly failure: ApiFailure | null
  /** Whether changes are pushed; `data` is then current, however old it is. */
  readonly isLive: boolean
}

/** Maximum ages of data. Older data shows its age; above the maximum for `prices` the page warns. */
export const STALE_MS = {
  book: 5000,
  trades: 15_000,
  markets: 15_000,
  candles: 20_000,
  account: 20_000,
  prices: 30_000,
  /** The list of conditional orders is polled rarely. */
  conditional: 60_000,
} as const

export const NO_READING: TopicReading = { data: null, atMs: 0, failure: null, isLive: false }

/** An answer with newer rows merged in. `isAll` is true if the rows contain every change, so that no read is needed. */
type Patched = { readonly data: Exact; readonly isAll: boolean }

/**
 * How the server's live data updates a topic. `data`: the live topic's messages are shown, alone or merged with an
 * answer. `change`: a message of any of these topics triggers a read, unless its rows contain every change.
 */
export type LiveUpdates =
  | {
      readonly kind: 'data'
      readonly topics: readonly [string]
      /** Merges an answer with live data; absent if only live data is shown. */
      readonly joined?: (read: Exact, pushed: Exact) => Exact
      readonly patched?: undefined
    }
  | {
      readonly kind: 'change'
      readonly topics: readonly string[]
      /** Merges a message's rows into an answer; absent if every message triggers a read. */
      readonly patched?: (read: Exact, topic: string, rows: readonly Exact[]) => Patched
      readonly joined?: undefined
    }

/** A topic of the page: its name, how it is read, how often it is polled, and which live topics update it. */
export type FeedTopic = {
  readonly name: string
  readonly everyMs: number
  readonly load: () => Promise<Exact>
  /** The server's rate limit policy that counts this read. */
  readonly policy: string
  readonly live?: LiveUpdates
  /** Whether the windows of this browser share the answers. */
  readonly isShared?: boolean
  /** An answer that is known from the start, and the time of the answer. */
  readonly first?: { readonly data: Exact; readonly atMs: number } | null
}

/** An answer. `beganMs`: the time of the request. */
export type TopicAnswer = { readonly data: Exact; readonly beganMs: number }

export type TopicWatch = {
  readonly reading: ReadonlySignal<TopicReading>
  readonly stop: () => void
}
