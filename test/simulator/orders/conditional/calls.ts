import type { Trader, VenueFixture } from '../../fixture.ts'
import { BTC } from '../../past/small-feed.ts'

/** A take profit and a stop loss of a long position. */
export const LEGS = {
  profit: { algo_type: 'TAKE_PROFIT', side: 'SELL', trigger_price: 61_000, reduce_only: true },
  loss: { algo_type: 'STOP_LOSS', side: 'SELL', trigger_price: 59_000, reduce_only: true },
} as const

export const STOP = {
  ...{ symbol: BTC, algo_type: 'STOP', type: 'MARKET', side: 'BUY', quantity: 0.1 },
  trigger_price: 61_000,
} as const

export const TP_SL = {
  ...{ symbol: BTC, algo_type: 'TP_SL', quantity: 0.1, trigger_price_type: 'MARK_PRICE' },
  child_orders: [
    { ...LEGS.profit, type: 'MARKET' },
    { ...LEGS.loss, type: 'MARKET' },
  ],
} as const

export const POSITIONAL = {
  ...{ symbol: BTC, algo_type: 'POSITIONAL_TP_SL', trigger_price_type: 'MARK_PRICE' },
  child_orders: [
    { ...LEGS.profit, type: 'CLOSE_POSITION' },
    { ...LEGS.loss, type: 'CLOSE_POSITION' },
  ],
} as const

/** Buys so many BTC at market. */
export async function hold(trader: Trader, order_quantity = 0.1): Promise<void> {
  const order = { order_type: 'MARKET', order_price: null, order_quantity }
  const { status } = await trader.order(order)
  if (status !== 200) throw new Error('no position')
}

/** Places an algo order and answers its id. */
export async function place(trader: Trader, body: object): Promise<number> {
  const { data, body: whole } = await trader.post('/v1/algo/order', body)
  if (!data) throw new Error(JSON.stringify(whole))
  return data.order_id
}

export async function rowOf(trader: Trader, id: number) {
  return (await trader.get(`/v1/algo/order/${id}`)).data
}

/** Moves the market maker's quotes, the index and with them the mark. */
export function moveTo(fixture: VenueFixture, price: number): void {
  fixture.sleep(1000)
  fixture.quote(BTC, { bids: [[price - 1, 5]], asks: [[price + 1, 5]] })
  fixture.move(BTC, price)
}

export async function heldOf(trader: Trader): Promise<number> {
  return (await trader.get(`/v1/position/${BTC}`)).data.position_qty
}
