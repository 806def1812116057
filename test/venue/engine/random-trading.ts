import { BASE_FEES, deposit, exposureOf, openAccount } from '../../../src/venue/engine/accounts.ts'
import { createExchange } from '../../../src/venue/engine/exchange.ts'
import { chargeFunding } from '../../../src/venue/engine/funding/charge.ts'
import { setLeverage } from '../../../src/venue/engine/margin/settings.ts'
import { openMarket, specOf } from '../../../src/venue/engine/markets.ts'
import { setMark } from '../../../src/venue/engine/marks.ts'
import { editOrder } from '../../../src/venue/engine/orders/edit.ts'
import { cancel } from '../../../src/venue/engine/orders/open.ts'
import { placeOrder } from '../../../src/venue/engine/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/venue/engine/orders/request.ts'
import { Rejection } from '../../../src/venue/engine/rejections.ts'
import { BUY, type Market, type Order, SELL, type Side } from '../../../src/venue/engine/state.ts'
import { MARKETS } from '../../../src/venue/market/instruments.ts'
import { draw, stream } from '../../../src/venue/market/price/chance.ts'
import * as book from './reference/book.ts'
import * as orders from './reference/orders.ts'
import * as settings from './reference/settings.ts'

const SYMBOLS = ['PERP_BTC_USDC', 'PERP_DOGE_USDC', 'PERP_1000PEPE_USDC']
const OWNERS = 12
const FUNDED_MICROS = 40_000_000_000
/** Prices stay in this many ticks of the mark, so that orders meet. */
const REACH = 0.004
const RESTING_MAX = 90

const TYPES = [
  'LIMIT',
  'LIMIT',
  'LIMIT',
  'IOC',
  'FOK',
  'POST_ONLY',
  'MARKET',
  'ASK',
  'BID',
] as const

/** An exchange and the reference, given the same random operations one by one. */
export function openTrading(seed: number) {
  const markets = SYMBOLS.flatMap((symbol, number) => {
    const listed = MARKETS.get(symbol)
    return listed ? [openMarket(number, specOf(listed), listed.referenceTicks)] : []
  })
  const exchange = createExchange(markets)
  const accounts = Array.from({ length: OWNERS }, (_, owner) => {
    const account = openAccount(exchange, { key: `${owner}`, fees: BASE_FEES, leverage: 10 })
    deposit(exchange, account, FUNDED_MICROS)
    return account
  })
  const ref = book.createReference(markets, Array(OWNERS).fill(FUNDED_MICROS))
  const source = stream(seed, 'random-trading')
  let draws = 0
  const chance = () => draw(source, draws++)
  const pick = <T>(of: readonly T[]): T => {
    const chosen = of[Math.floor(chance() * of.length)]
    if (chosen === undefined) throw new Error('nothing to pick from')
    return chosen
  }
  /** Both sides' open orders, in the order of their placing. */
  const pairs = new Map<Order, book.RefOrder>()

  function place(atMs: number) {
    const market = pick(markets)
    const side: Side = chance() < 0.5 ? BUY : SELL
    const owner = Math.floor(chance() * OWNERS)
    const type = pick(TYPES)
    const isPriced = type !== 'MARKET' && type !== 'ASK' && type !== 'BID'
    const price = isPriced ? priceNear(market, side) : 0
    const quantity = quantityOf(market)
    const asked = {
      side,
      type,
      price,
      quantity,
      visible: type === 'LIMIT' && chance() < 0.2 ? Math.floor(chance() * quantity) : null,
      reduceOnly: chance() < 0.15,
      slippage: type === 'MARKET' && chance() < 0.5 ? Math.floor(chance() * 300_000) : null,
      level: Math.floor(chance() * 3),
      adjusts: type === 'POST_ONLY' && chance() < 0.5,
      isolated: chance() < 0.1 ? chance() < 0.5 : null,
    }
    const account = accounts[owner]
    if (!account) throw new Error('no such owner')
    const placed = placeOrder(exchange, { ...PLAIN_ORDER, ...asked, account, market }, atMs)
    const expected = orders.place(ref, { ...asked, owner, market: market.number })
    if (!(placed instanceof Rejection) && typeof expected !== 'string') pairs.set(placed, expected)
    return { got: outcomeOf(placed), expected: expectedOf(expected) }
  }

  function priceNear({ mark }: Market, side: 1 | -1): number {
    const away = chance() < 0.05 ? 0.2 : REACH
    return Math.max(1, Math.round(mark * (1 - side * (chance() - 0.3) * away)))
  }

  function quantityOf({ spec, mark }: Market): number {
    const usdc = chance() < 0.03 ? chance() * 400_000 : 8 + chance() * 6000
    return Math.max(1, Math.round((usdc * 1e6) / (mark * spec.unit)))
  }

  function change(atMs: number) {
    const [order, expected] = pick([...pairs])
    const { market } = order.exposure
    const price = chance() < 0.3 ? order.price : priceNear(market, order.side)
    const quantity = chance() < 0.2 ? order.quantity : quantityOf(market)
    const got = editOrder(exchange, order, { price, quantity }, atMs)
    const should = orders.edit(ref, expected, BigInt(price), BigInt(quantity))
    return { got: got?.refusal ?? null, expected: should }
  }

  function cancelOne(atMs: number) {
    const [order, expected] = pick([...pairs])
    cancel(exchange, order, atMs)
    expected.status = 'CANCELLED'
    return { got: order.status, expected: expected.status }
  }

  function moveMark(atMs: number) {
    const market = pick(markets)
    const step = (chance() - 0.5) * 2 * (chance() < 0.05 ? 0.03 : 0.001)
    const mark = Math.round(market.mark * (1 + step))
    setMark(exchange, market, mark, atMs)
    settings.setMark(ref, market.number, BigInt(mark))
    return { got: market.mark, expected: mark }
  }

  function fund() {
    const market = pick(markets)
    const rate = Math.round((chance() - 0.5) * 200_000)
    chargeFunding(exchange, market, rate)
    settings.chargeFunding(ref, market.number, BigInt(rate))
    return { got: market.sumUnitary, expected: market.sumUnitary }
  }

  function lever() {
    const market = pick(markets)
    const owner = Math.floor(chance() * OWNERS)
    const account = accounts[owner]
    if (!account) throw new Error('no such owner')
    const leverage = 1 + Math.floor(chance() * 24)
    const isolated = chance() < 0.3
    const refused = setLeverage(exchange, account, { leverage, market, isolated })
    const should = settings.setLeverage(ref, owner, market.number, leverage, isolated)
    return { got: refused?.refusal ?? null, expected: should }
  }

  /** Runs one operation on both, and answers what each said. */
  function step(atMs: number) {
    const kind = chance()
    prune()
    if (pairs.size > 0 && (kind < 0.15 || pairs.size > RESTING_MAX)) return cancelOne(atMs)
    if (pairs.size > 0 && kind < 0.3) return change(atMs)
    if (kind < 0.31) return fund()
    if (kind < 0.32) return lever()
    return kind < 0.4 ? moveMark(atMs) : place(atMs)
  }

  function prune(): void {
    for (const order of pairs.keys()) if (!order.level) pairs.delete(order)
    if (ref.orders.length > 2 * RESTING_MAX) {
      const open = book.openOrders(ref)
      ref.orders.splice(0, ref.orders.length, ...open)
    }
  }

  /** Everything that both know, in the same words. */
  function states() {
    const got = accounts.map((account) => [
      account.holding,
      ...markets.map((market) => {
        const { quantity, cost, averageOpen, margin, isolated } = exposureOf(account, market)
        return [quantity, cost, averageOpen, margin, isolated].join()
      }),
    ])
    const expected = accounts.map((_, owner) => [
      Number(ref.holdings[owner]),
      ...markets.map(({ number }) => {
        const { quantity, cost, averageOpen, margin, isolated } = book.positionOf(
          ref,
          owner,
          number,
        )
        return [quantity, cost, averageOpen, margin, isolated].join()
      }),
    ])
    return {
      got: [got, [...pairs.keys()].map(orderOf)],
      expected: [expected, [...pairs.values()].map(refOrderOf)],
    }
  }

  return { exchange, accounts, markets, ref, pairs, step, states }
}

function orderOf({ status, executed, fee, realizedPnl, price, quantity }: Order) {
  return [status, executed, fee, realizedPnl, price, quantity].join()
}

function refOrderOf(order: book.RefOrder) {
  const { status, executed, fee, realizedPnl, price, quantity } = order
  return [status, executed, fee, realizedPnl, price, quantity].join()
}

function outcomeOf(placed: Order | Rejection): string {
  return placed instanceof Rejection ? placed.refusal : orderOf(placed)
}

function expectedOf(placed: book.RefOrder | string): string {
  return typeof placed === 'string' ? placed : refOrderOf(placed)
}
