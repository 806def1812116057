import { expect, test } from 'bun:test'
import { toAmount } from '../../src/perp/amounts.ts'
import { largestSize } from '../../src/perp/largest-size.ts'
import { toMarketRules } from '../../src/perp/market-rules.ts'

const exact = (value: number) => toAmount(value) ?? 0n
const RULES = { quote_tick: 1, base_tick: 1, base_min: 1, min_notional: 10 }

/** The largest size below `asked` up to which an account has room, in a market with this maximum. */
function largest(asked: number, room: number, base_max: number, changes = {}): bigint {
  const info = { ...RULES, base_max, ...changes }
  const market = { ...toMarketRules({ symbol: 'PERP_ETH_USDC', info }), mark: exact(100) }
  const order = {
    ...{ side: 'BUY' as const, price: null, quantity: exact(asked), reference: exact(100) },
    ...{ reduceOnly: false, closable: null },
  }
  return largestSize(market, order, (quantity) => quantity <= exact(room))
}

// biome-ignore format: one market a row
test.each([
  ['the maximum of the market, if there is room for more', [1000, 700, 500], 500],
  ['the last step below a maximum that is between two steps', [1000, 700, 500.5], 500],
  ['all the room, if the maximum is larger', [1000, 300, 500], 300],
  ['a step less than the order, if the order itself is too large by one', [400, 399, 500], 399],
  ['all the room in a market without a maximum', [1000, 700, 0], 700],
  ['nothing, if the market takes only more than there is room for', [1000, 5, 500, { base_min: 6 }], 0],
] as const)('the largest size of an order is %s', (_, [asked, room, max, changes = {}], size) => {
  expect(largest(asked, room, max, changes)).toBe(exact(size))
})
