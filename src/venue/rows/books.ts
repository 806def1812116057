import { depthOf } from '../engine/book/depth.ts'
import { BUY, SELL } from '../engine/state.ts'
import { marketOf, type Seat } from '../exchange/seat.ts'
import type { Exchange } from '../exchange/state.ts'
import { positive } from '../wire/page.ts'
import type { VenueCall, VenueRow } from '../wire/row.ts'
import { priceOf, quantityOf } from './figures.ts'
import { seatRow } from './private.ts'

const LEVELS_DEFAULT = 100
const LEVELS_MAX = 500

/** The order book as it is told to those with a key. */
export function bookRows(exchange: Exchange): readonly VenueRow[] {
  const row = { method: 'GET', path: '/v1/orderbook/{symbol}', scope: 'read' } as const
  return [seatRow(exchange, row, orderbook)]
}

/** Best first on both sides. Throws -1005 when there is no such market. */
function orderbook(seat: Seat, { params, query, nowMs }: VenueCall) {
  const market = marketOf(seat, params['symbol'] ?? '')
  const levels = Math.min(positive(query, 'max_level', LEVELS_DEFAULT), LEVELS_MAX)
  const levelsOf = (side: typeof BUY | typeof SELL) =>
    depthOf(market, side, levels).map(({ price, quantity }) => ({
      price: priceOf(market.spec, price),
      quantity: quantityOf(market.spec, quantity),
    }))
  return { asks: levelsOf(SELL), bids: levelsOf(BUY), timestamp: nowMs }
}
