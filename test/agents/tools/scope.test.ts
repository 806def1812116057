import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newUser, WALLETS } from '../../surface/wallets.ts'
import { rested } from '../tasks/task.ts'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

test('a read that the key has no scope for names the scope, and the key stays accepted', async () => {
  await world.call('get_account')
  const { code, meta } = await world.refused('list_account_history', { kind: 'transfers' })
  expect({ code, ...meta }).toMatchObject({
    ...{ code: 'unauthorized', reason: 'scope', expected: 'scope asset' },
    next: expect.stringContaining('is accepted'),
  })
  // Only a key that the venue has accepted may do this.
  expect(await world.call('standby', { action: 'show' })).toMatchObject({ state: 'none' })
  await rested(world, ETH)
  expect((await world.call('list_orders')).total).toBe(1)
})

test('a key that only reads is refused an order with the scope it lacks, and reads on', async () => {
  const credentials = await newUser(world, WALLETS.viem(), Date.now() + 3_600_000, 'read')
  const own = { credentials }
  await world.call('get_account', {}, own)
  const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 50 }
  const { code, meta } = await world.refused('place_order', order, own)
  expect({ code, ...meta }).toMatchObject({
    code: 'unauthorized',
    reason: 'scope',
    expected: 'scope trading',
  })
  expect(await world.call('standby', { action: 'show' }, own)).toMatchObject({ state: 'none' })
})
