import { openOrderList } from '../../src/simulator/book/open-orders.ts'
import type { VenueState } from '../../src/simulator/exchange/state.ts'
import { PLAIN_ORDER } from '../../src/simulator/orders/request.ts'
import { BUY, SELL } from '../../src/simulator/state/state.ts'
import { OPENING, type Quote, type Quotes } from './past/small-feed.ts'

const KEY = 'house'
const HOLDING = 1_000_000_000_000_000

/** An account that offers the opening quotes, pays no fees and is never short of money. */
export function openMaker(exchange: VenueState, nowMs: number): void {
  const { engine } = exchange.simulation()
  if (engine.world.exchange.byKey.has(KEY)) return
  const fees = { taker: 0, maker: 0 }
  const { number: account } = engine.submit('open', { key: KEY, leverage: 10, fees }, nowMs)
  engine.submit('deposit', { account, amount: HOLDING }, nowMs)
  for (const [symbol, quotes] of Object.entries(OPENING))
    if (engine.world.exchange.bySymbol.has(symbol)) requote(exchange, symbol, quotes, nowMs)
}

/** Replaces the market maker's quotes in a market. */
export function requote(
  exchange: VenueState,
  symbol: string,
  { bids, asks }: Quotes,
  nowMs: number,
): void {
  const { engine } = exchange.simulation()
  const house = engine.world.exchange.byKey.get(KEY)
  const market = engine.world.exchange.bySymbol.get(symbol)
  if (!house || !market) throw new RangeError(symbol)
  const account = house.number
  engine.advance(nowMs)
  for (const { id, marketAccount } of openOrderList(house))
    if (marketAccount.market === market) engine.submit('cancel', { account, order: id }, nowMs)
  const offer = (side: typeof BUY | typeof SELL, [price, quantity]: Quote) => {
    const order = { ...PLAIN_ORDER, account, market: market.number, side }
    const steps = Math.round((quantity * 1e8) / market.spec.step)
    engine.submit('place', { ...order, price: Math.round(price * 10), quantity: steps }, nowMs)
  }
  for (const bid of bids) offer(BUY, bid)
  for (const ask of asks) offer(SELL, ask)
  exchange.commit()
}
