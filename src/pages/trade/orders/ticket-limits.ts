import { larger } from '../../../core/decimals.ts'
import { type Limits, microsOf } from '../../../core/mandate.ts'
import { NOTHING_USED, type Used } from '../../../core/spending.ts'
import { onStep } from '../../../perp/amounts.ts'
import {
  type AccountFigures,
  parseFigures,
  withDayResult,
  withWaiting,
} from '../../../perp/exposure.ts'
import {
  type Excess,
  needsDayResult,
  needsExposure,
  needsFigures,
  needsValue,
  type PlannedOrder,
  roomFor,
  UNVALUED_MICROS,
} from '../../../perp/limits.ts'
import type { MarketRules } from '../../../perp/market-rules.ts'
import { dayRows, dayTotal, type PeriodRows } from '../../../perp/pnl.ts'
import type { Side } from '../../../perp/positions.ts'
import {
  type ApprovalLimit,
  approvalsOneByOne,
  type LimitState,
  limitVerdict,
} from '../../../perp/verdict.ts'
import { parseWaiting } from '../../../perp/waiting.ts'
import {
  type MarketBound,
  NO_FIGURES,
  type OpeningOrder,
  quantityWithin,
  toMarketBound,
  worstPrice,
  worstValue,
} from '../../../perp/worst-case.ts'
import { type Exact, memberOf, textOf } from '../../common/exact-json.ts'
import type { SplitOrder } from './split.ts'

/** The limits that the account's wallet has signed, or tighter ones of the operator, with their use. */
export type SignedLimits = {
  readonly limits: Limits
  readonly used: Used
  readonly unapprovedMicros: bigint
  readonly isFrozen: boolean
}

/** The limits in an answer to `GET /api/prep/mandate`; null if there is no such answer. */
export function parseMandate(answer: Exact): SignedLimits | null {
  const body = memberOf(answer, 'effectiveLimits') ?? memberOf(answer, 'limits')
  if (body === undefined) return null
  const [use, renews] = [memberOf(answer, 'used'), memberOf(answer, 'renewsAtMs')]
  const micros = (name: string) => microsOf(textOf(use, name)) ?? 0n
  return {
    limits: parseLimits(body),
    used: {
      ...NOTHING_USED,
      dayMicros: micros('maxDailyUsdc'),
      minuteOrders: Number(textOf(use, 'maxOrdersPerMinute')),
      minuteRenewsAtMs: Number(textOf(renews, 'maxOrdersPerMinute')) || null,
    },
    unapprovedMicros: micros('approveAboveDailyUsdc'),
    isFrozen: textOf(answer, 'frozenBy') !== 'none',
  }
}

/** The limits on opening orders. */
function parseLimits(body: Exact): Limits {
  const usdc = (name: string) => microsOf(textOf(body, name))
  const count = (name: string) => Number(textOf(body, name)) || undefined
  const symbols = memberOf(body, 'symbols')
  return {
    maxOrderUsdc: usdc('maxOrderUsdc'),
    maxDailyUsdc: usdc('maxDailyUsdc'),
    maxPositionUsdc: usdc('maxPositionUsdc'),
    maxLossUsdc: usdc('maxLossUsdc'),
    approveAboveUsdc: usdc('approveAboveUsdc'),
    approveAboveDailyUsdc: usdc('approveAboveDailyUsdc'),
    maxLeverage: count('maxLeverage'),
    maxOrdersPerMinute: count('maxOrdersPerMinute'),
    expiresAtMs: count('expiresAtMs'),
    symbols: Array.isArray(symbols) ? symbols.map(String) : undefined,
    reduceOnly: memberOf(body, 'reduceOnly') === true,
    readOnly: memberOf(body, 'readOnly') === true,
  }
}

/** Answers of the venue to the reads that limits are judged by. */
type FigureAnswers = {
  readonly positions: Exact
  readonly waiting: Exact
  readonly day: Readonly<Record<keyof PeriodRows, Exact>>
}

/** The figures of an account that its limits need, by the venue's time; null where one is not known. */
export function limitFigures(
  limits: Limits,
  { positions, waiting, day }: FigureAnswers,
  bounds: ReadonlyMap<string, MarketBound>,
  askedAtMs: number,
): AccountFigures | null {
  const total = (name: keyof PeriodRows) =>
    dayTotal(dayRows(day[name], name, askedAtMs), name, askedAtMs)
  const shown = parseFigures(positions, askedAtMs)
  const totals = () => ({
    ...{ fills: total('fills'), funding: total('funding'), liquidations: total('liquidations') },
  })
  const figures = shown && needsDayResult(limits) ? withDayResult(shown, totals()) : shown
  if (!needsExposure(limits)) return figures
  const orders = parseWaiting(waiting)
  return figures && orders && withWaiting(figures, orders, bounds)
}

/** The orders of a ticket: prices and sizes, and the prices that each waits for. */
export type TicketOrders = {
  readonly symbol: string
  readonly side: Side
  readonly parts: readonly SplitOrder[]
  /** The price that values an order without a price of its own. */
  readonly reference: bigint
  readonly triggers: readonly bigint[]
  readonly isTrailing: boolean
  readonly isWaiting: boolean
}

/** The orders of a ticket as limits count them. */
export function openingOrders(ticket: TicketOrders): readonly OpeningOrder[] {
  const { symbol, side, parts, reference, triggers, isTrailing, isWaiting } = ticket
  return parts.map(({ price, size }) => ({
    ...{ ...NO_FIGURES, symbol, side, isWaiting, quantity: size },
    buysUpTo: side === 'BUY' ? price : null,
    highest: [price ?? reference, ...triggers].reduce(larger),
    isBoundless: isTrailing,
  }))
}

/** The limits that orders of the ticket would exceed, and those that make them need an approval. */
export type TicketLimits = {
  readonly excess: readonly (Pick<Excess, 'limit' | 'requested' | 'left'> & {
    readonly reason: Excess['reason'] | 'frozen' | 'unknown' | 'no_figures'
  })[]
  readonly approvals: readonly ApprovalLimit[]
  /** The largest size of a single order that would exceed none; zero where there is none. */
  readonly largest: bigint
}

type Market = Pick<MarketRules, 'symbol' | 'priceRange' | 'baseTick'> & {
  readonly mark: bigint | null
}

const NO_LIMITS: TicketLimits = { excess: [], approvals: [], largest: 0n }

/** How orders are sent: `in one write` has all of them, else each is a write of its own. */
export type Sent = 'in one write' | 'one by one'

/** The verdict of signed limits on opening orders. Those of an order that names no market are not known. */
export function ticketLimits(
  { symbol, mark, priceRange, baseTick }: Market,
  orders: readonly OpeningOrder[],
  signed: SignedLimits & Pick<LimitState, 'figures' | 'nowMs'>,
  sent: Sent,
): TicketLimits {
  const [first, ...others] = orders
  const { limits } = signed
  if (!first) return NO_LIMITS
  if (signed.isFrozen) return { ...NO_LIMITS, excess: [{ reason: 'frozen', limit: true }] }
  const bound = toMarketBound({ mark, priceRange })
  const values = orders.map((order) => worstValue(order, bound))
  const isNameless = limits.symbols !== undefined && first.symbol === null
  if (isNameless || (needsValue(limits) && values.includes(null)))
    return { ...NO_LIMITS, excess: [{ reason: 'unknown', limit: true }] }
  const state = { ...signed, used: usedAt(signed.used, signed.nowMs) }
  const planned = orders.map((order, at) => plannedIn(symbol, order, values[at] ?? null))
  const excess = limitVerdict(state, planned)
  const [single] = planned
  const price = worstPrice(first, bound)
  const room =
    single && price && others.length === 0 && excess.length > 0 ? roomFor(single, state) : 0n
  const isUnknown = needsFigures(limits) && signed.figures === null
  const inTime = excess.filter(({ reason }) => sent === 'in one write' || reason !== 'rate')
  return {
    excess: isUnknown ? [...inTime, { reason: 'no_figures', limit: true }] : inTime,
    approvals: approvalsOneByOne(
      limits,
      sent === 'in one write' ? [totalValue(values)] : values,
      signed.unapprovedMicros,
    ),
    largest: price ? onStep(quantityWithin(larger(0n, room), price), baseTick, 'floor') : 0n,
  }
}

/** The use of a minute counts until its oldest order has left it: the next read says what is left then. */
function usedAt(used: Used, nowMs: number): Used {
  const { minuteRenewsAtMs: at } = used
  return at !== null && at <= nowMs ? { ...used, minuteOrders: 0, minuteRenewsAtMs: null } : used
}

/** What all orders are worth at their worst case; null where one is not known. */
function totalValue(values: readonly (bigint | null)[]): bigint | null {
  return values.reduce<bigint | null>(
    (sum, micros) => (sum === null || micros === null ? null : sum + micros),
    0n,
  )
}

function plannedIn(symbol: string, order: OpeningOrder, value: bigint | null): PlannedOrder {
  const micros = value ?? UNVALUED_MICROS
  return { symbol, side: order.side, mode: order.mode, micros, dayMicros: micros }
}
