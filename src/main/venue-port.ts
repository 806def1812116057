import type { VenueKind } from '../contract/venue/kind.ts'
import type { LiveBooks } from '../contract/venue/paper.ts'
import type { AdvanceClock } from '../core/advance.ts'
import type { Feed } from '../core/feed.ts'
import type { Lanes } from '../core/loop/lanes.ts'
import type { Clock, Upstream } from '../core/ports.ts'
import type { ReadPrices } from '../gateway/swap/embedded/price.ts'
import type { VenueCalls } from '../simulator/service.ts'

/** An open venue: live, embedded, or practice accounts on a live market. */
export type OpenVenue = {
  readonly kind: VenueKind
  readonly upstream: Upstream
  /** Opens the venue's live feed; null if it is off. */
  readonly openFeed: (() => Promise<Feed>) | null
  /** The calls to an embedded venue. They throw Failure, like reads and writes. Null on a live venue. */
  readonly embedded: VenueCalls | null
  /** The venue's clock: the embedded venue's own, or the wall clock. */
  readonly clock: Clock
  /** Why an embedded venue does not answer, with the remedy; null while it answers, and for a live venue. */
  readonly refusal: () => string | null
  /** Number of restarts of the embedded venue's thread. */
  readonly restarts: () => number
  /** The URL at which the venue serves other programs; null if it does not. */
  readonly url: string | null
  /** Numbers of calls to a live venue in flight and waiting; null for the embedded venue, which has no queue. */
  readonly load: Lanes['load'] | null
  /** State of the live books behind practice trading; null before the first poll, and without such practice. */
  readonly books: () => LiveBooks | null
  /**
   * Index prices for simulated swaps. The embedded venue gives its own prices. With a live venue, the prices are
   * simulated from the seed in the venue's settings.
   */
  readonly prices: () => Promise<ReadPrices>
  /** The memory of verified signatures shared with the embedded venue's thread; null for a live venue. */
  readonly verified: SharedArrayBuffer | null
  /** Advances the venue's virtual clock; null with real time. */
  readonly advance: AdvanceClock | null
  /** The state of the price file's markets; null without a file or an answer. */
  readonly stillPrices: VenueCalls['stillPrices']
  readonly stop: () => Promise<void>
}
