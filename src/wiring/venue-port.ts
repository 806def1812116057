import type { Feed } from '../core/feed.ts'
import type { Clock, Upstream } from '../core/ports.ts'
import type { Promote } from '../gateway/referral/program.ts'
import type { PriceOf } from '../swap/embedded/price.ts'
import type { Lanes } from '../upstream/lanes.ts'
import type { PracticeAccounts } from '../venue/accounts/practice.ts'
import type { WorldCheck } from '../venue/embedded.ts'
import type { StillPrices } from '../venue/prices/replay.ts'
import type { RunCommand } from '../venue/supervised.ts'

/** A venue that answers, live or embedded. */
export type OpenVenue = {
  readonly kind: 'embedded' | 'live'
  readonly upstream: Upstream
  /** Opens the venue's live wire; null where it is off. */
  readonly openFeed: (() => Promise<Feed>) | null
  /** Makes an account a first-level affiliate; null on a live venue. */
  readonly promote: Promote | null
  /** The venue's time: the embedded venue's own, or the wall's. */
  readonly clock: Clock
  /** Why an embedded venue refuses its stored world, and what to do; null while it answers, and for a live one. */
  readonly refusal: () => string | null
  /** Where its wire is served to other programs; null where it is not. */
  readonly url: string | null
  /** Calls to a live venue under way and waiting; null for the embedded one, where none waits. */
  readonly load: Lanes['load'] | null
  /** The rest of it: opens an embedded venue of which nobody has asked anything yet. */
  readonly whole: () => Promise<WholeVenue>
  readonly stop: () => Promise<void>
}

/**
 * Moves a virtual clock and the venue's world with it. Answers how many milliseconds it moved: fewer than asked for when
 * the signal aborted, or the way took too long for one answer.
 */
type Advance = (ms: number, signal: AbortSignal) => Promise<number>

/** What the operator and the products beside the venue's own have of it; much of it only an embedded one can do. */
export type WholeVenue = Pick<OpenVenue, 'kind' | 'clock'> & {
  /** The operator's practice accounts; null on a live venue. */
  readonly practice: PracticeAccounts | null
  /** The prices of the seeded markets: the embedded venue's own, or before a live one a world of the same seed. */
  readonly prices: () => Promise<PriceOf>
  /** Moves a virtual clock, and its world with it; null where time is real. */
  readonly advance: Advance | null
  /** Settles when an embedded venue's world is at its time. */
  readonly arrived: () => Promise<void>
  /** Looks the embedded venue's books through; null on a live venue. */
  readonly check: (() => Promise<WorldCheck>) | null
  /** Which markets a file of prices moves; null where there is none. */
  readonly stillPrices: () => StillPrices | null
  /** Runs an operator command of the embedded venue; null on a live venue. */
  readonly tell: RunCommand | null
}

/** The index prices of markets against USDC. */
export function pricesOf(indexOf: (symbol: string, atMs: number) => bigint | null): PriceOf {
  return (base, atMs) => indexOf(`PERP_${base}_USDC`, atMs)
}
