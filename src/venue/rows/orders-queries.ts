import { type Account, isOpen, type Order, type Trade } from '../exchange/state.ts'
import { periodOf, queryText } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'

/** The orders that a query selects, in its order. Throws -1005 on a status or an order it does not know. */
export function chosenOrders({ open, finished }: Account, query: URLSearchParams): Order[] {
  const isWithin = periodOf(query)
  const hasStatus = statusOf(query)
  const ordering = queryText(query, 'sort_by') ?? 'CREATED_TIME_DESC'
  const compare = Object.hasOwn(ORDERINGS, ordering) ? ORDERINGS[ordering] : undefined
  if (!compare) throw refusal('parameter', 'sort_by is invalid')
  return [...open.values(), ...finished]
    .filter(
      (order) =>
        isWithin(order.createdAtMs) &&
        hasStatus(order) &&
        isSame(query, 'symbol', order.symbol) &&
        isSame(query, 'side', order.side) &&
        isSame(query, 'order_type', order.type) &&
        isSame(query, 'order_tag', order.orderTag),
    )
    .sort(compare)
}

/** The trades that a query selects, newest first. */
export function chosenTrades({ trades }: Account, query: URLSearchParams): Trade[] {
  const isWithin = periodOf(query)
  return trades
    .filter((trade) => isWithin(trade.atMs) && isSame(query, 'symbol', trade.symbol))
    .reverse()
}

type Compare = (a: Order, b: Order) => number

const ORDERINGS: Readonly<Record<string, Compare>> = {
  CREATED_TIME_DESC: (a, b) => b.createdAtMs - a.createdAtMs || b.id - a.id,
  CREATED_TIME_ASC: (a, b) => a.createdAtMs - b.createdAtMs || a.id - b.id,
  UPDATED_TIME_DESC: (a, b) => b.updatedAtMs - a.updatedAtMs || b.id - a.id,
  UPDATED_TIME_ASC: (a, b) => a.updatedAtMs - b.updatedAtMs || a.id - b.id,
}

/** Which orders a value of `status` stands for: one status, or a bundle of them. */
const STATUSES: Readonly<Record<string, (order: Order) => boolean>> = {
  NEW: ({ status }) => status === 'NEW',
  PARTIAL_FILLED: ({ status }) => status === 'PARTIAL_FILLED',
  FILLED: ({ status }) => status === 'FILLED',
  CANCELLED: ({ status }) => status === 'CANCELLED',
  REJECTED: () => false,
  INCOMPLETE: isOpen,
  COMPLETED: (order) => !isOpen(order),
}

function statusOf(query: URLSearchParams): (order: Order) => boolean {
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
