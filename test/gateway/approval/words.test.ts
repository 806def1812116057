import { describe, expect, test } from 'bun:test'
import { BTC, post, USDC } from '../mandate/gate-world.ts'
import { limit, openApprovalsForEach, write } from './world.ts'

openApprovalsForEach()

const STOP = { symbol: BTC, side: 'BUY', algo_type: 'STOP', type: 'MARKET', trigger_price: 70_000 }
const LEG = { algo_type: 'STOP_LOSS', side: 'SELL', type: 'MARKET', trigger_price: 90 }
const BRACKET = { ...STOP, algo_type: 'BRACKET', type: 'LIMIT', price: 100, quantity: 2 }
const AT_MOST = 'at the market price, filled at most 3 % above the mark price of that moment'

/** What the owner is asked about a write. */
async function wordsOf(path: string, body: object, method: 'POST' | 'PUT' = 'POST') {
  await limit({ approveAboveUsdc: 0n })
  return (await write({ ...post(path, body), method })).order
}

describe('the words of a write that waits for its owner', () => {
  test('say how far from the mark price an order at the market price may go', async () => {
    const order = { symbol: BTC, side: 'BUY', order_type: 'MARKET', order_quantity: 1 }
    expect(await wordsOf('/v1/order', order)).toEqual([
      `Buy 1 PERP_BTC_USDC, MARKET order ${AT_MOST}, now 60210 USDC`,
    ])
    expect(await wordsOf('/v1/order', { ...order, side: 'SELL' })).toEqual([
      `Sell 1 PERP_BTC_USDC, MARKET order ${AT_MOST.replace('above', 'below')}, now 60210 USDC`,
    ])
  })

  test('of a change without a price say that the order keeps its price', async () => {
    const edit = { order_id: 7, symbol: BTC, side: 'BUY', order_type: 'LIMIT' }
    const stays = '. What is not named stays as it is; a quantity is the whole order’s.'
    expect(await wordsOf('/v1/order', { ...edit, order_quantity: 1 }, 'PUT')).toEqual([
      `Change order 7 to: Buy 1 PERP_BTC_USDC, LIMIT order without a new price${stays}`,
    ])
    expect(await wordsOf('/v1/order', { ...edit, order_price: 5 }, 'PUT')).toEqual([
      `Change order 7 to: Buy PERP_BTC_USDC, LIMIT order at 5 USDC${stays}`,
    ])
    expect(await wordsOf('/v1/algo/order', { order_id: 7, trigger_price: 5 }, 'PUT')).toEqual([
      `Change conditional order 7 (trigger_price 5)${stays}`,
    ])
  })

  test('of a conditional order at the market price name no price that it ignores', async () => {
    const body = { ...STOP, quantity: 1, price: 65_000 }
    const trigger = 'when the price reaches 70000 USDC'
    expect(await wordsOf('/v1/algo/order', body)).toEqual([
      `STOP order in PERP_BTC_USDC, buy, 1, as MARKET order ${AT_MOST}, ${trigger} (price 65000)`,
    ])
    expect(await wordsOf('/v1/algo/order', { ...body, type: 'LIMIT' })).toEqual([
      `STOP order in PERP_BTC_USDC, buy, 1, as LIMIT order at 65000 USDC, ${trigger}`,
    ])
  })
})

describe('a leg of a conditional order', () => {
  test.each([
    ['another market', { symbol: 'PERP_ETH_USDC' }, 'symbol'],
    ['another quantity', { quantity: 0.001 }, 'quantity'],
  ])(
    'that names %s than its parent is refused, also where it only reduces',
    async (_, own, name) => {
      const opened = (limits: object) => limit({ ...limits, maxOrderUsdc: 1000n * USDC })
      for (const limits of [{}, { approveAboveUsdc: 0n }])
        for (const reduce_only of [true, false]) {
          await opened(limits)
          const legs = [
            { ...LEG, reduce_only },
            { ...LEG, ...own, reduce_only },
          ]
          const group = { algo_type: 'TP_SL', child_orders: legs }
          const answered = await write(
            post('/v1/algo/order', { ...BRACKET, child_orders: [group] }),
          )
          const parameter = `body.child_orders.0.child_orders.1.${name}`
          expect(answered).toMatchObject({
            code: 'invalid_request',
            parameter,
            reason: 'conflicting',
          })
        }
    },
  )

  test('that names what its parent names is taken', async () => {
    await limit({ maxOrderUsdc: 1000n * USDC })
    const leg = { ...LEG, symbol: BTC, quantity: 2, reduce_only: true }
    const group = { algo_type: 'TP_SL', child_orders: [leg] }
    expect(await write(post('/v1/algo/order', { ...BRACKET, child_orders: [group] }))).toBe('sent')
  })
})
