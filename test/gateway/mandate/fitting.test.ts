import { describe, expect, test } from 'bun:test'
import {
  BTC,
  buy,
  mandate,
  openWorldForEach,
  outcomeOf,
  post,
  readFigures,
  USDC,
  world,
} from './gate-world.ts'

openWorldForEach()

const TICK = 0.00001
/** 3% above the mark of 60,210 USDC. */
const WORST = 62_016.3

describe('an order that a limit of value refuses is answered what would go', () => {
  test.each(['BUY', 'SELL'])(
    '%s at the market: that size goes, and one tick more does not',
    async (side) => {
      await mandate({ maxOrderUsdc: 1234n * USDC })
      const of = (order_quantity: number) =>
        buy(0, { side, order_type: 'MARKET', order_price: undefined, order_quantity })
      const largest = Math.floor(1234 / WORST / TICK)
      expect(await outcomeOf(of(1))).toMatchObject({
        ...{ reason: 'order_value', fitsUsdc: 1234, worstPrice: WORST },
        largestOrderQuantity: Number((largest * TICK).toFixed(5)),
      })
      expect(await outcomeOf(of(Number(((largest + 1) * TICK).toFixed(5))))).toMatchObject({
        reason: 'order_value',
      })
      expect(world.sent).toEqual([])
      expect(await outcomeOf(of(Number((largest * TICK).toFixed(5))))).toBe('sent')
    },
  )

  test('by the tightest of all limits, not the one that is named', async () => {
    await mandate({ maxOrderUsdc: 5000n * USDC, maxDailyUsdc: 3000n * USDC })
    expect(await outcomeOf(buy(600))).toBe('sent')
    expect(await outcomeOf(buy(6000))).toMatchObject({
      ...{ reason: 'order_value', limit: 5000 },
      ...{ fitsUsdc: 2400, worstPrice: 50_000, largestOrderQuantity: 0.048 },
    })
    expect(await outcomeOf(buy(2400))).toBe('sent')
    expect(await outcomeOf(buy(10))).toMatchObject({
      ...{ reason: 'daily_value', left: 0, fitsUsdc: 0, largestOrderQuantity: 0 },
    })
  })

  test('no size where the market takes none, and only the value of an order in USDC', async () => {
    await mandate({ maxOrderUsdc: 9n * USDC })
    // The market takes 10 USDC at least.
    expect(await outcomeOf(buy(20))).toMatchObject({ fitsUsdc: 9, largestOrderQuantity: 0 })
    const inUsdc = { order_type: 'MARKET', order_price: undefined, order_quantity: undefined }
    expect(await outcomeOf(buy(20, { ...inUsdc, order_amount: 20 }))).toEqual({
      ...{ code: 'mandate_exceeded', reason: 'order_value', limit: 9, requested: 20.6 },
      ...{ fitsUsdc: 9 },
    })
  })

  test('nothing where its value breaks no limit, nor of several orders together', async () => {
    await mandate({ maxOrdersPerMinute: 1, maxOrderUsdc: 100n * USDC })
    expect(await outcomeOf(buy(50))).toBe('sent')
    expect(await outcomeOf(buy(50))).not.toHaveProperty('fitsUsdc')
    const order = { symbol: BTC, side: 'BUY', order_type: 'LIMIT', order_price: 50_000 }
    const orders = [0.001, 0.01].map((order_quantity) => ({ ...order, order_quantity }))
    const refused = await outcomeOf(post('/v1/batch-order', { orders }))
    expect(refused).toMatchObject({ reason: 'order_value', requested: 500 })
    expect(refused).not.toHaveProperty('fitsUsdc')
  })
})

test('an order that cannot be judged names the read and the tool after which it goes', async () => {
  await mandate({ maxPositionUsdc: 100_000n * USDC })
  const refused = Object(await outcomeOf(buy(10)))
  expect(refused).toMatchObject({ code: 'mandate_exceeded', reason: 'unknown' })
  expect(refused).not.toHaveProperty('fitsUsdc')
  expect(refused.next).toContain('GET /v1/positions')
  expect(refused.next).toContain('list_positions')
  await readFigures()
  expect(await outcomeOf(buy(10))).toBe('sent')
})
