import { type Account, type Exchange, leftOf, type Side } from '../exchange/state.ts'
import type { Instrument } from '../market/feed.ts'
import { fundingCost } from '../positions/funding.ts'
import { absolute, larger, ONE, ratioOf, shareOf, sumOf, worthOf } from '../units.ts'
import { initialRate, leverageOf, maintenanceRate } from './rates.ts'

/** An order as if it rested; `replaces` is the open order whose place it would take. */
export type PendingOrder = {
  readonly symbol: string
  readonly side: Side
  readonly quantity: bigint
  readonly replaces?: number
}

/** One market's share of an account's margin. Amounts are micro-USDC, rates and ratios have eight decimals. */
export type Exposure = {
  readonly instrument: Instrument
  readonly leverage: number
  readonly mark: bigint
  readonly quantity: bigint
  readonly buys: bigint
  readonly sells: bigint
  readonly notional: bigint
  readonly notionalWithOrders: bigint
  readonly imr: bigint
  readonly mmr: bigint
  readonly imrWithOrders: bigint
  readonly mmrWithOrders: bigint
  readonly unsettledPnl: bigint
}

export type Margin = {
  readonly exposures: ReadonlyMap<string, Exposure>
  readonly collateral: bigint
  readonly unsettledPnl: bigint
  readonly freeCollateral: bigint
  readonly initialWithOrders: bigint
  readonly maintenance: bigint
  readonly ratios: {
    readonly margin: bigint
    readonly marginWithOrders: bigint
    readonly initial: bigint
    readonly initialWithOrders: bigint
    readonly maintenance: bigint
    readonly maintenanceWithOrders: bigint
  }
}

/** Ten, the documented margin ratio of an account without a position. */
const RATIO_WITHOUT_POSITION = 10n * ONE

/**
 * An account's margin at the mark prices of a moment, cross over all its markets, with its open orders and perhaps one
 * more. Reduce-only orders cannot grow a position and need no margin.
 */
export function marginOf(
  exchange: Exchange,
  account: Account,
  nowMs: number,
  pending?: PendingOrder,
): Margin {
  const exposures = new Map<string, Exposure>()
  for (const symbol of symbolsOf(account, pending)) {
    const instrument = exchange.feed.instruments.get(symbol)
    if (instrument) exposures.set(symbol, exposureOf(exchange, account, instrument, nowMs, pending))
  }
  const rows = [...exposures.values()]
  const unsettledPnl = sumOf(rows, (row) => row.unsettledPnl)
  const collateral = account.profile.holding + unsettledPnl
  const totals = totalsOf(rows)
  return {
    exposures,
    collateral,
    unsettledPnl,
    freeCollateral: larger(0n, collateral - totals.initialWithOrders),
    initialWithOrders: totals.initialWithOrders,
    maintenance: totals.maintenance,
    ratios: {
      margin: ratioOf(collateral, totals.notional, RATIO_WITHOUT_POSITION),
      marginWithOrders: ratioOf(collateral, totals.notionalWithOrders, RATIO_WITHOUT_POSITION),
      initial: ratioOf(totals.initial, totals.notional),
      initialWithOrders: ratioOf(totals.initialWithOrders, totals.notionalWithOrders),
      maintenance: ratioOf(totals.maintenance, totals.notional),
      maintenanceWithOrders: ratioOf(totals.maintenanceWithOrders, totals.notionalWithOrders),
    },
  }
}

function symbolsOf({ positions, open }: Account, pending?: PendingOrder): Set<string> {
  const symbols = new Set(positions.keys())
  for (const order of open.values()) symbols.add(order.symbol)
  if (pending) symbols.add(pending.symbol)
  return symbols
}

function exposureOf(
  { feed }: Exchange,
  account: Account,
  instrument: Instrument,
  nowMs: number,
  pending?: PendingOrder,
): Exposure {
  const { symbol } = instrument
  const mark = feed.mark(symbol, nowMs)
  const leverage = leverageOf(account, instrument)
  const position = account.positions.get(symbol)
  const quantity = position?.quantity ?? 0n
  const { BUY: buys, SELL: sells } = pendingOf(account, symbol, pending)
  const notional = worthOf(mark, absolute(quantity))
  const quantityWithOrders = larger(absolute(quantity + buys), absolute(quantity - sells))
  const notionalWithOrders = worthOf(mark, quantityWithOrders)
  const accrued = position
    ? fundingCost(quantity, feed.funding(symbol, nowMs).sumUnitary - position.lastSumUnitary)
    : 0n
  return {
    instrument,
    leverage,
    mark,
    quantity,
    buys,
    sells,
    notional,
    notionalWithOrders,
    imr: initialRate(instrument, leverage, notional),
    mmr: maintenanceRate(instrument, notional),
    imrWithOrders: initialRate(instrument, leverage, notionalWithOrders),
    mmrWithOrders: maintenanceRate(instrument, notionalWithOrders),
    unsettledPnl: worthOf(mark, quantity, 'floor') - (position?.cost ?? 0n) - accrued,
  }
}

/** What the account's orders in a market would still buy and sell. */
function pendingOf({ open }: Account, symbol: string, pending?: PendingOrder) {
  const quantities = { BUY: 0n, SELL: 0n }
  for (const order of open.values())
    if (order.symbol === symbol && !order.reduceOnly && order.id !== pending?.replaces)
      quantities[order.side] += leftOf(order)
  if (pending?.symbol === symbol) quantities[pending.side] += pending.quantity
  return quantities
}

function totalsOf(rows: readonly Exposure[]) {
  return {
    notional: sumOf(rows, (row) => row.notional),
    notionalWithOrders: sumOf(rows, (row) => row.notionalWithOrders),
    initial: sumOf(rows, (row) => shareOf(row.notional, row.imr)),
    initialWithOrders: sumOf(rows, (row) => shareOf(row.notionalWithOrders, row.imrWithOrders)),
    maintenance: sumOf(rows, (row) => shareOf(row.notional, row.mmr)),
    maintenanceWithOrders: sumOf(rows, (row) => shareOf(row.notionalWithOrders, row.mmrWithOrders)),
  }
}
