import { dateOf } from '../calendar.ts'
import { remember } from '../exchange/journal.ts'
import { FEES, HISTORY_MAX } from '../exchange/limits.ts'
import {
  type Account,
  type Exchange,
  leftOf,
  nextId,
  type Order,
  type OrderStatus,
  opposite,
  type Position,
  type Trade,
} from '../exchange/state.ts'
import { leverageOf } from '../margin/rates.ts'
import { chargeFunding } from '../positions/funding.ts'
import { closedPosition, positionOf, tradePosition } from '../positions/positions.ts'
import { feeOf, worthOf } from '../units.ts'
import { consume, reducible, unrest } from './book.ts'
import type { Fill, Plan } from './plan.ts'

/** Carries a plan out: own orders in the way are cancelled, then every fill is booked on both sides. */
export function execute(exchange: Exchange, taker: Order, plan: Plan, atMs: number): void {
  for (const order of plan.own) finish(exchange, order, 'CANCELLED', atMs)
  for (const fill of plan.fills) executeFill(exchange, taker, fill, atMs)
  for (const order of [taker, ...plan.fills.map((fill) => fill.order)])
    if (order) cancelIdle(exchange, order, atMs)
}

/** Fills a resting order with seeded liquidity that came to its price, as maker. */
export function executeResting(
  exchange: Exchange,
  order: Order,
  quantity: bigint,
  atMs: number,
): void {
  const { symbol, price } = order
  if (price === null) return
  const matchId = nextId(exchange)
  book(exchange, order, { price, quantity, isMaker: true, matchId, atMs })
  exchange.feed.record(symbol, { atMs, side: opposite(order.side), price, quantity })
  cancelIdle(exchange, order, atMs)
}

/** Ends an order: it leaves the book and the open orders, and joins the finished ones. */
export function finish(
  exchange: Exchange,
  order: Order,
  status: Extract<OrderStatus, 'FILLED' | 'CANCELLED'>,
  atMs: number,
): void {
  const account = exchange.accounts.get(order.accountId)
  unrest(exchange, order)
  order.status = status
  order.updatedAtMs = atMs
  if (account?.open.delete(order.id)) remember(exchange.journal, 'order', account.finished, order)
}

function executeFill(exchange: Exchange, taker: Order, fill: Fill, atMs: number): void {
  const { price, quantity, order, isHidden } = fill
  const execution = { price, quantity, matchId: nextId(exchange), atMs }
  if (order) book(exchange, order, { ...execution, isMaker: !isHidden })
  else consume(exchange, taker.symbol, opposite(taker.side), { price, quantity }, atMs)
  // A POST_ONLY order gets here only when all it meets is hidden; then it is the maker.
  book(exchange, taker, { ...execution, isMaker: taker.type === 'POST_ONLY' })
  exchange.feed.record(taker.symbol, { atMs, side: taker.side, price, quantity })
}

type Execution = Pick<Trade, 'price' | 'quantity' | 'isMaker' | 'matchId' | 'atMs'>

/** One side of an execution: position, order, trade and volume of its account. */
function book(exchange: Exchange, order: Order, execution: Execution): void {
  const account = exchange.accounts.get(order.accountId)
  if (!account) return
  const { price, quantity, isMaker, atMs } = execution
  const notional = worthOf(price, quantity)
  const fee = feeOf(notional, isMaker ? FEES.makerBps : FEES.takerBps)
  const realizedPnl = bookPosition(exchange, account, order, execution, fee)

  order.executed += quantity
  order.executedValue += price * quantity
  order.fee += fee
  order.realizedPnl += realizedPnl
  order.updatedAtMs = atMs
  order.status = 'PARTIAL_FILLED'
  exchange.journal.put('order', order.id, order)

  const { accountId, symbol, side, id: orderId } = order
  const trade = {
    ...execution,
    id: nextId(exchange),
    orderId,
    accountId,
    symbol,
    side,
    fee,
    realizedPnl,
  }
  remember(exchange.journal, 'trade', account.trades, trade)
  bookVolume(exchange, account, notional, fee, atMs)
  if (leftOf(order) === 0n) finish(exchange, order, 'FILLED', atMs)
}

function bookPosition(
  exchange: Exchange,
  account: Account,
  order: Order,
  { price, quantity, atMs }: Execution,
  fee: bigint,
): bigint {
  const position = positionOf(account, order.symbol)
  chargeFunding(exchange, account, position, atMs)
  const before = { ...position }
  const signed = order.side === 'BUY' ? quantity : -quantity
  const lifeId = nextId(exchange)
  const { realizedPnl, ended } = tradePosition(position, {
    quantity: signed,
    price,
    fee,
    atMs,
    lifeId,
  })
  position.seq = lifeId
  exchange.journal.put('position', `${position.accountId}:${position.symbol}`, position)
  if (ended) bookEnd(exchange, account, before, ended, atMs)
  return realizedPnl
}

function bookEnd(
  { feed, journal }: Exchange,
  account: Account,
  before: Position,
  ended: NonNullable<Position['life']>,
  atMs: number,
): void {
  const instrument = feed.instruments.get(before.symbol)
  const leverage = instrument ? leverageOf(account, instrument) : account.profile.leverage
  remember(journal, 'closed', account.closed, closedPosition(before, ended, leverage, atMs))
}

function bookVolume(
  { journal }: Exchange,
  { profile, days }: Account,
  notional: bigint,
  fee: bigint,
  atMs: number,
): void {
  const { accountId } = profile
  const date = dateOf(atMs)
  const day = days.get(date) ?? { accountId, date, volume: 0n, fees: 0n }
  day.volume += notional
  day.fees += fee
  days.set(date, day)
  journal.put('day', `${accountId}:${date}`, day)
  const [oldest] = days.keys()
  if (days.size > HISTORY_MAX.day && oldest !== undefined) {
    days.delete(oldest)
    journal.remove('day', `${accountId}:${oldest}`)
  }
  profile.volume += notional
  journal.put('account', accountId, profile)
}

/** Cancels the account's reduce-only orders in a market where they have nothing left to reduce. */
function cancelIdle(exchange: Exchange, { accountId, symbol }: Order, atMs: number): void {
  const account = exchange.accounts.get(accountId)
  for (const order of account ? [...account.open.values()] : [])
    if (order.symbol === symbol && order.reduceOnly && reducible(exchange, order) === 0n)
      finish(exchange, order, 'CANCELLED', atMs)
}
