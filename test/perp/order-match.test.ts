import { describe, expect, test } from 'bun:test'
import { toAmount } from '../../src/perp/amounts.ts'
import { parseBook } from '../../src/perp/book.ts'
import { toOpenOrder } from '../../src/perp/margin-account.ts'
import { toMarketRules } from '../../src/perp/market-rules.ts'
import { matchOrder, type Order } from '../../src/perp/order-match.ts'
import { parsePositions } from '../../src/perp/positions.ts'

const SYMBOL = 'PERP_ETH_USDC'
const RULES = { quote_tick: 0.1, base_tick: 0.001, base_min: 0.001, min_notional: 10 }

/** The quantity of 5 that a BUY at the best price of 8 fills, where 6 of an own SELL wait there and a position is held. */
function filledBeside(own: { readonly reduce_only: boolean }, held: number): bigint {
  const market = {
    ...toMarketRules({ symbol: SYMBOL, info: RULES }),
    mark: toAmount(3000),
    book: parseBook({ bids: [], asks: [{ price: 3000, quantity: 8 }] }),
  }
  const order: Order = {
    ...{ side: 'BUY', type: 'LIMIT', mode: 'ISOLATED', reduceOnly: false },
    ...{ price: toAmount(3000) ?? 0n, quantity: toAmount(5) ?? 0n, slippage: null },
  }
  const row = { symbol: SYMBOL, side: 'SELL', price: 3000, quantity: 6, margin_mode: 'CROSS' }
  const position = { symbol: SYMBOL, position_qty: held, mark_price: 3000 }
  const positions = parsePositions({
    rows: [{ ...position, pending_long_qty: 0, pending_short_qty: 0 }],
  })
  return matchOrder(market, order, {
    positions: positions ?? [],
    orders: [toOpenOrder({ ...row, ...own, order_id: 1 })].filter((own) => own !== null),
  }).fill.quantity
}

describe('an account never trades with its own orders', () => {
  test('an own order that may open takes its whole size out of the book', () => {
    expect(filledBeside({ reduce_only: false }, 1)).toBe(toAmount(2) ?? 0n)
  })

  test('a reduce-only one takes out no more than it can close, since the book shows no more', () => {
    expect(filledBeside({ reduce_only: true }, 4)).toBe(toAmount(4) ?? 0n)
    expect(filledBeside({ reduce_only: true }, 0)).toBe(toAmount(5) ?? 0n)
    expect(filledBeside({ reduce_only: true }, -4)).toBe(toAmount(5) ?? 0n)
    expect(filledBeside({ reduce_only: true }, 7)).toBe(toAmount(2) ?? 0n)
  })
})
