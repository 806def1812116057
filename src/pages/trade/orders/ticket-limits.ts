import { larger } from '../../../core/decimals.ts'
import type { ReservedUse } from '../../../core/spending.ts'
import { sumOrNull } from '../../../perp/amounts.ts'
import { largestWithinValue } from '../../../perp/largest-size.ts'
import { needsFigures } from '../../../perp/limit-figures.ts'
import {
  type Excess,
  needsValue,
  type PlannedOrder,
  roomFor,
  UNVALUED_MICROS,
} from '../../../perp/limits.ts'
import type { CheckedMarket } from '../../../perp/order-check.ts'
import {
  NO_FIGURES,
  type OpeningOrder,
  toMarketBound,
  worstValue,
} from '../../../perp/order-worst-case.ts'
import type { Side } from '../../../perp/positions.ts'
import {
  type ApprovalLimit,
  approvalsOneByOne,
  changeApprovals,
  changeExcess,
  type LimitState,
  limitVerdict,
  type SettingChange,
} from '../../../perp/verdict.ts'
import type { SignedLimits } from '../account/signed-limits.ts'
import type { SplitOrder } from './split.ts'

/** The orders of a ticket: their prices and sizes, and the triggers that all these orders wait for. */
export type TicketOrders = {
  readonly symbol: string
  readonly side: Side
  readonly parts: readonly SplitOrder[]
  /** The price that values an order without a price. */
  readonly reference: bigint
  readonly triggers: readonly bigint[]
  readonly isTrailing: boolean
  readonly isWaiting: boolean
}

/** The orders of a ticket in the form that limits count. */
export function openingOrders(ticket: TicketOrders): readonly OpeningOrder[] {
  const { symbol, side, parts, reference, triggers, isTrailing, isWaiting } = ticket
  return parts.map(({ price, size }) => ({
    ...{ ...NO_FIGURES, symbol, side, isWaiting, quantity: size },
    buysUpTo: side === 'BUY' ? price : null,
    highest: [price ?? reference, ...triggers].reduce(larger),
    isBoundless: isTrailing,
  }))
}

/** The limits that a write would exceed, and the limits that make the write need an approval. */
export type TicketLimits = {
  readonly excess: readonly (Pick<Excess, 'limit' | 'requested' | 'left'> & {
    readonly reason: Excess['reason'] | 'frozen' | 'restored' | 'unknown' | 'no_figures'
  })[]
  readonly approvals: readonly ApprovalLimit[]
  /** The largest size of a single order within all limits; zero if there is no such size. */
  readonly largest: bigint
}

const NO_LIMITS: TicketLimits = { excess: [], approvals: [], largest: 0n }

function forbidden(reason: 'frozen' | 'restored' | 'unknown'): TicketLimits {
  return { ...NO_LIMITS, excess: [{ reason, limit: true }] }
}

/** How orders are sent: all `in one write`, or each as a separate write (`one by one`). */
export type SendingMode = 'in one write' | 'one by one'

/**
 * The verdict of signed limits on opening orders. If the limits have a market allowlist, an order without a symbol gets
 * the reason `unknown`.
 */
export function ticketLimits(
  market: CheckedMarket,
  orders: readonly OpeningOrder[],
  signed: SignedLimits & Pick<LimitState, 'figures' | 'nowMs'>,
  sent: SendingMode,
): TicketLimits {
  const [first, ...others] = orders
  const { limits } = signed
  if (!first) return NO_LIMITS
  if (signed.cause) return forbidden(signed.cause)
  const bound = toMarketBound(market)
  const values = orders.map((order) => worstValue(order, bound))
  const isNameless = limits.symbols !== undefined && first.symbol === null
  if (isNameless || (needsValue(limits) && values.includes(null))) return forbidden('unknown')
  const state = { ...signed, used: usedAt(signed.used, signed.nowMs) }
  const planned = orders.map((order, at) => plannedIn(market.symbol, order, values[at] ?? null))
  const excess = limitVerdict(state, planned)
  const [single] = planned
  const isSingle = single && others.length === 0 && excess.length > 0
  const isUnknown = needsFigures(limits) && signed.figures === null
  const inTime = excess.filter(({ reason }) => sent === 'in one write' || reason !== 'rate')
  return {
    excess: isUnknown ? [...inTime, { reason: 'no_figures', limit: true }] : inTime,
    approvals: approvalsOneByOne(
      limits,
      sent === 'in one write' ? [sumOrNull(values, (value) => value)] : values,
      signed.unapprovedMicros,
    ),
    largest: isSingle ? largestWithinValue(market, first, roomFor(single, state)) : 0n,
  }
}

/** The verdict of signed limits on a change of a market's settings. */
export function changeLimits(
  { limits, cause }: SignedLimits,
  nowMs: number,
  change: SettingChange,
): TicketLimits {
  if (cause) return forbidden(cause)
  const excess = changeExcess(limits, change, nowMs)
  return { ...NO_LIMITS, excess, approvals: changeApprovals(limits) }
}

/** The use of the limits at a time. From the renewal time on, the orders of the last minute no longer count. */
function usedAt(used: ReservedUse, nowMs: number): ReservedUse {
  const { minuteRenewsAtMs: at } = used
  return at !== null && at <= nowMs ? { ...used, minuteOrders: 0, minuteRenewsAtMs: null } : used
}

function plannedIn(symbol: string, order: OpeningOrder, value: bigint | null): PlannedOrder {
  const micros = value ?? UNVALUED_MICROS
  return { symbol, side: order.side, mode: order.mode, micros, dayMicros: micros }
}
