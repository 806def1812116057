import { valueAt } from '../base/price-table.ts'
import { countDay, execute, matchOrders, publishMatch, settleFills } from '../book/execute.ts'
import { addToBook, isAtLimit, worseThan } from '../book/ladder.ts'
import { addOpenOrder, beginOrder, cancel, changePending, endOrder } from '../book/open-orders.ts'
import { oppositeLadder } from '../book/walk.ts'
import { newOrder } from '../orders/place.ts'
import { PLAIN_ORDER } from '../orders/request.ts'
import { type ExchangeState, nextEngineId } from '../state/exchange.ts'
import { notionalAt } from '../state/markets.ts'
import {
  BUY,
  type EngineLevel,
  type EngineOrder,
  type EngineOrderType,
  isOpen,
  leftQuantity,
  type MarketAccount,
  SELL,
  type SideSign,
} from '../state/state.ts'

/**
 * A level of recorded orders. `own`: the account that owns the orders. `steps`: the quantity that the tape shows at the
 * price.
 */
export type RecordedLevel = {
  readonly own: MarketAccount
  readonly side: SideSign
  readonly price: number
  readonly steps: number
}

/**
 * Reduces a level to the steps that the tape shows. Recorded quantities before and behind users' orders shrink in
 * proportion.
 */
export function shrinkLevel(exchange: ExchangeState, recorded: RecordedLevel, atMs: number): void {
  const level = bookLevel(recorded)
  if (!level) return
  const { head, tail } = level
  const shown = ownSteps(level, recorded.own)
  let left = shown - recorded.steps
  if (left <= 0) return
  if (head && head === tail) {
    reduceRecordedOrder(exchange, head, left, atMs)
    return
  }
  const cancelled = left
  const orders = ownIn(level, recorded.own)
  const parts = orders.map((order) => Math.floor((cancelled * leftQuantity(order)) / shown))
  left -= parts.reduce((sum, part) => sum + part, 0)
  // The remainder of the division is taken from the back of the queue.
  for (let at = orders.length - 1; at >= 0; at -= 1) {
    const [order, part = 0] = [orders[at], parts[at]]
    if (!order) continue
    const more = Math.min(left, leftQuantity(order) - part)
    left -= more
    if (part + more > 0) reduceRecordedOrder(exchange, order, part + more, atMs)
  }
}

/**
 * Raises a level to the steps that the tape shows. The added quantity first fills users' orders on the opposite side
 * that it crosses. The rest is queued behind all orders at the price.
 */
export function growLevel(exchange: ExchangeState, recorded: RecordedLevel, atMs: number): void {
  const { own, side, price, steps } = recorded
  const level = bookLevel(recorded)
  const added = steps - (level ? ownSteps(level, own) : 0)
  if (added <= 0) return
  const { best } = oppositeLadder(own, side)
  if (best && isAtLimit(side, price, best.price)) {
    const order = openOrder(exchange, { own, side, price, steps: added }, 'LIMIT', atMs)
    execute(exchange, order, added, price, atMs)
    if (isOpen(order)) restOrder(order)
    return
  }
  const last = level?.tail
  if (last?.marketAccount === own) resize(last, added)
  else restOrder(openOrder(exchange, { own, side, price, steps: added }, 'LIMIT', atMs))
}

/** A recorded trade on its way through the book. */
type Passing = {
  readonly exchange: ExchangeState
  readonly trade: RecordedLevel
  readonly atMs: number
  /** The order that fills users' orders. It is created when the trade meets the first user's order. */
  taker: EngineOrder | null
  left: number
  filled: number
}

/**
 * Lets a recorded trade pass through the book. At better prices, the trade fills only users' orders; at the trade's
 * price, it takes all orders in turn. Returns the filled steps of users' orders.
 */
export function passTrade(exchange: ExchangeState, trade: RecordedLevel, atMs: number): number {
  const { own, side, price, steps } = trade
  const passing: Passing = { exchange, trade, atMs, taker: null, left: steps, filled: 0 }
  let level = oppositeLadder(own, side).best
  for (; level && passing.left > 0 && isAtLimit(side, price, level.price); level = worseThan(level))
    passLevel(passing, level)
  const { taker, filled } = passing
  if (taker && isOpen(taker)) cancel(exchange, taker, atMs)
  if (filled > 0) {
    exchange.filled.push(own)
    settleFills(exchange, atMs)
  }
  return filled
}

function passLevel(passing: Passing, level: EngineLevel): void {
  const { exchange, trade, atMs } = passing
  let next: EngineOrder | null = null
  for (let order = level.head; order && passing.left > 0; order = next) {
    next = order.next
    if (order.marketAccount !== trade.own) {
      passing.taker ??= openOrder(exchange, trade, 'IOC', atMs)
      const met = matchOrders(exchange, passing.taker, order, passing.left, atMs)
      passing.left -= met
      passing.filled += met
    } else if (level.price === trade.price) {
      const taken = Math.min(passing.left, leftQuantity(order))
      passing.left -= taken
      reduceRecordedOrder(exchange, order, taken, atMs)
    }
  }
}

/** Publishes a recorded trade that filled no user's order. */
export function printTrade(exchange: ExchangeState, trade: RecordedLevel, atMs: number): void {
  const { own, side, price, steps: quantity } = trade
  const { market } = own
  const id = nextEngineId(exchange)
  const taker = newRecordedOrder(id, trade, 'IOC', atMs)
  const maker = newRecordedOrder(id, { ...trade, side: side === BUY ? SELL : BUY }, 'LIMIT', atMs)
  const free = { takerFee: 0, makerFee: 0, takerPnl: 0, makerPnl: 0, isHidden: false }
  market.last = price
  const notional = notionalAt(market.spec, price, quantity)
  // The tape's account is on both sides of the trade.
  countDay(own, 2 * notional, 0, 0, atMs)
  publishMatch(exchange, { id, market, atMs, taker, maker, price, quantity, ...free })
}

function bookLevel({ own, side, price }: RecordedLevel): EngineLevel | null {
  const { bids, asks } = own.market.book
  return valueAt((side === BUY ? bids : asks).levels, price)
}

function ownIn(level: EngineLevel, own: MarketAccount): EngineOrder[] {
  const orders: EngineOrder[] = []
  for (let order = level.head; order; order = order.next)
    if (order.marketAccount === own) orders.push(order)
  return orders
}

/** The steps of recorded orders at a level. */
function ownSteps(level: EngineLevel, own: MarketAccount): number {
  let sum = 0
  for (let order = level.head; order; order = order.next)
    if (order.marketAccount === own) sum += leftQuantity(order)
  return sum
}

/** Reduces a recorded order by some steps. */
function reduceRecordedOrder(
  exchange: ExchangeState,
  order: EngineOrder,
  steps: number,
  atMs: number,
): void {
  if (steps === leftQuantity(order)) endOrder(exchange, order, 'CANCELLED', atMs)
  else resize(order, -steps)
}

function resize(order: EngineOrder, change: number): void {
  order.quantity += change
  order.visible = order.quantity
  if (order.level) order.level.shown += change
  changePending(order, change)
}

function restOrder(order: EngineOrder): void {
  const { bids, asks } = order.marketAccount.market.book
  addToBook(order.side === BUY ? bids : asks, order)
  addOpenOrder(order)
}

function openOrder(
  exchange: ExchangeState,
  recorded: RecordedLevel,
  type: EngineOrderType,
  atMs: number,
): EngineOrder {
  const order = newRecordedOrder(nextEngineId(exchange), recorded, type, atMs)
  beginOrder(exchange, order)
  changePending(order, recorded.steps)
  return order
}

function newRecordedOrder(
  id: number,
  { own, side, price, steps: quantity }: RecordedLevel,
  type: EngineOrderType,
  atMs: number,
): EngineOrder {
  return newOrder(id, own, { ...PLAIN_ORDER, side, type, quantity }, price, atMs)
}
