import type { Interval } from '../../contract/durations.ts'
import type { StreamMessageType } from '../../contract/stream/messages.ts'
import type { Feed, FeedMessage } from '../../core/feed.ts'
import type { Row } from '../../core/json.ts'
import type { Clock } from '../../core/ports.ts'
import type { OnDropped } from '../../upstream/wire/live.ts'

/** What happened to a topic since it was last asked. */
export type Change = {
  readonly type: Extract<StreamMessageType, 'snapshot' | 'delta' | 'event'>
  readonly data: unknown
}

/** Public reads by their own routes' fields, parsed without losing how numbers were written. Throw Failure. */
export type Reads = {
  readonly markets: () => Promise<readonly Row[]>
  readonly trades: (symbol: string, limit: number) => Promise<readonly Row[]>
  readonly candles: (symbol: string, interval: Interval, limit: number) => Promise<readonly Row[]>
  readonly liquidations: (size: number) => Promise<readonly Row[]>
  readonly funding: (symbol: string) => Promise<Row>
  readonly status: () => Promise<Row>
  /** Ticks of price and quantity, as the rules write them. */
  readonly ticks: (symbol: string) => Promise<{ readonly price: string; readonly quantity: string }>
}

export type ProjectionParts = {
  readonly feed: Pick<Feed, 'book' | 'subscribe'>
  readonly reads: Reads
  readonly clock: Clock
  /** Receives the number of rows of a message that were left out because they are malformed. */
  readonly dropped: OnDropped
}

/** How one topic is kept: what it listens to, what it begins with, and what it makes of a message. */
export type Projection = {
  /** Topics of the venue's live wire. */
  readonly topics: readonly string[]
  /** Reads the whole state by request, in place of what there was. Throws Failure or UpstreamError. */
  readonly load: () => Promise<void>
  /** Takes a message in; false when it does not follow what came before. Throws MalformedMessage. */
  readonly apply: (message: FeedMessage) => boolean
  /** The whole state as it was last taken. */
  readonly snapshot: () => unknown
  /** What happened since the last call; undefined for nothing. `whole` includes it from then on. */
  readonly drainDelta: () => Change | undefined
  /** What no message carries is read again this often. */
  readonly refresh?: { readonly everyMs: number; readonly run: () => Promise<void> }
}
