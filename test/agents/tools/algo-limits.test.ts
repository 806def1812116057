import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newRecords, openEmbeddedWorld, type ToolWorld, usedToday } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const USDC = 1_000_000n
const STOP = {
  symbol: ETH,
  side: 'BUY',
  algo_type: 'STOP',
  order_quantity: 0.1,
  reduce_only: false,
}
const TRAILING = { ...STOP, algo_type: 'TRAILING_STOP', callback_rate: 0.05 }

let world: ToolWorld
let mark: number
let range: number
beforeAll(async () => {
  world = await openEmbeddedWorld()
  mark = (await world.call('get_market', { symbol: ETH })).market.mark_price
  const { rules } = Object(await world.client.get('/api/prep/market-rules'))
  range = rules.find(({ symbol }: { symbol: string }) => symbol === ETH).info.price_range
})
afterAll(() => world.stop())

describe('a conditional order that opens', () => {
  test('at the market uses what it may execute at after a jump over its trigger', async () => {
    const changes = { ...newRecords(), limits: { maxDailyUsdc: 10n ** 12n } }
    const trigger_price = Math.ceil(mark * 1.1)
    await world.call('place_algo_order', { ...STOP, trigger_price }, changes)
    const worst = 0.1 * trigger_price * (1 + range) ** 2
    expect(await usedToday(world, changes)).toBeCloseTo(worst, 4)
    const less = { limits: { maxOrderUsdc: BigInt(Math.floor(worst)) * USDC } }
    const refused = await world.refused('place_algo_order', { ...STOP, trigger_price }, less)
    expect(refused).toMatchObject({ code: 'mandate_exceeded', meta: { reason: 'order_value' } })
  })

  test('at a limit that buys uses its limit', async () => {
    const changes = { ...newRecords(), limits: { maxDailyUsdc: 10n ** 12n } }
    const order_price = Math.ceil(mark * 1.12)
    const stop = { ...STOP, trigger_price: Math.ceil(mark * 1.1), order_price }
    await world.call('place_algo_order', stop, changes)
    expect(await usedToday(world, changes)).toBeCloseTo(0.1 * order_price, 6)
  })

  test('that trails the price has no worst case: it goes without limits of value, and where it reduces', async () => {
    const limited = { limits: { maxOrderUsdc: 10n ** 12n } }
    const refused = await world.refused('place_algo_order', TRAILING, limited)
    expect(refused).toMatchObject({ code: 'mandate_exceeded', meta: { reason: 'unknown' } })
    const above = { limits: { approveAboveUsdc: 10n ** 12n } }
    expect(await world.refused('place_algo_order', TRAILING, above)).toMatchObject({
      code: 'approval_required',
    })
    expect(await world.call('place_algo_order', TRAILING)).toMatchObject({ symbol: ETH })
    const bought = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.1 }
    await world.call('place_order', bought)
    const reducing = { ...TRAILING, side: 'SELL', reduce_only: true }
    expect(await world.call('place_algo_order', reducing, limited)).toMatchObject({ symbol: ETH })
  })
})
