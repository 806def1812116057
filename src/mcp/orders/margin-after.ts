import { larger, smaller } from '../../core/decimals.ts'
import { isObject } from '../../core/json.ts'
import { times, toAmount, toMicros } from '../../perp/amounts.ts'
import { figure } from '../rows.ts'
import type { OpenOrder, OrderAccount } from './account.ts'
import type { Fill } from './book.ts'
import { isolatedRate, notionalMax, RATE_ONE, shareOf } from './margin-rates.ts'
import { initialOf, shownOf } from './margin-shown.ts'
import {
  figuresOf,
  filled,
  type MarketFigures,
  type MarketState,
  NO_ORDERS,
  type Terms,
  withPending,
} from './margin-state.ts'
import type { PreparedOrder } from './prepare.ts'

/** The margin of an account after an order. */
export type MarginAfter = ReturnType<typeof marginAfter>

/** The account after an order whose fill is known, at the mark of now and in the order's margin mode. */
export function marginAfter(prepared: PreparedOrder, fill: Fill, account: OrderAccount) {
  const { check, market } = prepared
  const mark = market.mark ?? check.corrected.reference
  const set = termsOf(prepared, account, mark)
  const terms = { ...set, leverage: account.leverage }
  const before = stateOf(account)
  const after = stateAfter(withoutMet(account, prepared, fill), prepared, fill, { account, terms })
  const was = figuresOf(before, set)
  const now = figuresOf(after.state, terms)
  const known = exact(account.summary.total_collateral_value)
  const base = { collateral: known, free: spareOf(account, known) }
  const isCross = terms.mode === 'CROSS'
  const collateral =
    base.collateral + after.released + (isCross ? now.pnl - was.pnl : was.frozen - now.frozen)
  const initial = base.collateral - base.free + (isCross ? now.initial - was.initial : 0n)
  const { free } = base
  const margin = { account, terms, before, after: after.state, was, now, free, collateral, initial }
  return {
    fee: after.fee,
    /** Collateral that stays free while the order is checked, micro-USDC; below zero it is refused. */
    room: roomOf(prepared, fill, { account, terms, before, was, base }),
    free,
    isOverNotional: isOverNotional(terms, was, now),
    shown: shownOf(market.symbol, margin),
  }
}

function termsOf({ market }: PreparedOrder, account: OrderAccount, mark: bigint): Terms {
  const factors = account.info['imr_factor']
  return {
    mode: account.mode,
    mark,
    leverage: account.leverageSet,
    baseImr: figure(market.info, 'base_imr'),
    baseMmr: figure(market.info, 'base_mmr'),
    factor: isObject(factors) ? figure(factors, market.symbol) : 0,
  }
}

function stateOf({ row, orders }: OrderAccount): MarketState {
  const empty: MarketState = {
    quantity: toAmount(row?.['position_qty']) ?? 0n,
    cost: toMicros(toAmount(row?.['cost_position']) ?? 0n),
    margin: toMicros(toAmount(row?.['margin']) ?? 0n),
    buys: NO_ORDERS,
    sells: NO_ORDERS,
  }
  return orders.reduce(pending, empty)
}

/** The state once the account's own orders that the new one meets are cancelled. */
function withoutMet(account: OrderAccount, { args, check }: PreparedOrder, fill: Fill) {
  const { side, price, quantity } = check.corrected
  const isOpen = fill.quantity < quantity
  const reach = isOpen && args.order_type !== 'FOK' ? (price ?? fill.worst) : fill.worst
  const isMet = (own: OpenOrder) => {
    if (own.side === side || reach === null) return false
    const within = side === 'BUY' ? reach - own.price : own.price - reach
    return isOpen ? within >= 0n : within > 0n
  }
  return stateOf({ ...account, orders: account.orders.filter((own) => !isMet(own)) })
}

function pending(state: MarketState, { side, left, price, reduceOnly }: OpenOrder): MarketState {
  return reduceOnly ? state : withPending(state, side, { quantity: left, price })
}

/** Types of which nothing rests. */
export const LEAVES_NOTHING: ReadonlySet<string> = new Set(['MARKET', 'IOC', 'FOK'])

/** An account and the terms of its market. */
type Known = { readonly account: OrderAccount; readonly terms: Terms }

function stateAfter(
  before: MarketState,
  { args, check }: PreparedOrder,
  fill: Fill,
  { account, terms }: Known,
) {
  const { side, quantity, price, reference, reduceOnly } = check.corrected
  const feeRate = feeRateOf(account)
  let [state, released, fee] = [before, 0n, 0n]
  for (const part of fill.parts) {
    const step = filled(state, part, { side, feeRate, terms })
    state = step.state
    released += step.released
    fee += step.fee
  }
  const left = quantity - fill.quantity
  const rests = !LEAVES_NOTHING.has(args.order_type) && !reduceOnly && left > 0n
  if (rests) state = withPending(state, side, { quantity: left, price: price ?? reference })
  return { state, released, fee }
}

/** The rate of basis points as an integer of eight decimals. */
function feeRateOf({ info }: OrderAccount): number {
  return Math.round(figure(info, 'futures_taker_fee_rate') * (RATE_ONE / 10_000))
}

type Checked = Known & {
  readonly before: MarketState
  readonly was: MarketFigures
  readonly base: { readonly collateral: bigint; readonly free: bigint }
}

/** The venue's check before it takes an order: the whole order pending, and the cost of its immediate fills. */
function roomOf(
  { check }: PreparedOrder,
  { offered }: Fill,
  { account, before, was, base, terms }: Checked,
): bigint {
  const { side, quantity, price, reference } = check.corrected
  const order = { quantity, price: price ?? reference }
  const now = figuresOf(withPending(before, side, order), terms)
  const sign = side === 'BUY' ? 1n : -1n
  const feeRate = feeRateOf(account)
  const costs = offered.map((part) => {
    const loss = toMicros(times(part.quantity, sign * (part.price - terms.mark)))
    return larger(0n, loss) + shareOf(toMicros(times(part.quantity, part.price)), feeRate)
  })
  const cost = costs.reduce((sum, each) => sum + each, 0n)
  const free =
    base.free -
    cost -
    (terms.mode === 'CROSS' ? now.initial - was.initial : now.frozen - was.frozen)
  if (terms.mode === 'CROSS' || cost === 0n) return free
  const added = larger(0n, now.notionalWithOrders - was.notional)
  const margin = before.margin + was.pnl + shareOf(added, isolatedRate(terms)) - cost
  const needed = was.maintenance + shareOf(added, Math.round(terms.baseMmr * RATE_ONE))
  return margin < needed ? margin - needed : free
}

function isOverNotional(terms: Terms, was: MarketFigures, now: MarketFigures): boolean {
  const max = notionalMax(terms)
  return max !== null && now.notionalWithOrders > larger(was.notional, max)
}

/** Collateral beyond the initial margin of all positions and orders; below zero where the venue shows none as free. */
function spareOf({ summary, rows }: OrderAccount, collateral: bigint): bigint {
  const free = exact(summary.free_collateral)
  return free > 0n ? free : smaller(0n, collateral - initialOf(rows))
}

function exact(usdc: number | null): bigint {
  return toMicros(toAmount(usdc ?? 0) ?? 0n)
}
