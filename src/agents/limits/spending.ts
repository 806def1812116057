import { type ClaimedUse, claimEndMs } from '../../core/claim.ts'
import { sha256Hex } from '../../core/digest.ts'
import { toHex } from '../../core/hex.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { Limits } from '../../core/mandate.ts'
import { endedOrderFills } from '../../core/order-fills.ts'
import { NOTHING_USED, type Reservation, type Used } from '../../core/spending.ts'
import { type AccountFigures, reservedMarket } from '../../perp/exposure.ts'
import { needsFigures } from '../../perp/limit-figures.ts'
import {
  type Excess,
  needsValue,
  openingExcess,
  type PlannedOrder,
  roomFor,
  UNVALUED_MICROS,
  valueExcess,
} from '../../perp/limits.ts'
import type { MarginMode, Side } from '../../perp/positions.ts'
import { type OpeningOrder, toMarketBound, worstValue } from '../../perp/worst-case.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { excessRefusal, tightestLimits } from '../limit-rules.ts'
import { limitRefusal } from '../refusal.ts'
import { type SignedContext, type ToolContext, ToolFailure } from '../tool.ts'
import { bookTimeMs, venueTimeMs } from '../views/current.ts'
import type { MarketView } from '../views/market.ts'
import { figuresIn } from './figures.ts'

/** The value by which a write counts towards the limits, in micro-USDC. */
export type Spending = {
  /**
   * Opening orders count towards limits. Cancels and reductions are always allowed. A setting is allowed while orders
   * may be opened.
   */
  readonly kind: 'opens' | 'reduces' | 'changes'
  /** The whole value of the order as it will be, at its worst case; null where that is not known. */
  readonly order: bigint | null
  /** The value it adds to the day: the growth alone for an order that grows. */
  readonly daily: bigint | null
}

/** An order that may open a position in a market. */
export function openingSpending(market: MarketView, order: OpeningOrder): Spending {
  const micros = worstValue(order, toMarketBound(market))
  return { kind: 'opens', order: micros, daily: micros }
}

/** A cancel, a reduce-only order, an order that shrinks. */
export const NO_SPENDING: Spending = { kind: 'reduces', order: 0n, daily: 0n }

/** A leverage or a margin mode. */
export const SETTING_CHANGE: Spending = { kind: 'changes', order: 0n, daily: 0n }

/** A write within limits: its market and its value, with side and margin mode where they are known. */
export type Valued = {
  readonly symbol: string
  readonly side?: Side | undefined
  readonly mode?: MarginMode | undefined
  readonly spending: Spending
}

/** An order as limits count it. */
export function plannedOrder({ symbol, side, mode, spending }: Valued): PlannedOrder {
  const { order: micros, daily: dayMicros } = spending
  if (micros === null || dayMicros === null)
    return plannedOrder({ symbol, side, mode, spending: UNVALUED })
  return { symbol, side: side ?? null, mode: mode ?? null, micros, dayMicros }
}

const UNVALUED: Spending = { kind: 'opens', order: UNVALUED_MICROS, daily: UNVALUED_MICROS }

/** Whether limits of value hold for an order whose value is not known. */
export function isUnjudged(limits: Limits, { order }: Spending): boolean {
  return order === null && needsValue(limits)
}

export const NO_WORST_CASE =
  'Its worst case is unknown: it is a trailing stop that opens, or its market has no price range now. Only a purchase with order_price, or reduce_only, goes.'

/** Whether the limits depend on earlier orders or on figures of the account. */
export function counts(limits: Limits): boolean {
  const { maxDailyUsdc, maxOrdersPerMinute } = limits
  return maxDailyUsdc !== undefined || maxOrdersPerMinute !== undefined || needsFigures(limits)
}

/**
 * The use of limits by an order, for the commit of its claim, which throws mandate_exceeded if the limits forbid it;
 * undefined for an order that uses no limit. Throws mandate_exceeded for limits that forbid the order whatever has been
 * used.
 */
export async function claimedUse(
  context: SignedContext,
  write: Valued,
  identity: string,
): Promise<ClaimedUse | undefined> {
  const { kind } = write.spending
  if (kind === 'reduces') return undefined
  const limits = tightestLimits(context)
  refuse(context, openingExcess(limits, context.clock.nowMs()))
  if (kind === 'changes') return undefined
  if (isUnjudged(limits, write.spending))
    throw limitRefusal({ reason: 'unknown', next: NO_WORST_CASE })
  const order = plannedOrder(write)
  const refusalFor = (known: { readonly used: Used; readonly figures: AccountFigures | null }) => {
    const check = { limits, ...known }
    const [first] = valueExcess({ ...check, orders: [order] })
    return first ? excessRefusal(context, first, roomFor(order, check)) : null
  }
  if (!counts(limits)) {
    const refused = refusalFor({ used: NOTHING_USED, figures: null })
    if (refused) throw refused
    return undefined
  }
  const figures = needsFigures(limits) ? await figuresIn(context) : null
  const refusal = (used: Used) => refusalFor({ used, figures })
  const reservation = await prepareReservation(context, write, identity)
  // Orders that ended since may leave room.
  const unseenSinceMs = figures?.askedAtMs ?? Number.MAX_SAFE_INTEGER
  if (refusal(await context.spending.used(reservation.scope, reservation.atMs, unseenSinceMs)))
    await noteFills(context)
  return { reservation, ids: [], refusal, unseenSinceMs }
}

/**
 * Sends a write without a claim of its own within the limits. Its value is reserved before it is sent, and released
 * only if the write certainly failed. Throws mandate_exceeded with the limit, the requested value and the remainder,
 * before signing.
 */
export async function withinLimits<T>(
  context: SignedContext,
  write: Valued,
  send: () => Promise<T>,
): Promise<T> {
  const { spending, clock, random } = context
  const use = await claimedUse(context, write, toHex(random.bytes(IDENTITY_BYTES)))
  if (!use) return send()
  const { reservation, refusal, unseenSinceMs } = use
  const refused = await spending.reserve(reservation, (used) => refusal(used, false), unseenSinceMs)
  if (refused) throw refused
  try {
    const result = await send()
    await spending.settle(reservation, clock.nowMs())
    return result
  } catch (error) {
    if (!isOutcomeUnknown(error)) await spending.release(reservation)
    throw error
  }
}

function refuse(context: ToolContext, [first]: readonly Excess[]): void {
  if (first) throw excessRefusal(context, first)
}

const IDENTITY_BYTES = 16

async function prepareReservation(
  context: SignedContext,
  write: Valued,
  identity: string,
): Promise<Reservation> {
  const { symbol, side, dayMicros: micros } = plannedOrder(write)
  return {
    scope: agentScope(context),
    identity,
    atMs: await bookTimeMs(context, symbol),
    uses: [{ symbol: reservedMarket(symbol, side), micros, orders: 1 }],
    seenByMs: claimEndMs(context.clock.nowMs()),
  }
}

/** Orders of one account and key count together, so that another key cannot use up these limits. */
function agentScope(context: SignedContext): string {
  return scopeNamed('agent limits', context)
}

/** The scope in which writes without approval are counted. */
export function unapprovedAgentScope(context: SignedContext): string {
  return scopeNamed('agent unapproved', context)
}

/** The value of the writes of the last 24 hours that were sent without approval. */
export async function unapprovedMicros(context: SignedContext, symbol: string): Promise<bigint> {
  const { approveAboveDailyUsdc: max } = tightestLimits(context)
  if (max === undefined) return 0n
  const atMs = await bookTimeMs(context, symbol)
  // A day that is not known counts as used up.
  return (await context.spending.used(unapprovedAgentScope(context), atMs)).dayMicros ?? max
}

function scopeNamed(name: string, { credentials: { accountId, key } }: SignedContext): string {
  return sha256Hex(JSON.stringify([name, accountId.toLowerCase(), key]))
}

/** The used part of the limits, by the venue's time; nothing without credentials. */
export async function usedBy(context: ToolContext, symbol?: string): Promise<Used> {
  const { credentials, spending } = context
  if (!credentials) return NOTHING_USED
  const atMs = await (symbol === undefined ? venueTimeMs(context) : bookTimeMs(context, symbol))
  // Figures show what was settled before now.
  return spending.used(agentScope({ ...context, credentials }), atMs, context.clock.nowMs() + 1)
}

/** Whether a failed write may have been executed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ToolFailure && error.code === 'outcome_unknown'
}

/** Maximum number of the newest ended orders to look at. */
const ENDED_MAX = 100

/**
 * Lowers the use by orders that have ended to the value of their fills. Without the venue's answer the use stays as it
 * is.
 */
export async function noteFills(context: SignedContext): Promise<void> {
  if (tightestLimits(context).maxDailyUsdc === undefined) return
  const asked = accountRead(context, '/v1/orders', { status: 'COMPLETED', size: ENDED_MAX })
  const answer = await asked.catch(orElse('mcp', null, ClientFailure))
  await noteFillsIn(context, answer)
}

/** The same from an answer that shows one order or several. */
export async function noteFillsIn(context: SignedContext, answer: unknown): Promise<void> {
  const fills = endedOrderFills(answer)
  if (fills.length > 0) await context.spending.fill(agentScope(context), fills)
}
