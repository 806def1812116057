import { expect, test } from 'bun:test'
import { createRng, nextRandom } from '../../../src/simulator/base/rng.ts'
import { AMOUNT_MAX } from '../../../src/simulator/base/units.ts'
import { cancel } from '../../../src/simulator/book/open-orders.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { positionLiquidationPrice } from '../../../src/simulator/margin/liquidation-price.ts'
import { accountMargin, isolatedEquity, refresh } from '../../../src/simulator/margin/margin.ts'
import { fillPosition } from '../../../src/simulator/margin/positions.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import {
  applyLeverage,
  BASE_FEES,
  deposit,
  openAccount,
  openMarketAccount,
} from '../../../src/simulator/state/accounts.ts'
import { createExchange } from '../../../src/simulator/state/exchange.ts'
import { marketSpec, openMarket } from '../../../src/simulator/state/markets.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { type Account, BUY, type MarketAccount, SELL } from '../../../src/simulator/state/state.ts'

const ACCOUNTS = 1000
const rng = createRng(5, 'formulas')

/** Three markets without a book, and accounts with positions and orders drawn at random. */
function openFixture() {
  const listed = [...MARKETS.values()].filter(({ base }) => ['BTC', 'XRP', 'SUI'].includes(base))
  // All of them together hold more than a market may: that bound is not what is looked at here.
  const markets = listed.map((each, at) =>
    openMarket(at, { ...marketSpec(each), openInterestMax: AMOUNT_MAX }, each.referenceTicks),
  )
  const exchange = createExchange(markets)
  const other = openAccount(exchange, { key: 'other', fees: BASE_FEES, leverage: 1 })
  const accounts = Array.from({ length: ACCOUNTS }, (_, at) => {
    const account = openAccount(exchange, { key: `${at}`, fees: BASE_FEES, leverage: 10 })
    const usdc = 10 ** (2 + 4 * nextRandom(rng))
    deposit(exchange, account, Math.round(usdc * 1e6))
    for (const market of markets) {
      const marketAccount = openMarketAccount(account, market, nextRandom(rng) < 0.25)
      applyLeverage(marketAccount, 1 + Math.floor(nextRandom(rng) * 30))
      const value = (nextRandom(rng) - 0.5) * 4 * usdc * Math.min(marketAccount.leverage, 10) * 0.1
      const quantity = Math.round((value * 1e6) / (market.mark * market.spec.unit))
      if (quantity === 0) continue
      const price = Math.round(market.mark * (1 + (nextRandom(rng) - 0.5) * 0.04))
      const fill = { price, fee: Math.round(nextRandom(rng) * 1000), atMs: 0 }
      fillPosition(exchange, marketAccount, { ...fill, quantity })
      fillPosition(exchange, openMarketAccount(other, market), { ...fill, quantity: -quantity })
    }
    return account
  })
  return { exchange, markets, accounts }
}

/** A position and its market in USDC and plain fractions. */
function plain({ market, quantity, cost, margin, leverage, buys, sells }: MarketAccount) {
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
  const frozen = account.used.reduce((sum, marketAccount) => sum + marketAccount.frozen / 1e6, 0)
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
  for (const account of openFixture().accounts) {
    const { collateral, initialWithOrders, maintenance, notional } = accountMargin(account)
    const expected = crossOf(account)
    near(collateral / 1e6, expected.collateral, notional / 1e6)
    near(initialWithOrders / 1e6, expected.initial, notional / 1e6)
    near(maintenance / 1e6, expected.maintenance, notional / 1e6)
    for (const marketAccount of account.used.filter(({ isolated }) => isolated)) {
      refresh(marketAccount)
      const row = plain(marketAccount)
      near(
        isolatedEquity(marketAccount) / 1e6,
        row.margin + row.q * row.price - row.cost,
        row.q * row.price,
      )
    }
  }
})

test('at its liquidation price an account has its maintenance margin, cross or isolated', () => {
  let crossed = 0
  let isolated = 0
  for (const account of openFixture().accounts)
    for (const marketAccount of account.used) {
      const ticks = positionLiquidationPrice(marketAccount)
      const row = plain(marketAccount)
      const price = (ticks * marketAccount.market.spec.tick) / 1e8
      if (row.q === 0 || ticks === 0 || ticks >= marketAccount.market.mark * 1.9) continue
      if (marketAccount.isolated) {
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
  const { exchange, accounts, markets } = openFixture()
  const compared = { cross: 0, isolated: 0 }
  for (const account of accounts) {
    const market = markets[account.number % 3]
    const marketAccount = account.used.find((own) => own.market === market)
    if (!market || !marketAccount) continue
    const side = marketAccount.quantity >= 0 ? BUY : SELL
    const price = Math.round(market.mark * (side === BUY ? 0.99 : 1.01))
    const allowed = marketAccount.isolated
      ? allowedIsolated(marketAccount, price)
      : allowedCross(marketAccount)
    const expected = largest(market.spec.quantityMax, allowed)
    const got = largest(market.spec.quantityMax, (quantity) => {
      const { isolated } = marketAccount
      const request = { ...PLAIN_ORDER, account, market, side, price, quantity, isolated } as const
      const placed = placeOrder(exchange, request, 0)
      if (!(placed instanceof Rejection)) cancel(exchange, placed, 0)
      return !(placed instanceof Rejection) || placed.refusal === 'notional'
    })
    if (expected * price * market.spec.unit < 20e6) continue
    expect(Math.abs(got - expected)).toBeLessThanOrEqual(1 + 1e-6 * expected)
    compared[marketAccount.isolated ? 'isolated' : 'cross'] += 1
  }
  expect(compared.cross).toBeGreaterThan(100)
  expect(compared.isolated).toBeGreaterThan(50)
})

/** Whether the notional that a position would have after an order is one that its leverage allows. */
function isWithin(marketAccount: MarketAccount, quantity: number): boolean {
  const { price, leverage, f } = plain(marketAccount)
  const scale = marketAccount.market.spec.step / 1e8
  const n = (Math.abs(marketAccount.quantity) + quantity) * scale * price
  return n <= Math.floor((1 / (leverage * f)) ** 1.25)
}

/** An order on the side of its position adds to the initial margin. */
function allowedCross(marketAccount: MarketAccount): (quantity: number) => boolean {
  const { collateral, initial } = crossOf(marketAccount.account)
  const row = plain(marketAccount)
  const before = initialOf(row, Math.abs(row.q) * row.price)
  return (quantity) => {
    const scale = marketAccount.market.spec.step / 1e8
    const n = (Math.abs(marketAccount.quantity) + quantity) * scale * row.price
    return isWithin(marketAccount, quantity) && collateral >= initial - before + initialOf(row, n)
  }
}

/** An isolated one holds back its margin at its own price, and six basis points for its fee. */
function allowedIsolated(
  marketAccount: MarketAccount,
  ticks: number,
): (quantity: number) => boolean {
  const { collateral, initial } = crossOf(marketAccount.account)
  const { leverage } = plain(marketAccount)
  const { step, tick } = marketAccount.market.spec
  return (quantity) => {
    const held = quantity * (step / 1e8) * ((ticks * tick) / 1e8) * (1 / leverage + 0.0006)
    return isWithin(marketAccount, quantity) && collateral - held >= initial
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
