import type { VenueKind } from '../contract/venue/kind.ts'
import type { LiveBooks } from '../contract/venue/paper.ts'
import type { AdvanceClock } from '../core/advance.ts'
import type { Feed } from '../core/feed.ts'
import type { Lanes } from '../core/loop/lanes.ts'
import type { Clock, Upstream } from '../core/ports.ts'
import type { Promote } from '../gateway/referral/program.ts'
import type { PricesOf } from '../gateway/swap/embedded/price.ts'
import type { PracticePort } from '../http/practice.ts'
import type { VenueCalls } from '../simulator/service.ts'

/** A venue that answers, live, embedded or practising on a live one, and what the operator and the other products have of it. */
export type OpenVenue = {
  readonly kind: VenueKind
  readonly upstream: Upstream
  /** Opens the venue's live wire; null where it is off. */
  readonly openFeed: (() => Promise<Feed>) | null
  /** Makes an account a first-level affiliate; null on a live venue. */
  readonly promote: Promote | null
  /** The venue's time: the embedded venue's own, or the wall's. */
  readonly clock: Clock
  /** Why an embedded venue does not answer, and what to do; null while it answers, and for a live one. */
  readonly refusal: () => string | null
  /** How often an embedded venue's thread was started again. */
  readonly restarts: () => number
  /** Where its wire is served to other programs; null where it is not. */
  readonly url: string | null
  /** Calls to a live venue under way and waiting; null for the embedded one, where none waits. */
  readonly load: Lanes['load'] | null
  /** The live books that are practised on; null before the first look, and where there is no such practice. */
  readonly books: () => LiveBooks | null
  /** The operator's practice accounts; null on a live venue. */
  readonly practice: PracticePort | null
  /** The prices of the seeded markets: the embedded venue's own, or before a live one a world of the same seed. */
  readonly prices: () => Promise<PricesOf>
  /** The memory of signatures found valid that the embedded venue's thread shares; null for a live one. */
  readonly verified: SharedArrayBuffer | null
  /** Null where time is real. */
  readonly advance: AdvanceClock | null
  /** Checks the embedded venue's books; null on a live venue. */
  readonly check: VenueCalls['check'] | null
  /** Which markets a file of prices moves; null where there is none, or nothing answers. */
  readonly stillPrices: VenueCalls['stillPrices']
  /** Reads a private path of an account of the embedded venue; null on a live venue. */
  readonly readAccount: VenueCalls['readAccount'] | null
  /** Runs an operator command of the embedded venue; null on a live venue. */
  readonly runCommand: VenueCalls['runCommand'] | null
  readonly stop: () => Promise<void>
}
