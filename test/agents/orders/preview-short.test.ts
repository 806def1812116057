import { afterAll, beforeAll, expect, test } from 'bun:test'
import { jsonPost } from '../../caller.ts'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const SOL = 'PERP_SOL_USDC'
const OPERATOR_KEY = 'operator-key-of-thirty-two-characters'
let world: ToolWorld

beforeAll(async () => {
  world = await openEmbeddedWorld({ OPERATOR_KEY })
})
afterAll(() => world.stop())

async function command(path: string, parameters: object): Promise<void> {
  const post = jsonPost(parameters)
  const headers = { ...Object(post.headers), authorization: `Bearer ${OPERATOR_KEY}` }
  const { status } = await world.fetch(`/api/admin/venue/${path}`, { ...post, headers })
  expect(status).toBe(200)
  await world.ops('/venue/advance?ms=1000', { method: 'POST' })
}

/** The codes of a preview's problems, and the code that the venue refuses the same order with. */
async function refusedBoth(order: object) {
  const preview = await world.call('preview_order', order)
  const codes = preview.problems.map((problem: { code: string }) => problem.code)
  return [codes, (await world.refused('place_order', order)).code]
}

test('an order to fill or kill that the book cannot fill needs the margin of what it would have met', async () => {
  await world.call('set_leverage', { symbol: ETH, leverage: 50 })
  const { market } = await world.call('get_market', { symbol: ETH })
  const order_price = Number((market.mark_price * 1.02).toFixed(2))
  const order = { symbol: ETH, side: 'BUY', order_type: 'FOK', order_price, order_quantity: 190 }
  expect(await refusedBoth(order)).toEqual([['insufficient_margin'], 'insufficient_margin'])
  const { account, suggested } = await world.call('preview_order', order)
  expect(account.initial_margin_needed).toBe(0)
  expect(suggested.order_quantity).toBeLessThan(190)
})

test('a type that takes its price from an empty side of the book is refused before it is sent', async () => {
  await command('book/one-sided', { symbol: SOL, side: 'SELL', for: '1h' })
  const order = { symbol: SOL, side: 'BUY', order_type: 'ASK', order_quantity: 1 }
  expect(await refusedBoth(order)).toEqual([['account_restricted'], 'account_restricted'])
  const preview = await world.call('preview_order', order)
  expect(preview.problems).toMatchObject([{ rule: 'book', parameter: 'order_type' }])
  expect(preview).not.toHaveProperty('suggested')
  const bid = await world.call('preview_order', { ...order, order_type: 'BID' })
  expect(bid.problems).toEqual([])
})

test('an account below its initial margin can place nothing, and what closing frees is counted from below zero', async () => {
  await world.call('set_leverage', { symbol: ETH, leverage: 10 })
  const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 150 }
  await world.call('place_order', (await world.call('preview_order', order)).suggested)
  await command('price/gap', { symbol: ETH, share: '-2%' })
  expect((await world.call('get_account')).free_collateral).toBe(0)
  const closing = { symbol: ETH, side: 'SELL', order_type: 'POST_ONLY', order_quantity: 1 }
  const { market } = await world.call('get_market', { symbol: ETH })
  const order_price = Number((market.mark_price * 1.01).toFixed(2))
  expect(await refusedBoth({ ...closing, order_price })).toEqual([
    ['insufficient_margin'],
    'insufficient_margin',
  ])
  const reducing = { ...closing, order_type: 'MARKET', reduce_only: true, order_quantity: 10 }
  const { account } = await world.call('preview_order', reducing)
  await world.call('place_order', reducing)
  const { free_collateral } = await world.call('get_account')
  expect(Math.abs(free_collateral - account.free_collateral_after)).toBeLessThan(60)
})
