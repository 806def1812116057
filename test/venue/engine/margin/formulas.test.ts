import { expect, test } from 'bun:test'
import {
  applyLeverage,
  BASE_FEES,
  deposit,
  exposureOf,
  openAccount,
} from '../../../../src/venue/engine/accounts.ts'
import { chanceOf, next } from '../../../../src/venue/engine/chance.ts'
import { createExchange } from '../../../../src/venue/engine/exchange.ts'
import { liquidationPrice } from '../../../../src/venue/engine/margin/liquidation.ts'
import { isolatedEquity, marginOf, refresh } from '../../../../src/venue/engine/margin/margin.ts'
import { openMarket, specOf } from '../../../../src/venue/engine/markets.ts'
import { cancel } from '../../../../src/venue/engine/orders/chain.ts'
import { placeOrder } from '../../../../src/venue/engine/orders/place.ts'
import { PLAIN_ORDER } from '../../../../src/venue/engine/orders/request.ts'
import { fillPosition } from '../../../../src/venue/engine/positions/fill.ts'
import { Rejection } from '../../../../src/venue/engine/rejections.ts'
import { type Account, BUY, type Exposure, SELL } from '../../../../src/venue/engine/state.ts'
import { AMOUNT_MAX } from '../../../../src/venue/engine/units.ts'
import { MARKETS } from '../../../../src/venue/market/instruments.ts'

const ACCOUNTS = 1000
const chance = chanceOf(5, 'formulas')

/** Three markets without a book, and accounts with positions and orders drawn at random. */
function openRig() {
  const listed = [...MARKETS.values()].filter(({ base }) => ['BTC', 'XRP', 'SUI'].includes(base))
  // All of them together hold more than a market may: that bound is not what is looked at here.
  const markets = listed.map((each, at) =>
    openMarket(at, { ...specOf(each), openInterestMax: AMOUNT_MAX }, each.referenceTicks),
  )
  const exchange = createExchange(markets)
  const other = openAccount(exchange, { key: 'other', fees: BASE_FEES, leverage: 1 })
  const accounts = Array.from({ length: ACCOUNTS }, (_, at) => {
    const account = openAccount(exchange, { key: `${at}`, fees: BASE_FEES, leverage: 10 })
    const usdc = 10 ** (2 + 4 * next(chance))
    deposit(exchange, account, Math.round(usdc * 1e6))
    for (const market of markets) {
      const exposure = exposureOf(account, market)
      exposure.isolated = next(chance) < 0.25
      applyLeverage(exposure, 1 + Math.floor(next(chance) * 30))
      const worth = (next(chance) - 0.5) * 4 * usdc * Math.min(exposure.leverage, 10) * 0.1
      const quantity = Math.round((worth * 1e6) / (market.mark * market.spec.unit))
      if (quantity === 0) continue
      const price = Math.round(market.mark * (1 + (next(chance) - 0.5) * 0.04))
      const fill = { price, fee: Math.round(next(chance) * 1000), atMs: 0 }
      fillPosition(exchange, exposure, { ...fill, quantity })
      fillPosition(exchange, exposureOf(other, market), { ...fill, quantity: -quantity })
    }
    return account
  })
  return { exchange, markets, accounts }
}

/** A position and its market in USDC and plain fractions. */
function plain({ market, quantity, cost, margin, leverage, buys, sells }: Exposure) {
  const { spec, mark } = market
  const price = (mark * spec.tick) / 1e8
  const scale = spec.step / 1e8
  return {
    price,
    q: quantity * scale,
    cost: cost / 1e6,
    margin: margin / 1e6,
    leverage,
    ordered: Math.max(Math.abs(quantity + buys), Math.abs(quantity - sells)) * scale,
    imr: spec.baseImr / 1e8,
    mmr: spec.baseMmr / 1e8,
    f: spec.imrFactor,
  }
}

type Plain = ReturnType<typeof plain>

const initialOf = ({ leverage, imr, f }: Plain, n: number) =>
  n * Math.max(1 / leverage, imr, f * n ** 0.8)
const maintenanceOf = ({ mmr, imr, f }: Plain, n: number) =>
  n * Math.max(mmr, (mmr / imr) * f * n ** 0.8)

function crossOf(account: Account) {
  const rows = account.used.filter(({ isolated }) => !isolated).map(plain)
  const frozen = account.used.reduce((sum, exposure) => sum + exposure.frozen / 1e6, 0)
  const pnl = rows.reduce((sum, { q, price, cost }) => sum + q * price - cost, 0)
  return {
    collateral: account.holding / 1e6 + pnl - frozen,
    initial: rows.reduce((sum, row) => sum + initialOf(row, row.ordered * row.price), 0),
    maintenance: rows.reduce(
      (sum, row) => sum + maintenanceOf(row, Math.abs(row.q) * row.price),
      0,
    ),
  }
}

function near(value: number, expected: number, scale: number): void {
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(scale)))
}

test('margins of 1,000 random accounts are what the formulas say', () => {
  for (const account of openRig().accounts) {
    const { collateral, initialWithOrders, maintenance, notional } = marginOf(account)
    const expected = crossOf(account)
    near(collateral / 1e6, expected.collateral, notional / 1e6)
    near(initialWithOrders / 1e6, expected.initial, notional / 1e6)
    near(maintenance / 1e6, expected.maintenance, notional / 1e6)
    for (const exposure of account.used.filter(({ isolated }) => isolated)) {
      refresh(exposure)
      const row = plain(exposure)
      near(
        isolatedEquity(exposure) / 1e6,
        row.margin + row.q * row.price - row.cost,
        row.q * row.price,
      )
    }
  }
})

test('at its liquidation price an account has its maintenance margin, cross or isolated', () => {
  let crossed = 0
  let isolated = 0
  for (const account of openRig().accounts)
    for (const exposure of account.used) {
      const ticks = liquidationPrice(exposure)
      const row = plain(exposure)
      const price = (ticks * exposure.market.spec.tick) / 1e8
      if (row.q === 0 || ticks === 0 || ticks >= exposure.market.mark * 1.9) continue
      if (exposure.isolated) {
        const rate = maintenanceOf(row, Math.abs(row.q) * row.price) / (Math.abs(row.q) * row.price)
        const expected = (row.margin - row.cost) / (Math.abs(row.q) * rate - row.q)
        near(price / expected, 1, 1)
        isolated += 1
        continue
      }
      const { collateral, maintenance } = crossOf(account)
      if (collateral <= maintenance) continue
      const others = maintenance - maintenanceOf(row, Math.abs(row.q) * row.price)
      const equity = collateral + row.q * (price - row.price)
      const needed = maintenanceOf(row, Math.abs(row.q) * price) + others
      expect(Math.abs(equity - needed)).toBeLessThan(2e-4 * Math.abs(row.q) * price)
      crossed += 1
    }
  expect(Math.min(crossed, isolated)).toBeGreaterThan(50)
})

test('the largest order that an account may place is the one that the formulas allow, cross or isolated', () => {
  const { exchange, accounts, markets } = openRig()
  const compared = { cross: 0, isolated: 0 }
  for (const account of accounts) {
    const market = markets[account.number % 3]
    const exposure = market && account.exposures.get(market.number)
    if (!market || !exposure) continue
    const side = exposure.quantity >= 0 ? BUY : SELL
    const price = Math.round(market.mark * (side === BUY ? 0.99 : 1.01))
    const allowed = exposure.isolated ? allowedIsolated(exposure, price) : allowedCross(exposure)
    const expected = largest(market.spec.quantityMax, allowed)
    const got = largest(market.spec.quantityMax, (quantity) => {
      const request = { ...PLAIN_ORDER, account, market, side, price, quantity } as const
      const placed = placeOrder(exchange, request, 0)
      if (!(placed instanceof Rejection)) cancel(exchange, placed, 0)
      return !(placed instanceof Rejection) || placed.refusal === 'notional'
    })
    if (expected * price * market.spec.unit < 20e6) continue
    expect(Math.abs(got - expected)).toBeLessThanOrEqual(1 + 1e-6 * expected)
    compared[exposure.isolated ? 'isolated' : 'cross'] += 1
  }
  expect(compared.cross).toBeGreaterThan(100)
  expect(compared.isolated).toBeGreaterThan(50)
})

/** Whether the notional that a position would have after an order is one that its leverage allows. */
function isWithin(exposure: Exposure, quantity: number): boolean {
  const { price, leverage, f } = plain(exposure)
  const scale = exposure.market.spec.step / 1e8
  const n = (Math.abs(exposure.quantity) + quantity) * scale * price
  return n <= Math.floor((1 / (leverage * f)) ** 1.25)
}

/** An order on the side of its position adds to the initial margin. */
function allowedCross(exposure: Exposure): (quantity: number) => boolean {
  const { collateral, initial } = crossOf(exposure.account)
  const row = plain(exposure)
  const before = initialOf(row, Math.abs(row.q) * row.price)
  return (quantity) => {
    const scale = exposure.market.spec.step / 1e8
    const n = (Math.abs(exposure.quantity) + quantity) * scale * row.price
    return isWithin(exposure, quantity) && collateral >= initial - before + initialOf(row, n)
  }
}

/** An isolated one holds back its margin at its own price, and six basis points for its fee. */
function allowedIsolated(exposure: Exposure, ticks: number): (quantity: number) => boolean {
  const { collateral, initial } = crossOf(exposure.account)
  const { leverage } = plain(exposure)
  const { step, tick } = exposure.market.spec
  return (quantity) => {
    const held = quantity * (step / 1e8) * ((ticks * tick) / 1e8) * (1 / leverage + 0.0006)
    return isWithin(exposure, quantity) && collateral - held >= initial
  }
}

/** The largest quantity for which something holds that holds for all smaller ones. */
function largest(max: number, holds: (quantity: number) => boolean): number {
  let [low, high] = [0, max]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (holds(middle)) low = middle
    else high = middle - 1
  }
  return low
}
