import { EXCHANGE_LIMITS } from '../exchange/limits.ts'
import { type Exchange, leftOf, type Order, type Side } from '../exchange/state.ts'
import type { Tick } from '../market/feed.ts'
import { ONE, smaller } from '../units.ts'
import { consume, reaches, reducible, restingOf, seededLevels } from './book.ts'
import { executeResting, finish } from './executions.ts'

const SIDES = ['BUY', 'SELL'] as const satisfies readonly Side[]

/**
 * Lets the seeded market move up to `nowMs` and meet the resting orders: in every bucket an order that the seeded best
 * price reaches fills at its own price, as far as the seeded quantity goes; a seeded trade through its price fills it
 * too; and one that the mark has left outside price_range is cancelled. After a long sleep only a bounded number of
 * buckets is looked at, evenly spread, and no trades.
 */
export function advanceMarket(exchange: Exchange, nowMs: number): void {
  const { counters, books } = exchange
  const fromMs = counters.advancedAtMs
  if (nowMs <= fromMs) return
  const symbols = [...books].filter(([, book]) => book.BUY.length + book.SELL.length > 0)
  const stepsMax = Math.max(
    EXCHANGE_LIMITS.catchUpStepsPerSymbolMin,
    Math.floor(EXCHANGE_LIMITS.catchUpSteps / Math.max(1, symbols.length)),
  )
  for (const [symbol] of symbols) advanceSymbol(exchange, symbol, fromMs, nowMs, stepsMax)
  counters.advancedAtMs = nowMs
}

function advanceSymbol(
  exchange: Exchange,
  symbol: string,
  fromMs: number,
  nowMs: number,
  stepsMax: number,
): void {
  const { times, isComplete } = stepsBetween(exchange.feed.bucketMs, fromMs, nowMs, stepsMax)
  const ticks = isComplete ? [...exchange.feed.trades(symbol, fromMs, nowMs)] : []
  for (const atMs of times) {
    meetTicks(exchange, symbol, ticks, atMs)
    for (const side of SIDES) meetBook(exchange, symbol, side, atMs)
    for (const side of SIDES) cancelOutOfRange(exchange, symbol, side, atMs)
    if (isEmpty(exchange, symbol)) return
  }
  meetTicks(exchange, symbol, ticks, nowMs)
}

/** The bucket starts after `fromMs` up to `nowMs`, the last one always among them, thinned out to `stepsMax`. */
function stepsBetween(bucketMs: number, fromMs: number, nowMs: number, stepsMax: number) {
  const last = Math.floor(nowMs / bucketMs)
  const count = last - Math.floor(fromMs / bucketMs)
  const stride = Math.max(1, Math.ceil(count / stepsMax))
  const length = Math.ceil(count / stride)
  const times = Array.from({ length }, (_, at) => (last - (length - 1 - at) * stride) * bucketMs)
  return { times, isComplete: stride === 1 }
}

/** Takes the trades before a time off the list: each hits the orders priced better than it, up to its quantity. */
function meetTicks(exchange: Exchange, symbol: string, ticks: Tick[], toMs: number): void {
  const later = ticks.findIndex(({ atMs }) => atMs >= toMs)
  for (const tick of ticks.splice(0, later === -1 ? ticks.length : later))
    meetTick(exchange, symbol, tick)
}

function meetTick(exchange: Exchange, symbol: string, tick: Tick): void {
  const side = tick.side === 'SELL' ? 'BUY' : 'SELL'
  let left = tick.quantity
  for (const order of [...restingOf(exchange, symbol)[side]]) {
    if (left === 0n || order.price === tick.price || !isAt(order, tick.price)) return
    if (order.restedAtMs >= tick.atMs) continue
    const quantity = smaller(left, fillable(exchange, order))
    if (quantity > 0n) executeResting(exchange, order, quantity, tick.atMs)
    left -= quantity
  }
}

/** Orders at or through the seeded best price of the other side take its levels, best orders and best levels first. */
function meetBook(exchange: Exchange, symbol: string, side: Side, atMs: number): void {
  const other = side === 'BUY' ? 'SELL' : 'BUY'
  const orders = [...restingOf(exchange, symbol)[side]]
  if (orders.length === 0) return
  for (const level of seededLevels(exchange, symbol, other, atMs)) {
    if (!orders[0] || !isAt(orders[0], level.price)) return
    const taken = meetLevel(exchange, orders, level, atMs)
    if (taken > 0n) consume(exchange, symbol, other, { price: level.price, quantity: taken }, atMs)
  }
}

/** Fills orders, best first, from one level; those that are done leave the list. */
function meetLevel(
  exchange: Exchange,
  orders: Order[],
  level: { readonly price: bigint; readonly quantity: bigint },
  atMs: number,
): bigint {
  let left = level.quantity
  for (let [order] = orders; order && isAt(order, level.price); [order] = orders) {
    const quantity = smaller(left, fillable(exchange, order))
    if (quantity > 0n) executeResting(exchange, order, quantity, atMs)
    left -= quantity
    if (left === 0n) break
    orders.shift()
  }
  return level.quantity - left
}

function cancelOutOfRange(exchange: Exchange, symbol: string, side: Side, atMs: number): void {
  const range = exchange.feed.instruments.get(symbol)?.priceRange ?? ONE
  const orders = restingOf(exchange, symbol)[side]
  if (orders.length === 0) return
  const bound = exchange.feed.mark(symbol, atMs) * (side === 'BUY' ? ONE + range : ONE - range)
  for (const order of [...orders]) {
    const price = (order.price ?? 0n) * ONE
    if (price === bound || !reaches(side, price, bound)) return
    finish(exchange, order, 'CANCELLED', atMs)
  }
}

/** Whether a price of the other side is at or through an order's own. */
function isAt(order: Order, price: bigint): boolean {
  return order.price !== null && reaches(order.side, order.price, price)
}

/** How much of an order can fill now; nothing once it has left the book. */
function fillable(exchange: Exchange, order: Order): bigint {
  if (order.status === 'FILLED' || order.status === 'CANCELLED') return 0n
  const left = leftOf(order)
  return order.reduceOnly ? smaller(left, reducible(exchange, order)) : left
}

function isEmpty(exchange: Exchange, symbol: string): boolean {
  const { BUY, SELL } = restingOf(exchange, symbol)
  return BUY.length + SELL.length === 0
}
