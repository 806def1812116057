import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { worstValue } from '../../src/perp/order-worst-case.ts'
import { parseStrict } from '../../src/perp/strict-json.ts'
import { parseWrite } from '../../src/perp/write-effects.ts'
import { assertFields } from '../../src/perp/write-fields.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../agents/tool-world.ts'
import { runs } from '../runs.ts'

const ETH = 'PERP_ETH_USDC'
const SCALE = 10n ** 18n

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

const relayed = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: string): Promise<Loose> =>
  world.client.relay(world.credentials, { method, path, ...(body !== undefined && { body }) })

/** An order of any kind: its price as a share of the mark, its size in hundredths or in USDC. */
const ORDERS = fc.record({
  side: fc.constantFrom('BUY', 'SELL'),
  type: fc.constantFrom('LIMIT', 'MARKET', 'IOC', 'FOK', 'POST_ONLY', 'ASK', 'BID'),
  share: fc.integer({ min: 975, max: 1025 }),
  size: fc.integer({ min: 1, max: 60 }),
  byAmount: fc.boolean(),
})

// Slow: random orders of each kind are sent and read again.
test('no order of the embedded venue fills or rests at more than its worst case', async () => {
  const { market } = await world.call('get_market', { symbol: ETH })
  const mark = market.mark_price
  const { rules }: Loose = await world.client.get('/api/prep/market-rules')
  const { info } = rules.find(({ symbol }: Loose) => symbol === ETH)
  const bound = { mark: scaled(mark), priceRange: scaled(info.price_range) }
  let taken = 0
  await fc.assert(
    fc.asyncProperty(ORDERS, async ({ side, type, share, size, byAmount }) => {
      const isPriced = ['LIMIT', 'IOC', 'FOK', 'POST_ONLY'].includes(type)
      const body = JSON.stringify({
        ...{ symbol: ETH, side, order_type: type },
        ...(isPriced && { order_price: Math.round((mark * share) / 100) / 10 }),
        ...(byAmount && !isPriced ? { order_amount: size * 25 } : { order_quantity: size / 100 }),
      })
      const fields = parseStrict(body)
      assertFields('POST /v1/order', fields)
      const write = parseWrite('POST /v1/order', fields)
      if (write.kind !== 'opens') throw new RangeError('this opens')
      const [order] = write.orders
      const worst = order && worstValue(order, bound)
      const placed = await relayed('POST', '/v1/order', body).catch(() => null)
      if (!placed) return
      const row = await relayed('GET', `/v1/order/${placed.order_id}`)
      const filled = row.total_executed_quantity * (row.average_executed_price ?? 0)
      const open = row.status === 'NEW' || row.status === 'PARTIAL_FILLED'
      const rests = open ? (row.quantity - row.total_executed_quantity) * row.price : 0
      if (filled + rests > 0) taken += 1
      expect(filled + rests).toBeLessThanOrEqual(Number(worst) / 1e6 + 1e-6)
      await relayed('DELETE', '/v1/orders')
    }),
    { numRuns: runs(60) },
  )
  expect(taken).toBeGreaterThan(5)
})

test.each([
  ['a stop with a limit', { algo_type: 'STOP', type: 'LIMIT', price: 90, trigger_price: 95 }, 90],
  ['a stop at the market', { algo_type: 'STOP', type: 'MARKET', trigger_price: 120 }, 145.2],
  ['a stop below the mark', { algo_type: 'STOP', type: 'MARKET', trigger_price: 95 }, 121],
  ['a bracket at the market', { algo_type: 'BRACKET', type: 'MARKET' }, 110],
  ['a trailing stop', { algo_type: 'TRAILING_STOP', type: 'MARKET', callbackRate: '0.05' }, null],
])('%s is worth what it can execute at', (_, own, usdc) => {
  const body = JSON.stringify({ symbol: ETH, side: 'BUY', quantity: 1, ...own })
  const write = parseWrite('POST /v1/algo/order', parseStrict(body))
  if (write.kind !== 'opens') throw new RangeError('this opens')
  const [order] = write.orders
  const worst = order && worstValue(order, { mark: 100n * SCALE, priceRange: SCALE / 10n })
  expect(worst).toBe(usdc === null ? null : BigInt(usdc * 10) * 100_000n)
})

test('an order with quantity and amount is worth the larger of both', () => {
  const own = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_price: 90 }
  const micros = (order_quantity: number, order_amount: number) => {
    const body = JSON.stringify({ ...own, order_quantity, order_amount })
    const write = parseWrite('POST /v1/order', parseStrict(body))
    const [order] = write.kind === 'opens' ? write.orders : []
    return order && worstValue(order, { mark: 100n * SCALE, priceRange: SCALE / 10n })
  }
  expect(micros(1, 1000)).toBe(1_100_000_000n)
  expect(micros(20, 1000)).toBe(2_200_000_000n)
})

test('legs that do not say that they reduce count as orders of their own', () => {
  const leg = { algo_type: 'STOP_LOSS', side: 'SELL', type: 'MARKET', trigger_price: 90 }
  const group = { algo_type: 'TP_SL', child_orders: [leg, { ...leg, reduce_only: true }] }
  const own = { symbol: ETH, algo_type: 'BRACKET', side: 'BUY', type: 'LIMIT', price: 100 }
  const body = JSON.stringify({ ...own, quantity: 2, child_orders: [group] })
  const write = parseWrite('POST /v1/algo/order', parseStrict(body))
  if (write.kind !== 'opens') throw new RangeError('this opens')
  expect(write.orders.map(({ symbol, quantity }) => [symbol, quantity])).toEqual([
    [ETH, 2n * SCALE],
    [ETH, 2n * SCALE],
  ])
})

function scaled(value: number): bigint {
  return (BigInt(Math.round(value * 1e8)) * SCALE) / 100_000_000n
}
