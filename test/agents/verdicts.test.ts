import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Credentials } from '../../src/agents/client/client.ts'
import { askToLimit, newUser, post, signedBody, WALLETS } from '../surface/wallets.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld, writesDuring } from './tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const USDC = 1_000_000n
const BUY = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 200 }

const wallet = WALLETS.viem()
let world: ToolWorld
let credentials: Credentials
beforeAll(async () => {
  world = await openEmbeddedWorld()
  credentials = await newUser(world, wallet)
})
afterAll(() => world.stop())

const sign = async (limits: object, frozen = false) => {
  const signed = await signedBody(wallet, await askToLimit(world, wallet, limits, frozen))
  expect((await post(world, '/api/prep/mandate', signed)).status).toBe(200)
}

/** The answer of a tool that only looks, which sends no write. */
async function look(name: string, args: object, limits = {}): Promise<Loose> {
  const changes = { credentials, limits, clock: { nowMs: Date.now } }
  let answer: Loose
  expect(
    await writesDuring(world, async () => (answer = await world.call(name, args, changes))),
  ).toEqual([])
  return answer
}

const codes = (rows: readonly { code: string }[] = []) => rows.map(({ code }) => code)

describe('before anything is signed', () => {
  test('a preview says what the mandate of the account would refuse, and what goes', async () => {
    await sign({ maxOrderUsdc: '100', maxPositionUsdc: '5000' })
    const { ok, problems } = await look('preview_order', BUY)
    expect(ok).toBe(false)
    expect(problems).toMatchObject([
      { code: 'mandate_exceeded', reason: 'order_value', limit: 100, setting: 'mandate' },
    ])
    expect(await look('preview_order', { ...BUY, order_amount: 50 })).toMatchObject({ ok: true })
    const plan = await look('rebalance', { targets: { [ETH]: 0.05 } })
    expect(plan.problems).toMatchObject([{ code: 'mandate_exceeded', setting: 'mandate' }])
  })

  test('a preview says that an order needs the approval of the owner, per write and per day', async () => {
    await sign({ approveAboveUsdc: '100' })
    const { ok, needs_approval } = await look('preview_order', BUY)
    expect(ok).toBe(true)
    expect(codes(needs_approval)).toEqual(['approval_required'])
    expect(await look('preview_order', { ...BUY, order_amount: 50 })).not.toHaveProperty(
      'needs_approval',
    )
    await sign({ approveAboveDailyUsdc: '100' })
    expect(codes((await look('preview_order', BUY)).needs_approval)).toEqual(['approval_required'])
    const plan = await look('rebalance', { targets: { [ETH]: 0.05 } })
    expect(codes(plan.needs_approval)).toEqual(['approval_required'])
    await sign({})
    const own = await look('preview_order', BUY, { approveAboveUsdc: 100n * USDC })
    expect(own.needs_approval).toMatchObject([{ setting: 'SERVICE_APPROVE_ABOVE_USDC' }])
  })

  test('a preview says that a frozen account opens nothing', async () => {
    await sign({}, true)
    expect((await look('preview_order', BUY)).problems).toMatchObject([
      { code: 'mandate_exceeded', reason: 'frozen' },
    ])
    const reduces = { ...BUY, side: 'SELL', reduce_only: true }
    expect(codes((await look('preview_order', reduces)).problems)).not.toContain('mandate_exceeded')
  })
})
