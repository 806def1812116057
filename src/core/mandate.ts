import type { LimitsBody } from '../contract/mandate.ts'
import { formatDecimal, parseDecimal } from './decimals.ts'
import type { Loss } from './loss.ts'

/** What an account may do at most; a limit that is absent does not hold. USDC in millionths. */
export type Limits = {
  readonly maxOrderUsdc?: bigint | undefined
  readonly maxDailyUsdc?: bigint | undefined
  readonly maxPositionUsdc?: bigint | undefined
  readonly maxLossUsdc?: bigint | undefined
  /** The most that internal transfers of 24 hours move. */
  readonly maxTransferUsdc?: bigint | undefined
  /** A write of a higher value goes only with the approval of the account's owner. */
  readonly approveAboveUsdc?: bigint | undefined
  /** The most that writes of 24 hours are worth that go without this approval. */
  readonly approveAboveDailyUsdc?: bigint | undefined
  readonly maxLeverage?: number | undefined
  readonly maxOrdersPerMinute?: number | undefined
  /** The only markets that may be traded. */
  readonly symbols?: readonly string[] | undefined
  readonly reduceOnly?: boolean | undefined
  readonly readOnly?: boolean | undefined
  readonly onceByClientOrderId?: boolean | undefined
  /** Leverage, margin, transfers and withdrawals go only with the approval of the account's owner. */
  readonly approveChanges?: boolean | undefined
  readonly expiresAtMs?: number | undefined
}

/** Who froze an account. */
type FrozenBy = 'none' | 'key' | 'wallet' | 'operator'

/** The limits that an account's wallet has signed, and what its trading keys have tightened since. */
export type Mandate = {
  /** Lower case. */
  readonly accountId: string
  readonly limits: Limits
  /** The number of the wallet's last message, which only rises; 0 where it has signed none. */
  readonly counter: number
  readonly frozenBy: FrozenBy
  /** A loss of records since which the wallet has signed nothing: the account may only cancel and reduce. */
  readonly loss?: Loss
}

/** A mandate as the store has it. */
export type StoredMandate = Omit<Mandate, 'frozenBy' | 'loss'> & {
  readonly frozenBy: Exclude<FrozenBy, 'operator'>
  readonly changedAtMs: number
  /** When the wallet signed it; 0 for one that an earlier prepd has stored. */
  readonly signedAtMs: number
  /** Another after each change. */
  readonly change: number
}

/** A mandate as the wallet signs it. */
export type SignedMandate = Omit<StoredMandate, 'change' | 'signedAtMs'>

/** Mandates by account. Throws Failure `store_unavailable`: nothing has changed then. */
export type MandateStore = {
  readonly find: (accountId: string) => Promise<StoredMandate | null>
  /** Stores one in place of the account's, unless that has the same counter or a higher one: false then. Durable. */
  readonly put: (mandate: SignedMandate) => Promise<boolean>
  /** Replaces limits and freeze of one that was found; false where it has changed since. Durable. */
  readonly tighten: (
    found: StoredMandate,
    next: Pick<StoredMandate, 'limits' | 'frozenBy' | 'changedAtMs'>,
  ) => Promise<boolean>
  /** Calls back with each account whose mandate another instance has changed; with null where any may have changed. */
  readonly watch: (changed: (accountId: string | null) => void) => void
  /** How many there are by who has frozen them. */
  readonly counts: () => Promise<readonly { readonly state: string; readonly count: number }[]>
}

const USDC_SCALE = 6

/** The limits of a body. */
export function limitsOf(body: LimitsBody): Limits {
  return {
    ...body,
    maxOrderUsdc: microsOf(body.maxOrderUsdc),
    maxDailyUsdc: microsOf(body.maxDailyUsdc),
    maxPositionUsdc: microsOf(body.maxPositionUsdc),
    maxLossUsdc: microsOf(body.maxLossUsdc),
    maxTransferUsdc: microsOf(body.maxTransferUsdc),
    approveAboveUsdc: microsOf(body.approveAboveUsdc),
    approveAboveDailyUsdc: microsOf(body.approveAboveDailyUsdc),
  }
}

/** Limits as they are stored and answered: amounts are decimal text, and what does not hold is absent. */
export function limitsBody(limits: Limits): LimitsBody {
  return JSON.parse(
    JSON.stringify(limits, (_, value) => (typeof value === 'bigint' ? usdcText(value) : value)),
  )
}

/** An amount of micro-USDC as decimal text of USDC. */
export function usdcText(micros: bigint): string {
  return formatDecimal(micros, USDC_SCALE)
}

/** An amount of USDC as micro-USDC; undefined where it is none. */
export function microsOf(usdc: string | number | undefined): bigint | undefined {
  if (usdc === undefined) return undefined
  return parseDecimal(String(usdc), USDC_SCALE) ?? undefined
}

/** The tightest of several: the least of each figure, the markets that all allow, and whatever one forbids. */
export function tightest(...all: readonly Limits[]): Limits {
  return all.reduce(tighter, {})
}

function tighter(one: Limits, other: Limits): Limits {
  return {
    maxOrderUsdc: least(one.maxOrderUsdc, other.maxOrderUsdc),
    maxDailyUsdc: least(one.maxDailyUsdc, other.maxDailyUsdc),
    maxPositionUsdc: least(one.maxPositionUsdc, other.maxPositionUsdc),
    maxLossUsdc: least(one.maxLossUsdc, other.maxLossUsdc),
    maxTransferUsdc: least(one.maxTransferUsdc, other.maxTransferUsdc),
    approveAboveUsdc: least(one.approveAboveUsdc, other.approveAboveUsdc),
    approveAboveDailyUsdc: least(one.approveAboveDailyUsdc, other.approveAboveDailyUsdc),
    maxLeverage: least(one.maxLeverage, other.maxLeverage),
    maxOrdersPerMinute: least(one.maxOrdersPerMinute, other.maxOrdersPerMinute),
    symbols: common(one.symbols, other.symbols),
    reduceOnly: one.reduceOnly || other.reduceOnly || undefined,
    readOnly: one.readOnly || other.readOnly || undefined,
    onceByClientOrderId: one.onceByClientOrderId || other.onceByClientOrderId || undefined,
    approveChanges: one.approveChanges || other.approveChanges || undefined,
    expiresAtMs: least(one.expiresAtMs, other.expiresAtMs),
  }
}

function least<Figure extends bigint | number>(
  one: Figure | undefined,
  other: Figure | undefined,
): Figure | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}

function common(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!one || !other) return one ?? other
  return one.filter((symbol) => other.includes(symbol))
}
