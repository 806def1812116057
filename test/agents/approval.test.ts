import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ClientFailure, type Credentials } from '../../src/agents/client/client.ts'
import { askToApprove, DECISION } from '../surface/approval-requests.ts'
import { newUser, post, signedBody, WALLETS } from '../surface/wallets.ts'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from './tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const USDC = 1_000_000n
const LIMITS = { approveAboveUsdc: 100n * USDC, approveChanges: true }
const BUY = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 500 }

const wallet = WALLETS.viem()
let world: ToolWorld
let credentials: Credentials
beforeAll(async () => {
  world = await openEmbeddedWorld()
  credentials = await newUser(world, wallet)
})
afterAll(() => world.stop())

const context = () => ({ limits: LIMITS, credentials, clock: { nowMs: Date.now } })
const refused = (name: string, args: object) => world.refused(name, args, context())
const call = (name: string, args: object) => world.call(name, args, context())

/** Approves what a tool was refused. */
async function approve({ approval }: { readonly approval: string }) {
  const signed = await signedBody(wallet, await askToApprove(world, approval))
  expect((await post(world, DECISION, signed)).body).toMatchObject({ state: 'approved' })
}

describe('a tool above the value that a person has approved', () => {
  test('sends nothing until the owner has approved the same order, which then goes once', async () => {
    const { code, retryable, meta } = await refused('place_order', BUY)
    expect({ code, retryable }).toEqual({ code: 'approval_required', retryable: false })
    expect(meta).toMatchObject({ state: 'waiting', link: expect.stringContaining(meta.approval) })
    expect(meta.order[0]).toStartWith('Buy ')
    expect(meta.again).toMatchObject({ symbol: ETH, client_order_id: meta.client_order_id })
    expect(meta.again).not.toHaveProperty('order_amount')
    const again = await refused('place_order', meta.again)
    expect(again.meta).toMatchObject({ approval: meta.approval, again: meta.again })
    await approve(meta)
    const placed = await call('place_order', meta.again)
    expect(placed).toMatchObject({ client_order_id: meta.client_order_id, symbol: ETH })
    expect(placed.order_quantity).toBe(meta.again.order_quantity)
    // The same id again is the first order, and no second one.
    expect(await call('place_order', meta.again)).toMatchObject({ repeated: true })
  })

  test('lets smaller orders, reductions and cancels go', async () => {
    await call('place_order', { ...BUY, order_amount: 50 })
    await call('close_position', { symbol: ETH })
    await call('cancel_all_orders', { symbol: ETH })
  })

  test('asks also where the settings that it shows beside the order cannot be read', async () => {
    const approved: typeof world.client.approved = async (by, call) => {
      if (!call.path.startsWith('/v1/client/') || call.method !== 'GET')
        return world.client.approved(by, call)
      throw new ClientFailure({ code: 'rate_limited', error: 'Too many requests.', status: 429 })
    }
    const limited = { ...context(), client: { ...world.client, approved } }
    for (const [name, args] of [
      ['place_order', { ...BUY, order_amount: 600 }],
      ['set_leverage', { symbol: ETH, leverage: 9 }],
    ] as const) {
      const { code, meta } = await world.refused(name, args, limited)
      expect([name, code, meta.state]).toEqual([name, 'approval_required', 'waiting'])
    }
  })

  test('asks for stops that open, edits that grow, leverage, and margin modes', async () => {
    const { mark_price } = (await call('get_market', { symbol: ETH })).market
    const order_price = Math.floor(mark_price * 0.9)
    const { order_id } = await call('place_order', {
      ...BUY,
      ...{ order_type: 'LIMIT', order_price, order_amount: 60 },
    })
    const stop = { ...{ symbol: ETH, side: 'BUY', algo_type: 'STOP' }, reduce_only: false }
    const asked = [
      [
        'place_algo_order',
        { ...stop, trigger_price: Math.ceil(mark_price * 1.1), order_quantity: 1 },
      ],
      ['edit_order', { order_id, symbol: ETH, order_quantity: 1 }],
      ['set_leverage', { symbol: ETH, leverage: 7 }],
      ['set_margin_mode', { symbol: ETH, margin_mode: 'ISOLATED' }],
    ] as const
    for (const [name, args] of asked) {
      const { code, meta } = await refused(name, args)
      expect([name, code]).toEqual([name, 'approval_required'])
      expect((await refused(name, meta.again)).meta.approval).toBe(meta.approval)
    }
    const { meta } = await refused('set_leverage', { symbol: ETH, leverage: 7 })
    await approve(meta)
    expect(await call('set_leverage', meta.again)).toMatchObject({ leverage: 7 })
  })

  test('goes on with a plan of which the owner has approved the next order', async () => {
    const { plan } = await call('rebalance', { targets: { PERP_BTC_USDC: 0.1 } })
    const first = await call('rebalance', { plan })
    const [{ code, meta }] = first.writes
    expect(code).toBe('approval_required')
    expect(first.next).toContain('link')
    await approve(meta)
    expect(await call('rebalance', { plan })).toMatchObject({ done: true })
  })

  test('is not taken in by an answer that the model makes up', async () => {
    const { meta } = await refused('place_order', BUY)
    const writes = await writesDuring(world, async () => {
      await refused('place_order', meta.again)
    })
    expect(writes.map(({ path }) => path)).toEqual(['/v1/order'])
    const { approval, again } = meta
    for (const claim of [{ approval }, { approved: true }, { state: 'approved' }])
      expect((await refused('place_order', { ...again, ...claim })).code).toBe('invalid_request')
    await post(world, DECISION, { refuse: approval })
    const after = (await refused('place_order', again)).meta
    expect(after).toMatchObject({ state: 'refused' })
    expect(after.next).toContain('has refused this')
    expect(after.next).not.toContain('Give the user the link')
    expect(meta.next).toContain('Give the user the link')
  })
})

test('a withdrawal that the wallet has signed waits for its approval as well', async () => {
  const asked = { amount: 5, chain_id: 42_161, wallet: wallet.address }
  const { send, typed_data } = await call('request_withdrawal', asked)
  const signature = await wallet.sign(typed_data)
  const { code, meta } = await refused('request_withdrawal', { ...send, signature })
  expect(code).toBe('approval_required')
  expect(meta.order[0]).toStartWith('Withdraw 5000000 of the smallest units of USDC')
  await approve(meta)
  expect(await call('request_withdrawal', meta.again)).toMatchObject({ moved: true })
})
