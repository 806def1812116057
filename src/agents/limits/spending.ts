import { type ClaimedUse, claimEndMs } from '../../core/claim.ts'
import { sha256Hex } from '../../core/digest.ts'
import { toHex } from '../../core/hex.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import type { Limits } from '../../core/mandate.ts'
import { endedOrderFills } from '../../core/order-fills.ts'
import { NOTHING_USED, type Reservation, type ReservedUse } from '../../core/spending.ts'
import { type AccountFigures, reservedMarket } from '../../perp/account-exposure.ts'
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
import { type OpeningOrder, toMarketBound, worstValue } from '../../perp/order-worst-case.ts'
import type { MarginMode, Side } from '../../perp/positions.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { excessRefusal, tightestLimits } from '../limit-rules.ts'
import { limitRefusal } from '../refusal.ts'
import { type SignedContext, type ToolContext, ToolFailure } from '../tool.ts'
import { bookTimeMs, venueTimeMs } from '../views/current.ts'
import type { MarketView } from '../views/market.ts'
import { figuresIn } from './figures.ts'

/** The amounts by which a write counts towards the limits, in micro-USDC. */
export type Spending = {
  /**
   * Opening orders count towards limits. Reductions are always allowed. Changes of settings are allowed while orders
   * may be opened.
   */
  readonly kind: 'opens' | 'reduces' | 'changes'
  /** The worst-case value of the whole order after the write; null if unknown. */
  readonly order: bigint | null
  /** The value that the write adds to the day: for an edit, only the increase. */
  readonly daily: bigint | null
}

/** The amounts for an order that may open a position. */
export function openingSpending(market: MarketView, order: OpeningOrder): Spending {
  const micros = worstValue(order, toMarketBound(market))
  return { kind: 'opens', order: micros, daily: micros }
}

/** The amounts for a cancel, a reduce-only order, or an edit that makes an order smaller. */
export const NO_SPENDING: Spending = { kind: 'reduces', order: 0n, daily: 0n }

/** The amounts for a change of leverage or margin mode. */
export const SETTING_CHANGE: Spending = { kind: 'changes', order: 0n, daily: 0n }

/** A write for the limit checks: its market and amounts, with side and margin mode if known. */
export type ValuedWrite = {
  readonly symbol: string
  readonly side?: Side | undefined
  readonly mode?: MarginMode | undefined
  readonly spending: Spending
}

/** A write that is about to be sent. */
export type TimedWrite = ValuedWrite & {
  /** The venue's time. It is read once for all limits of the write, and only if a limit needs it. */
  readonly timeMs: () => Promise<number>
}

/** The write in the form that the limit checks of `perp/` take. */
export function plannedOrder({ symbol, side, mode, spending }: ValuedWrite): PlannedOrder {
  const { order: micros, daily: dayMicros } = spending
  if (micros === null || dayMicros === null)
    return plannedOrder({ symbol, side, mode, spending: UNVALUED_SPENDING })
  return { symbol, side: side ?? null, mode: mode ?? null, micros, dayMicros }
}

const UNVALUED_SPENDING: Spending = {
  kind: 'opens',
  order: UNVALUED_MICROS,
  daily: UNVALUED_MICROS,
}

/** Whether a value limit is set but the order's value is unknown. */
export function isValueUnknown(limits: Limits, { order }: Spending): boolean {
  return order === null && needsValue(limits)
}

export const NO_WORST_CASE =
  'Its worst case is unknown: it is a trailing stop that opens, or its market has no price range now. Only a purchase with order_price, or reduce_only, goes.'

/** Whether checking these limits requires earlier orders or the account's figures. */
export function needsUseFigures(limits: Limits): boolean {
  const { maxDailyUsdc, maxOrdersPerMinute } = limits
  return maxDailyUsdc !== undefined || maxOrdersPerMinute !== undefined || needsFigures(limits)
}

/**
 * The limit reservation of an order, to commit together with its claim; undefined if the order uses no limit. Throws
 * mandate_exceeded if the limits forbid the order regardless of earlier use. The commit throws mandate_exceeded if
 * earlier orders leave too little of a limit.
 */
export async function claimedUse(
  context: SignedContext,
  write: TimedWrite,
  identity: string,
): Promise<ClaimedUse | undefined> {
  const { kind } = write.spending
  if (kind === 'reduces') return undefined
  const limits = tightestLimits(context)
  refuse(context, openingExcess(limits, context.clock.nowMs()))
  if (kind === 'changes') return undefined
  if (isValueUnknown(limits, write.spending))
    throw limitRefusal({ reason: 'unknown', next: NO_WORST_CASE })
  const order = plannedOrder(write)
  const refusalFor = (known: {
    readonly used: ReservedUse
    readonly figures: AccountFigures | null
  }) => {
    const check = { limits, ...known }
    const [first] = valueExcess({ ...check, orders: [order] })
    return first ? excessRefusal(context, first, roomFor(order, check)) : null
  }
  if (!needsUseFigures(limits)) {
    const refused = refusalFor({ used: NOTHING_USED, figures: null })
    if (refused) throw refused
    return undefined
  }
  const figures = needsFigures(limits) ? await figuresIn(context, write.timeMs) : null
  const refusal = (used: ReservedUse) => refusalFor({ used, figures })
  const reservation = await prepareReservation(context, write, identity)
  // If the limits would refuse the order, the fills of ended orders are read first, which may lower the use.
  const unseenSinceMs = figures?.askedAtMs ?? Number.MAX_SAFE_INTEGER
  if (refusal(await context.spending.used(reservation.scope, reservation.atMs, unseenSinceMs)))
    await noteFills(context)
  return { reservation, ids: [], refusal, unseenSinceMs }
}

/**
 * Sends a write that has no claim, within the limits. Its value is reserved before sending, and released only if the
 * write certainly failed. Throws mandate_exceeded with the limit, the requested value and the remainder before signing.
 */
export async function withinLimits<T>(
  context: SignedContext,
  write: TimedWrite,
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
  write: TimedWrite,
  identity: string,
): Promise<Reservation> {
  const { symbol, side, dayMicros: micros } = plannedOrder(write)
  return {
    scope: agentScope(context),
    identity,
    atMs: await write.timeMs(),
    uses: [{ symbol: reservedMarket(symbol, side), micros, orders: 1 }],
    seenByMs: claimEndMs(context.clock.nowMs()),
  }
}

/** The scope of limit use: one account and key together, so that another key cannot use up these limits. */
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
  // An unknown use counts as used up.
  return (await context.spending.used(unapprovedAgentScope(context), atMs)).dayMicros ?? max
}

function scopeNamed(name: string, { credentials: { accountId, key } }: SignedContext): string {
  return sha256Hex(JSON.stringify([name, accountId.toLowerCase(), key]))
}

/** Reads how much of the limits is used, by the venue's time; zero without credentials. */
export async function readLimitUse(context: ToolContext, symbol?: string): Promise<ReservedUse> {
  const { credentials, spending } = context
  if (!credentials) return NOTHING_USED
  const atMs = await (symbol === undefined ? venueTimeMs(context) : bookTimeMs(context, symbol))
  // The account's figures are read after this moment, so they show every reservation settled by now.
  return spending.used(agentScope({ ...context, credentials }), atMs, context.clock.nowMs() + 1)
}

/** Whether a failed write may have been executed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ToolFailure && error.code === 'outcome_unknown'
}

/** Maximum number of ended orders to read, newest first. */
const ENDED_MAX = 100

/**
 * Counts ended orders only with the value of their fills. If the venue gives no answer, their use of limits stays
 * unchanged.
 */
export async function noteFills(context: SignedContext): Promise<void> {
  if (tightestLimits(context).maxDailyUsdc === undefined) return
  const asked = accountRead(context, '/v1/orders', { status: 'COMPLETED', size: ENDED_MAX })
  const answer = await asked.catch(defaultOnFailure('mcp', null, ClientFailure))
  await noteFillsIn(context, answer)
}

/** Notes the fills in an answer with one or several orders, as `noteFills` does. */
export async function noteFillsIn(context: SignedContext, answer: unknown): Promise<void> {
  const fills = endedOrderFills(answer)
  if (fills.length > 0) await context.spending.fill(agentScope(context), fills)
}
