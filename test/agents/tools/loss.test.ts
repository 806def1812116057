import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Credentials } from '../../../src/agents/client/client.ts'
import { MANDATE_PATH } from '../../../src/contract/mandate-path.ts'
import { askToLimit, newUser, post, signedBody, WALLETS } from '../../surface/wallets.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const HOURS_9_MS = 9 * 3_600_000

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld({
    ...{ OPS_LISTEN: '127.0.0.1:0', LIMIT_RELAY: 'off', LIMIT_ACCOUNT: 'off', LIMIT_WRITE: 'off' },
  })
})
afterAll(() => world.stop())

/** An account whose wallet limits its losses, with an order at the market. */
async function trader(side: 'BUY' | 'SELL'): Promise<Credentials> {
  const wallet = WALLETS.viem()
  const credentials = await newUser(world, wallet)
  const order = { symbol: ETH, side, order_type: 'MARKET', order_quantity: 1 }
  await world.call('place_order', order, { credentials })
  const signed = await signedBody(wallet, await askToLimit(world, wallet, { maxLossUsdc: '5000' }))
  expect((await post(world, MANDATE_PATH, signed)).status).toBe(200)
  return credentials
}

test('a limit of losses counts what the report says that 24 hours cost, to the last digit', async () => {
  const traders = [await trader('BUY'), await trader('SELL')]
  await world.ops(`/venue/advance?ms=${HOURS_9_MS}`, { method: 'POST' })
  const results = await Promise.all(
    traders.map(async (credentials) => {
      const changes = { credentials, limits: { maxLossUsdc: 5_000_000_000n } }
      const { pnl } = await world.call('get_report', {}, { credentials })
      await world.call('list_positions', {}, { credentials })
      const { used } = Object(
        await world.client.relay(credentials, { method: 'GET', path: MANDATE_PATH }),
      )
      const { limits } = await world.call('get_limits', {}, changes)
      const lost = limits.map((row: Loose) => row.used)
      return { value: pnl.value_24h, signed: Number(used.maxLossUsdc), lost }
    }),
  )
  for (const { value, signed, lost } of results) {
    expect(value.fees).toBeLessThan(0)
    expect(value.funding).not.toBe(0)
    const loss = value.net < 0 ? -value.net : 0
    expect(lost).toEqual([loss, loss])
    expect(signed).toBe(loss)
  }
  expect(results.some(({ value }) => value.net < 0)).toBe(true)
})
