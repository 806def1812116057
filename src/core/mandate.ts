import type { LimitsBody } from '../contract/mandate.ts'
import { formatDecimal, parseDecimal } from './decimals.ts'
import type { Loss } from './loss.ts'

/** The limits of an account, in micro-USDC. An omitted limit means no limit. */
export type Limits = {
  readonly maxOrderUsdc?: bigint | undefined
  readonly maxDailyUsdc?: bigint | undefined
  readonly maxPositionUsdc?: bigint | undefined
  readonly maxLossUsdc?: bigint | undefined
  /** Maximum total of internal transfers in 24 hours. */
  readonly maxTransferUsdc?: bigint | undefined
  /** A write of a higher value needs the account owner's approval. */
  readonly approveAboveUsdc?: bigint | undefined
  /** Maximum total value of writes in 24 hours that need no approval. */
  readonly approveAboveDailyUsdc?: bigint | undefined
  readonly maxLeverage?: number | undefined
  readonly maxOrdersPerMinute?: number | undefined
  /** The only markets that may be traded. */
  readonly symbols?: readonly string[] | undefined
  readonly reduceOnly?: boolean | undefined
  readonly readOnly?: boolean | undefined
  readonly onceByClientOrderId?: boolean | undefined
  /** Changes of leverage and margin, transfers and withdrawals need the account owner's approval. */
  readonly approveChanges?: boolean | undefined
  readonly expiresAtMs?: number | undefined
}

/** The party that froze an account; `none` for an active account. */
type FrozenBy = 'none' | 'key' | 'wallet' | 'operator'

/** The limits that an account's wallet has signed, as tightened by its trading keys since. */
export type Mandate = {
  /** Lower case. */
  readonly accountId: string
  readonly limits: Limits
  /** The counter of the wallet's last message, which only increases; 0 before the first. */
  readonly counter: number
  readonly frozenBy: FrozenBy
  /** A loss of records after the wallet's last signature. After such a loss, the account may only cancel and reduce. */
  readonly loss?: Loss
}

/** The reason why an account may only cancel and reduce, regardless of its limits; null if it may open positions. */
export function reduceOnlyCause({
  frozenBy,
  loss,
}: {
  readonly frozenBy: string
  readonly loss?: unknown
}): 'frozen' | 'restored' | null {
  if (frozenBy !== 'none') return 'frozen'
  return loss ? 'restored' : null
}

/** A stored mandate. */
export type StoredMandate = Omit<Mandate, 'frozenBy' | 'loss'> & {
  readonly frozenBy: Exclude<FrozenBy, 'operator'>
  readonly changedAtMs: number
  /** The Unix ms at which the wallet signed; 0 for a mandate stored by an earlier version. */
  readonly signedAtMs: number
  /** A number that changes with each change of the mandate. */
  readonly change: number
}

/** A mandate as a wallet signs it. */
export type SignedMandate = Omit<StoredMandate, 'change' | 'signedAtMs'>

/** Mandates by account. Throws Failure `store_unavailable` like `Store`. */
export type MandateStore = {
  readonly find: (accountId: string) => Promise<StoredMandate | null>
  /** Replaces the account's mandate. Returns false if the stored one has the same or a higher counter. Durable. */
  readonly put: (mandate: SignedMandate) => Promise<boolean>
  /** Replaces the limits and the freeze of a mandate; false if it has changed since it was read. Durable. */
  readonly tighten: (
    found: StoredMandate,
    next: Pick<StoredMandate, 'limits' | 'frozenBy' | 'changedAtMs'>,
  ) => Promise<boolean>
  /**
   * Calls `changed` with each account whose mandate another instance has changed; with null if any mandate may have
   * changed.
   */
  readonly watch: (changed: (accountId: string | null) => void) => void
  /** The number of mandates per freezing party. */
  readonly counts: () => Promise<readonly { readonly state: string; readonly count: number }[]>
}

const USDC_SCALE = 6

/** The limits in a request body. */
export function bodyLimits(body: LimitsBody): Limits {
  return {
    ...body,
    maxOrderUsdc: toUsdcMicros(body.maxOrderUsdc),
    maxDailyUsdc: toUsdcMicros(body.maxDailyUsdc),
    maxPositionUsdc: toUsdcMicros(body.maxPositionUsdc),
    maxLossUsdc: toUsdcMicros(body.maxLossUsdc),
    maxTransferUsdc: toUsdcMicros(body.maxTransferUsdc),
    approveAboveUsdc: toUsdcMicros(body.approveAboveUsdc),
    approveAboveDailyUsdc: toUsdcMicros(body.approveAboveDailyUsdc),
  }
}

/** Limits in the form of stored records and answers: amounts as decimal text, absent limits omitted. */
export function limitsBody(limits: Limits): LimitsBody {
  return JSON.parse(
    JSON.stringify(limits, (_, value) => (typeof value === 'bigint' ? usdcText(value) : value)),
  )
}

/** An amount of micro-USDC as decimal text of USDC. */
export function usdcText(micros: bigint): string {
  return formatDecimal(micros, USDC_SCALE)
}

/** An amount of USDC as micro-USDC; undefined for an invalid amount. */
export function toUsdcMicros(usdc: string | number | undefined): bigint | undefined {
  if (usdc === undefined) return undefined
  return parseDecimal(String(usdc), USDC_SCALE) ?? undefined
}

/** The tightest combination of limits: the minimum of each figure, the markets that all allow, and every prohibition. */
export function combinedLimits(...all: readonly Limits[]): Limits {
  return all.reduce(stricterLimits, {})
}

function stricterLimits(one: Limits, other: Limits): Limits {
  return {
    maxOrderUsdc: smallerFigure(one.maxOrderUsdc, other.maxOrderUsdc),
    maxDailyUsdc: smallerFigure(one.maxDailyUsdc, other.maxDailyUsdc),
    maxPositionUsdc: smallerFigure(one.maxPositionUsdc, other.maxPositionUsdc),
    maxLossUsdc: smallerFigure(one.maxLossUsdc, other.maxLossUsdc),
    maxTransferUsdc: smallerFigure(one.maxTransferUsdc, other.maxTransferUsdc),
    approveAboveUsdc: smallerFigure(one.approveAboveUsdc, other.approveAboveUsdc),
    approveAboveDailyUsdc: smallerFigure(one.approveAboveDailyUsdc, other.approveAboveDailyUsdc),
    maxLeverage: smallerFigure(one.maxLeverage, other.maxLeverage),
    maxOrdersPerMinute: smallerFigure(one.maxOrdersPerMinute, other.maxOrdersPerMinute),
    symbols: commonSymbols(one.symbols, other.symbols),
    reduceOnly: one.reduceOnly || other.reduceOnly || undefined,
    readOnly: one.readOnly || other.readOnly || undefined,
    onceByClientOrderId: one.onceByClientOrderId || other.onceByClientOrderId || undefined,
    approveChanges: one.approveChanges || other.approveChanges || undefined,
    expiresAtMs: smallerFigure(one.expiresAtMs, other.expiresAtMs),
  }
}

function smallerFigure<Figure extends bigint | number>(
  one: Figure | undefined,
  other: Figure | undefined,
): Figure | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? one : other
}

function commonSymbols(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!one || !other) return one ?? other
  return one.filter((symbol) => other.includes(symbol))
}
