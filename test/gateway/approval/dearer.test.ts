import { describe, expect, test } from 'bun:test'
import wire from '../../vectors/tools-wire.json'
import { answer, buy, time, USDC, world } from '../mandate/gate-world.ts'
import { openInstance } from '../standby/instance.ts'
import { approvalOf, approve, limit, openApprovalsForEach, show, write } from './world.ts'

openApprovalsForEach()

/** As the venue of these tests lists it. */
const PRICE_RANGE = 0.03
const ABOVE = { approveAboveUsdc: 100n * USDC }

/** An instance whose venue lists markets in another way. */
const openListing = (listed: (markets: string) => string) =>
  openInstance({
    store: world.store,
    nowMs: () => time.nowMs,
    send: async (request) => {
      const { body, status } = await answer(request)
      return { status, body: request.path === '/v1/public/futures' ? listed(body) : body }
    },
  })

const MARKS = /"mark_price":([\d.]+)/g

/** An instance whose venue shows mark prices so many times as high. */
const openDearer = (times: number) =>
  openListing((markets) =>
    markets.replaceAll(MARKS, (_, mark: string) => `"mark_price":${Number(mark) * times}`),
  )

const unmarked = (markets: string) => markets.replaceAll(MARKS, '"mark_price":null')

/** The markets, of which only one that no test trades has a mark price. */
function otherMarked(markets: string): string {
  const [row] = wire['GET /v1/public/futures'].data.rows
  const other = JSON.stringify({ ...row, symbol: 'PERP_ETH_USDC' })
  return unmarked(markets).replace('"rows":[', `"rows":[${other},`)
}

describe('an order at the market price', () => {
  test('is asked for anew when it has become dearer than was approved', async () => {
    await limit(ABOVE)
    const order = buy(0, { order_price: undefined, order_type: 'MARKET', order_quantity: 0.01 })
    const asked = await write(order)
    expect(Number(asked.worstUsdc)).toBeGreaterThan(Number(asked.costUsdc))
    expect(asked.order[0]).toContain('filled at most')
    const dearer = await openDearer(2)
    await approve(asked.approval)
    // What is kept of the market is older by then.
    time.nowMs += 100_000
    const again = await write(order, { on: dearer })
    expect(again).toMatchObject({ code: 'approval_required', state: 'waiting' })
    expect(Number(again.costUsdc)).toBeGreaterThan(Number(asked.worstUsdc))
    expect(await show(asked.approval)).toMatchObject({ state: 'expired' })
    await approve(again.approval)
    expect(await write(order, { on: dearer })).toBe('sent')
  })

  test('that takes no price of its own is shown and asked for anew by the mark price, whatever price it names', async () => {
    await limit(ABOVE)
    const plain = { order_type: 'MARKET', order_quantity: 0.01 }
    const asked = await write(buy(0, { ...plain, order_price: undefined }))
    const named = buy(0, { ...plain, order_price: 1 })
    const priced = await write(named)
    expect(priced).toMatchObject({ costUsdc: asked.costUsdc, worstUsdc: asked.worstUsdc })
    expect(priced.order).toEqual([`${asked.order[0]} (order_price 1)`])
    await approve(priced.approval)
    time.nowMs += 100_000
    const dearer = await openDearer(2)
    expect(await write(named, { on: dearer })).toMatchObject({ state: 'waiting' })
    expect(await show(priced.approval)).toMatchObject({ state: 'expired' })
  })

  test.each([
    [1.01, true],
    [1.014, true],
    [1.016, false],
    [1.029, false],
  ])(
    'at a mark price %p times as high goes: %p, and never for more than its owner has signed',
    async (times, goes) => {
      await limit(ABOVE)
      const order = buy(0, { order_price: undefined, order_type: 'MARKET', order_quantity: 0.01 })
      const asked = await write(order)
      await approve(asked.approval)
      time.nowMs += 100_000
      const outcome = await write(order, { on: await openDearer(times) })
      expect(outcome === 'sent').toBe(goes)
      // What the venue lets it execute at, also when the mark price rises by a half more of the range on the way.
      const most = asked.costUsdc * times * (1 + PRICE_RANGE) * (1 + PRICE_RANGE / 2)
      expect(most <= Number(asked.worstUsdc)).toBe(goes)
    },
  )

  test.each([
    ['of the market, and is asked for anew', otherMarked, { state: 'waiting' }],
    ['of any market, and nothing is asked', unmarked, { code: 'upstream_unavailable' }],
  ])('does not go without a mark price %s', async (_, listed, refused) => {
    await limit(ABOVE)
    const order = buy(0, { order_price: undefined, order_type: 'MARKET', order_quantity: 0.01 })
    await approve(await approvalOf(order))
    time.nowMs += 100_000
    const blind = await openListing(listed)
    const sent = world.sent.length
    expect(await write(order, { on: blind })).toMatchObject(refused)
    expect(world.sent).toHaveLength(sent)
  })

  test('keeps its approval while no market has a mark price, and goes with it afterwards', async () => {
    await limit(ABOVE)
    const order = buy(0, { order_price: undefined, order_type: 'MARKET', order_quantity: 0.01 })
    await approve(await approvalOf(order))
    time.nowMs += 100_000
    const blind = await openListing(unmarked)
    expect(await write(order, { on: blind })).toMatchObject({ code: 'upstream_unavailable' })
    expect(await write(order)).toBe('sent')
  })
})
