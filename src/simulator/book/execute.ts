import { DAY_MS } from '../../contract/durations.ts'
import { openDayRow } from '../base/bounded-list.ts'
import { amountAtRate } from '../base/units.ts'
import { accrueRebates } from '../ledger/rebates.ts'
import { fillPosition } from '../margin/positions.ts'
import { checkAccountSolvency } from '../margin/solvency.ts'
import { type ExchangeState, nextEngineId } from '../state/exchange.ts'
import { notionalAt } from '../state/markets.ts'
import type { Match } from '../state/observer.ts'
import {
  type AccountDay,
  type EngineLevel,
  type EngineOrder,
  leftQuantity,
  type MarketAccount,
} from '../state/state.ts'
import { isAtLimit, visibleQuantity, worseThan } from './ladder.ts'
import { cancel, cancelIdle, changePending, endOrder } from './open-orders.ts'
import { executionFeeRate, hiddenQuantity, oppositeLadder, reducibleQuantity } from './walk.ts'

/**
 * Executes up to `quantity` of an order at `limit` or better. If the order meets orders of the same account, these
 * orders are cancelled.
 */
export function execute(
  exchange: ExchangeState,
  taker: EngineOrder,
  quantity: number,
  limit: number,
  atMs: number,
): void {
  let left = quantity
  let level = oppositeLadder(taker.marketAccount, taker.side).best
  while (level && left > 0 && isAtLimit(taker.side, limit, level.price)) {
    left = executeLevel(exchange, taker, level, left, atMs)
    level = worseThan(level)
  }
  if (exchange.filled.length === 0) return
  exchange.filled.push(taker.marketAccount)
  settleFills(exchange, atMs)
}

/** For each account with fills: cancels reduce-only orders that have nothing left to reduce, and checks the margin. */
export function settleFills(exchange: ExchangeState, atMs: number): void {
  const { filled } = exchange
  for (const marketAccount of filled) {
    cancelIdle(exchange, marketAccount, atMs)
    if (marketAccount.account.algos.size > 0) exchange.changed.add(marketAccount)
    checkAccountSolvency(exchange, marketAccount.account)
  }
  filled.length = 0
}

function executeLevel(
  exchange: ExchangeState,
  taker: EngineOrder,
  level: EngineLevel,
  quantity: number,
  atMs: number,
): number {
  let left = quantity
  let next: EngineOrder | null = null
  const { account } = taker.marketAccount
  for (let maker = level.head; maker && left > 0; maker = next) {
    next = maker.next
    if (maker.marketAccount.account === account) cancel(exchange, maker, atMs)
    else left -= matchOrders(exchange, taker, maker, left, atMs)
  }
  return left
}

/**
 * Fills two orders against each other, hidden quantity first. Returns the filled quantity. After the last match, the
 * caller must call `settleFills`.
 */
export function matchOrders(
  exchange: ExchangeState,
  taker: EngineOrder,
  maker: EngineOrder,
  left: number,
  atMs: number,
): number {
  let quantity = Math.min(left, leftQuantity(maker))
  if (maker.reduceOnly)
    quantity = Math.min(quantity, reducibleQuantity(maker.marketAccount, maker.side))
  if (quantity === 0) return 0
  const hidden = hiddenQuantity(maker, quantity)
  if (hidden > 0) match(exchange, taker, maker, hidden, true, atMs)
  if (quantity > hidden) match(exchange, taker, maker, quantity - hidden, false, atMs)
  exchange.filled.push(maker.marketAccount)
  return quantity
}

function match(
  exchange: ExchangeState,
  taker: EngineOrder,
  maker: EngineOrder,
  quantity: number,
  isHidden: boolean,
  atMs: number,
): void {
  const { market } = maker.marketAccount
  const { price } = maker
  const notional = notionalAt(market.spec, price, quantity)
  // A POST_ONLY order matches only hidden quantity, and is then charged as the maker.
  const takerFee = amountAtRate(notional, executionFeeRate(taker, taker.type === 'POST_ONLY'))
  const makerFee = amountAtRate(notional, executionFeeRate(maker, !isHidden))
  const id = nextEngineId(exchange)
  market.last = price
  exchange.totals.fees += takerFee + makerFee
  const makerPnl = book(exchange, maker, { quantity, price, fee: makerFee, notional, atMs })
  const takerPnl = book(exchange, taker, { quantity, price, fee: takerFee, notional, atMs })
  if (exchange.observers.length === 0) return
  // The members are listed, since spreading an object would copy it for each match.
  publishMatch(exchange, {
    id,
    market,
    atMs,
    price,
    quantity,
    isHidden,
    taker,
    maker,
    takerFee,
    makerFee,
    takerPnl,
    makerPnl,
  })
}

export function publishMatch({ observers }: ExchangeState, match: Match): void {
  for (const { matched } of observers) matched?.(match)
}

type Execution = {
  readonly quantity: number
  readonly price: number
  readonly fee: number
  readonly notional: number
  readonly atMs: number
}

/** Applies one side of an execution to its order, position and account. Returns the realised profit and loss. */
function book(exchange: ExchangeState, order: EngineOrder, execution: Execution): number {
  const { marketAccount, side, level } = order
  const { quantity, price, fee, notional, atMs } = execution
  const shown = level ? visibleQuantity(order) : 0
  changePending(order, -quantity)
  order.executed += quantity
  if (level) level.shown += visibleQuantity(order) - shown
  const fill = { quantity: side * quantity, price, fee, atMs }
  const realizedPnl = fillPosition(exchange, marketAccount, fill)
  order.executedValue += price * quantity
  order.fee += fee
  order.realizedPnl += realizedPnl
  order.updatedAtMs = atMs
  order.status = 'PARTIAL_FILLED'
  countDay(marketAccount, notional, fee, realizedPnl, atMs)
  accrueRebates(exchange, marketAccount.account, { fee, notional, atMs })
  if (leftQuantity(order) === 0) endOrder(exchange, order, 'FILLED', atMs)
  return realizedPnl
}

/** Adds one side of an execution to the account's figures of the day. */
export function countDay(
  { account }: MarketAccount,
  notional: number,
  fee: number,
  realizedPnl: number,
  atMs: number,
): void {
  account.volume += notional
  account.feesPaid += fee
  const today = openDayRow(account.days, Math.floor(atMs / DAY_MS), newDay)
  today.volume += notional
  today.fees += fee
  today.realizedPnl += realizedPnl
}

function newDay(day: number): AccountDay {
  return { day, volume: 0, fees: 0, realizedPnl: 0 }
}
