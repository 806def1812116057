import type { Reason } from '../../contract/failures.ts'
import { isMultiple, parseDecimal, SCALE } from '../../core/decimals.ts'
import type { FailureMeta } from '../../core/failure.ts'
import { isObject, type Row, rowsAt, toFloat } from '../../core/json.ts'
import { amountNumber, toAmount } from '../../perp/amounts.ts'
import { toMarketRules } from '../../perp/market-rules.ts'
import { markBounds } from '../../perp/order-check.ts'

/** One order of a body: the body itself, an order of a batch, or a leg. `path`: prefix of its members' names. */
export type SentOrder = { readonly members: Row; readonly path: string; readonly symbol: string }

/** The orders of a body. A leg has the symbol of its parent. */
export function sentOrders(body: unknown, path = '', parent = ''): readonly SentOrder[] {
  if (!isObject(body)) return []
  const symbol = typeof body['symbol'] === 'string' ? body['symbol'] : parent
  const inner = ['orders', 'child_orders'].flatMap((list) =>
    rowsAt(body, list).flatMap((each, at) => sentOrders(each, `${path}${list}.${at}.`, symbol)),
  )
  return symbol === '' ? inner : [{ members: body, path, symbol }, ...inner]
}

/** The bounds that a market sets for one number of an order. */
type Bounds = {
  readonly tick?: number
  readonly min?: number
  readonly max?: number
  readonly mark?: number
}

export const PRICES = {
  members: ['order_price', 'price', 'trigger_price', 'activatedPrice'],
  limits: (info: Row) =>
    publishedBounds(info, { tick: 'quote_tick', min: 'quote_min', max: 'quote_max' }),
} as const

export const SIZES = {
  members: ['order_quantity', 'quantity', 'visible_quantity'],
  limits: (info: Row) =>
    publishedBounds(info, { tick: 'base_tick', min: 'base_min', max: 'base_max' }),
} as const

function publishedBounds(
  info: Row,
  names: { readonly [Name in 'tick' | 'min' | 'max']: string },
): Bounds {
  const [tick, min, max] = [names.tick, names.min, names.max].map((name) => toFloat(info[name]))
  return {
    ...(tick !== undefined && { tick }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
  }
}

/**
 * The first of these members that violates its bounds, with the bounds. If all are within bounds, the first present
 * member, because the venue may have unpublished bounds. Null if no order has such a member.
 */
export function brokenBound(
  orders: readonly SentOrder[],
  members: readonly string[],
  boundsOf: (order: SentOrder) => Bounds,
): FailureMeta | null {
  const given = orders.flatMap((order) =>
    members.flatMap((member) => {
      const value = exact(order.members[member])
      if (value === null) return []
      const bounds = boundsOf(order)
      return [{ parameter: order.path + member, reason: boundReason(value, bounds), bounds }]
    }),
  )
  const found = given.find(({ reason }) => reason !== null) ?? given[0]
  if (!found) return null
  const { parameter, reason, bounds } = found
  return { parameter, reason: reason ?? 'out_of_range', ...bounds }
}

function boundReason(value: bigint, { tick, min, max }: Bounds): Reason | null {
  const [step, low, high] = [tick, min, max].map(exact)
  if (step && step > 0n && !isMultiple(value, step)) return 'not_a_multiple'
  const isLow = typeof low === 'bigint' && value < low
  const isHigh = typeof high === 'bigint' && value > high
  return isLow || isHigh ? 'out_of_range' : null
}

function exact(value: unknown): bigint | null {
  const isText = typeof value === 'string' || toFloat(value) !== undefined
  return isText ? parseDecimal(String(value), SCALE) : null
}

/** The lowest and highest price for an order's side at this mark price; empty without a mark price or tick. */
export function boundsAtMark({ members }: SentOrder, mark: number | undefined, info: Row): Bounds {
  const rules = toMarketRules({ info })
  const amount = toAmount(mark)
  if (mark === undefined || !amount || rules.quoteTick <= 0n) return {}
  const side = members['side'] === 'BUY' ? 'BUY' : 'SELL'
  const { lowest, highest } = markBounds({ ...rules, mark: amount }, side)
  return {
    mark,
    ...(lowest !== null && { min: amountNumber(lowest) }),
    ...(highest !== null && { max: amountNumber(highest) }),
  }
}
