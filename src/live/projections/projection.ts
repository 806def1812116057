import type { Interval } from '../../contract/durations.ts'
import type { StreamMessageType } from '../../contract/stream/messages.ts'
import type { Feed, FeedMessage } from '../../core/feed.ts'
import type { Row } from '../../core/json.ts'
import type { Clock } from '../../core/ports.ts'
import type { OnDropped } from '../../upstream/wire/live.ts'

/** The changes of a topic since the last call. */
export type TopicChange = {
  readonly type: Extract<StreamMessageType, 'snapshot' | 'delta' | 'event'>
  readonly data: unknown
}

/** Public reads, in the form of their routes' answers; numbers keep their digits. All throw Failure. */
export type Reads = {
  readonly markets: () => Promise<readonly Row[]>
  readonly trades: (symbol: string, limit: number) => Promise<readonly Row[]>
  readonly candles: (symbol: string, interval: Interval, limit: number) => Promise<readonly Row[]>
  readonly liquidations: (size: number) => Promise<readonly Row[]>
  readonly funding: (symbol: string) => Promise<Row>
  readonly status: () => Promise<Row>
  /** Ticks of price and quantity, as written in the market's rules. */
  readonly ticks: (symbol: string) => Promise<{ readonly price: string; readonly quantity: string }>
}

export type ProjectionSources = {
  readonly feed: Pick<Feed, 'book' | 'subscribe'>
  readonly reads: Reads
  readonly clock: Clock
  /** Called with the number of a message's rows that were dropped as malformed. */
  readonly dropped: OnDropped
}

/** The state of one topic: the venue's topics it subscribes to, its initial read, and its handling of messages. */
export type Projection = {
  /** Topics of the venue's live feed. */
  readonly topics: readonly string[]
  /** Reads the whole state by request and replaces the current state. Throws Failure or UpstreamError. */
  readonly load: () => Promise<void>
  /** Applies a message; false if it is out of sequence. Throws MalformedMessage. */
  readonly apply: (message: FeedMessage) => boolean
  /** The whole state as of the last `drainDelta`. */
  readonly snapshot: () => unknown
  /** The changes since the last call; undefined without changes. Later snapshots include these changes. */
  readonly drainDelta: () => TopicChange | undefined
  /** Periodic read of data that messages do not carry. */
  readonly refresh?: { readonly everyMs: number; readonly run: () => Promise<void> }
}
