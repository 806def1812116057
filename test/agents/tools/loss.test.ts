import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Credentials } from '../../../src/agents/client/client.ts'
import { MANDATE_PATH } from '../../../src/contract/act-paths.ts'
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

type Wallet = ReturnType<typeof WALLETS.viem>

/** An account whose wallet limits its losses, with an order at the market. */
async function trader(side: 'BUY' | 'SELL'): Promise<Credentials> {
  const wallet = WALLETS.viem()
  const credentials = await holder(wallet, side)
  await limitLosses(wallet)
  return credentials
}

async function holder(wallet: Wallet, side: 'BUY' | 'SELL'): Promise<Credentials> {
  const credentials = await newUser(world, wallet)
  const order = { symbol: ETH, side, order_type: 'MARKET', order_quantity: 1 }
  await world.call('place_order', order, { credentials })
  return credentials
}

async function limitLosses(wallet: Wallet): Promise<void> {
  const signed = await signedBody(wallet, await askToLimit(world, wallet, { maxLossUsdc: '5000' }))
  expect((await post(world, MANDATE_PATH, signed)).status).toBe(200)
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

test('funding is read once a minute, however often limits ask for it', async () => {
  const credentials = await trader('BUY')
  const changes = { credentials, limits: { maxLossUsdc: 5_000_000_000n } }
  const reads = (path: string) => world.sent.filter((sent) => sent.path.startsWith(path)).length
  const [funding, fills] = [reads('/v1/funding_fee/history'), reads('/v1/trades')]
  for (let call = 0; call < 25; call += 1) {
    const { limits } = await world.call('get_limits', {}, changes)
    expect(limits[0].used).not.toBeNull()
  }
  expect(reads('/v1/funding_fee/history') - funding).toBe(1)
  expect(reads('/v1/trades') - fills).toBe(25)
  await world.ops('/venue/advance?ms=60000', { method: 'POST' })
  await world.call('get_limits', {}, changes)
  expect(reads('/v1/funding_fee/history') - funding).toBe(2)
})

test('the funding of another account is read for it', async () => {
  const [one, other] = [await trader('BUY'), await trader('BUY')]
  const reads = () => world.sent.filter(({ path }) => path.startsWith('/v1/funding_fee')).length
  const limits = { maxLossUsdc: 5_000_000_000n }
  await world.call('get_limits', {}, { credentials: one, limits })
  const before = reads()
  await world.call('get_limits', {}, { credentials: other, limits })
  expect(reads() - before).toBe(1)
})

const PREVIEWED = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 1 }

test.each([
  ['list_positions', {}],
  ['preview_order', PREVIEWED],
])(
  'a mandate counts the funding of %s, although the tools had read it before',
  async (tool, args) => {
    const wallets = [WALLETS.viem(), WALLETS.viem()] as const
    const holders = [await holder(wallets[0], 'BUY'), await holder(wallets[1], 'SELL')]
    await world.ops(`/venue/advance?ms=${HOURS_9_MS}`, { method: 'POST' })
    const limits = { maxLossUsdc: 5_000_000_000n }
    for (const credentials of holders) await world.call('get_limits', {}, { credentials, limits })
    await Promise.all(wallets.map(limitLosses))
    const nets: number[] = []
    for (const credentials of holders) {
      await world.call(tool, args, { credentials })
      const { pnl } = await world.call('get_report', {}, { credentials })
      const call = { method: 'GET', path: MANDATE_PATH } as const
      const { used } = Object(await world.client.relay(credentials, call))
      expect(pnl.value_24h.funding).not.toBe(0)
      expect(Number(used.maxLossUsdc)).toBe(Math.max(0, -pnl.value_24h.net))
      nets.push(pnl.value_24h.net)
    }
    expect(Math.min(...nets)).toBeLessThan(0)
  },
)
