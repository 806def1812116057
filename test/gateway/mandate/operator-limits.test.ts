import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ClientFailure, Credentials } from '../../../src/agents/client/client.ts'
import { MANDATE_PATH } from '../../../src/contract/act-paths.ts'
import { readExact } from '../../../src/pages/common/exact-json.ts'
import { parseMandate } from '../../../src/pages/trade/account/signed-limits.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../../agents/tool-world.ts'
import { askToLimit, newUser, post, signedBody, WALLETS } from '../../surface/wallets.ts'

const ETH = 'PERP_ETH_USDC'
const ORDER = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.01 }

const wallet = WALLETS.viem()
let world: ToolWorld
let credentials: Credentials
beforeAll(async () => {
  world = await openEmbeddedWorld({
    ...{ AGENT_MAX_ORDER_USDC: '15', AGENT_MAX_DAILY_USDC: '5000' },
    ...{ LIMIT_RELAY: 'off', LIMIT_ACCOUNT: 'off' },
  })
  credentials = await newUser(world, wallet)
})
afterAll(() => world.stop())

const shown = () => world.client.relay(credentials, { method: 'GET', path: MANDATE_PATH })

const placed = () =>
  world.client
    .relay(credentials, { method: 'POST', path: '/v1/order', body: JSON.stringify(ORDER) })
    .then(
      () => 'sent',
      ({ code, meta }: ClientFailure) => ({ code, ...meta }),
    )

async function sign(limits: object) {
  const signed = await signedBody(wallet, await askToLimit(world, wallet, limits))
  expect((await post(world, MANDATE_PATH, signed)).status).toBe(200)
}

/** What a tool says of the order that is itself held to no limit of the operator. */
async function inPreview() {
  const changes = { credentials, clock: { nowMs: Date.now } }
  const { problems } = await world.call('preview_order', ORDER, changes)
  return problems.filter(({ code }: Loose) => code === 'mandate_exceeded')
}

test('limits of the operator do not bind relayed writes of an account without a mandate', async () => {
  expect(await placed()).toBe('sent')
  expect(await shown()).toEqual({ limits: {}, counter: 0, frozenBy: 'none' })
  expect(await inPreview()).toEqual([])
})

test('beside looser ones of a mandate they are named, in the answer, the ticket and the preview', async () => {
  await sign({ maxOrderUsdc: '1000', maxPositionUsdc: '9000' })
  const answer = await shown()
  expect(answer).toMatchObject({
    limits: { maxOrderUsdc: '1000', maxPositionUsdc: '9000' },
    effectiveLimits: { maxOrderUsdc: '15', maxDailyUsdc: '5000', maxPositionUsdc: '9000' },
    used: { maxDailyUsdc: '0' },
  })
  expect(parseMandate(readExact(JSON.stringify(answer)))?.limits).toMatchObject({
    ...{ maxOrderUsdc: 15_000_000n, maxDailyUsdc: 5_000_000_000n },
  })
  expect(await inPreview()).toMatchObject([{ reason: 'order_value', limit: 15 }])
  const reads = ['/v1/algo/orders?status=INCOMPLETE&size=500', '/v1/positions']
  for (const path of reads) await world.client.relay(credentials, { method: 'GET', path })
  expect(await placed()).toMatchObject({ reason: 'order_value', limit: 15 })
})

test('tighter ones of a mandate are the only ones that are named', async () => {
  await sign({ maxOrderUsdc: '12', maxDailyUsdc: '100' })
  expect(await shown()).not.toHaveProperty('effectiveLimits')
  expect(await placed()).toMatchObject({ reason: 'order_value', limit: 12 })
})
