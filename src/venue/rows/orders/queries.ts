import { openOf } from '../../engine/orders/chain.ts'
import { type OrderRow, orderRow, type TradeRow } from '../../engine/records/records.ts'
import type { Seat } from '../../exchange/seat.ts'
import { sideOf } from '../../orders/outcomes.ts'
import { periodOf, queryText } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'

/** The orders that a query selects, in its order. Throws -1005 on a status or an order it does not know. */
export function chosenOrders(seat: Seat, query: URLSearchParams): OrderRow[] {
  const isWithin = periodOf(query)
  const hasStatus = statusOf(query)
  const ordering = queryText(query, 'sort_by') ?? 'CREATED_TIME_DESC'
  const compare = Object.hasOwn(ORDERINGS, ordering) ? ORDERINGS[ordering] : undefined
  if (!compare) throw refusal('parameter', 'sort_by is invalid')
  return allOrders(seat)
    .filter(
      (order) =>
        isWithin(order.createdAtMs) &&
        hasStatus(order) &&
        isSame(query, 'symbol', symbolOf(seat, order.market)) &&
        isSame(query, 'side', sideOf(order.side)) &&
        isSame(query, 'order_type', order.type) &&
        isSame(query, 'order_tag', order.orderTag),
    )
    .sort(compare)
}

/** Every order that is known of an account. */
export function allOrders({ account, records }: Seat): OrderRow[] {
  return [...openOf(account).map(orderRow), ...records.orders]
}

/** The trades that a query selects, newest first. */
export function chosenTrades(seat: Seat, query: URLSearchParams): TradeRow[] {
  const isWithin = periodOf(query)
  return seat.records.trades
    .filter(({ atMs, market }) => isWithin(atMs) && isSame(query, 'symbol', symbolOf(seat, market)))
    .reverse()
}

function symbolOf({ engine }: Seat, market: number): string | null {
  return engine.world.exchange.markets[market]?.spec.symbol ?? null
}

type Compare = (a: OrderRow, b: OrderRow) => number

const ORDERINGS: Readonly<Record<string, Compare>> = {
  CREATED_TIME_DESC: (a, b) => b.createdAtMs - a.createdAtMs || b.id - a.id,
  CREATED_TIME_ASC: (a, b) => a.createdAtMs - b.createdAtMs || a.id - b.id,
  UPDATED_TIME_DESC: (a, b) => b.updatedAtMs - a.updatedAtMs || b.id - a.id,
  UPDATED_TIME_ASC: (a, b) => a.updatedAtMs - b.updatedAtMs || a.id - b.id,
}

/** Which orders a value of `status` stands for: one status, or a bundle of them. */
const STATUSES: Readonly<Record<string, (order: Standing) => boolean>> = {
  NEW: ({ status }) => status === 'NEW',
  PARTIAL_FILLED: ({ status }) => status === 'PARTIAL_FILLED',
  FILLED: ({ status }) => status === 'FILLED',
  CANCELLED: ({ status }) => status === 'CANCELLED',
  REJECTED: ({ status }) => status === 'REJECTED',
  INCOMPLETE: ({ status }) => status === 'NEW' || status === 'PARTIAL_FILLED',
  COMPLETED: ({ status }) => status !== 'NEW' && status !== 'PARTIAL_FILLED',
}

type Standing = { readonly status: string }

/** Whether an order stands as a query says. Throws -1005 on a status there is not. */
export function statusOf(query: URLSearchParams): (order: Standing) => boolean {
  const name = queryText(query, 'status')
  if (name === null) return () => true
  const has = Object.hasOwn(STATUSES, name) ? STATUSES[name] : undefined
  if (!has) throw refusal('parameter', 'status is invalid')
  return has
}

function isSame(query: URLSearchParams, name: string, value: string | null): boolean {
  const wanted = queryText(query, name)
  return wanted === null || wanted === value
}
