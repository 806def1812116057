import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, ClientFailure, type Credentials } from '../../src/agents/client/client.ts'
import { MANDATE_PATH } from '../../src/contract/act-paths.ts'
import { readExact } from '../../src/pages/common/exact-json.ts'
import { parseMandate } from '../../src/pages/trade/account/signed-limits.ts'
import { changeLimits, ticketLimits } from '../../src/pages/trade/orders/ticket-limits.ts'
import { toMarketRules } from '../../src/perp/market-rules.ts'
import { UNKNOWN_ORDER } from '../../src/perp/order-worst-case.ts'
import { openEmbeddedWorld, type ToolWorld } from '../agents/tool-world.ts'
import { deleteStore } from '../surface/lost-store.ts'
import { askToLimit, newUser, post, signedBody, WALLETS } from '../surface/wallets.ts'
import { openTarget } from '../target.ts'

const ETH = 'PERP_ETH_USDC'
const BUY = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.1 }
const LOST = /^The store was missing beside its mark at /

const dataDir = mkdtempSync(join(tmpdir(), 'prepd-after-loss-'))
const wallet = WALLETS.viem()
let world: ToolWorld
let credentials: Credentials
beforeAll(async () => {
  const before = await openTarget('in process', { DATA_DIR: dataDir, VENUE_CLOCK: 'virtual' })
  await newUser(before)
  await before.stop()
  deleteStore(dataDir)
  world = await openEmbeddedWorld({ DATA_DIR: dataDir })
  credentials = await newUser(world, wallet)
})
afterAll(async () => {
  await world.stop()
  rmSync(dataDir, { recursive: true })
})

async function send(method: 'GET' | 'POST', path: string, body?: object) {
  const call = { method, path, ...(body && { body: JSON.stringify(body) }) }
  const answer = world.client.relay(credentials, call as Parameters<Client['relay']>[1])
  return Object(
    await answer.catch((error) => {
      if (error instanceof ClientFailure) return { code: error.code, reason: error.meta['reason'] }
      throw error
    }),
  )
}

/** What the ticket and the dialogs of margin say; undefined where no limit forbids. */
async function onPage() {
  const answer = readExact(JSON.stringify(await send('GET', MANDATE_PATH)))
  const signed = parseMandate(answer)
  if (!signed) throw new Error('no answer')
  const market = { ...toMarketRules({ symbol: ETH }), mark: null }
  const state = { ...signed, figures: null, nowMs: Date.now() }
  const ticket = ticketLimits(market, [UNKNOWN_ORDER], state, 'in one write')
  const dialog = changeLimits(signed, Date.now(), { symbol: ETH, leverage: 5 })
  return [ticket, dialog].map(({ excess: [first] }) => first?.reason)
}

const tool = (name: string, args: object = {}) =>
  world.call(name, args, { credentials, clock: { nowMs: Date.now } })

test('after records were lost, page and tools say before anything is signed what the relay answers', async () => {
  expect(await send('POST', '/v1/order', BUY)).toEqual({
    code: 'not_available',
    reason: 'restored',
  })
  const shown = await send('GET', MANDATE_PATH)
  expect(shown).toMatchObject({ limits: {}, frozenBy: 'none', stillOpening: null })
  expect(shown.recordsLost).toMatch(LOST)
  expect(await onPage()).toEqual(['restored', 'restored'])
  const preview = await tool('preview_order', BUY)
  expect(preview).toMatchObject({
    ok: false,
    problems: [{ code: 'not_available', reason: 'restored' }],
    next: expect.stringContaining('the wallet of the account signs its mandate'),
  })
  expect(preview).not.toHaveProperty('suggested')
  expect((await tool('get_limits')).records_lost).toMatch(LOST)
  const reduction = await tool('preview_order', { ...BUY, side: 'SELL', reduce_only: true })
  expect(JSON.stringify(reduction.problems)).not.toContain('restored')
})

test('once the wallet has signed a mandate, neither of them says so', async () => {
  const signed = await signedBody(wallet, await askToLimit(world, wallet, {}))
  expect((await post(world, MANDATE_PATH, signed)).status).toBe(200)
  expect(await send('GET', MANDATE_PATH)).toEqual({ limits: {}, counter: 1, frozenBy: 'none' })
  expect(await onPage()).toEqual([undefined, undefined])
  expect(await tool('preview_order', BUY)).toMatchObject({ ok: true, problems: [] })
  expect(await tool('get_limits')).not.toHaveProperty('records_lost')
  expect(await send('POST', '/v1/order', BUY)).toMatchObject({ order_id: expect.any(Number) })
})
