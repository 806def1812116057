import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createClient } from '../../src/agents/client/client.ts'
import { openTemporaryAccount } from '../../src/operator/account/open.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { openTarget, type Target } from '../target.ts'
import { BINARY, urlOf } from './binary.ts'

// biome-ignore lint/suspicious/noExplicitAny: what tools answer is what is being tested
type Loose = any

let target: Target
let url: string
beforeAll(async () => {
  target = await openTarget('compiled binary', { LIMIT_MCP: 'off' })
  url = await urlOf(target)
})
const state = temporaryFolder()
afterAll(async () => {
  await target.stop()
  state[Symbol.dispose]()
})

async function newAccount() {
  const client = createClient({
    baseUrl: url,
    transport: (request) => fetch(request),
    nowMs: Date.now,
  })
  const world = {
    clock: { nowMs: Date.now },
    random: { bytes: (length: number) => randomBytes(length) },
  }
  const { accountId, secret } = await openTemporaryAccount(client, world)
  return { accountId, hex: Buffer.from(secret).toString('hex') }
}

async function connect(over: 'http' | 'stdio'): Promise<Client> {
  const { accountId, hex } = await newAccount()
  const client = new Client({ name: 'prepd-test', version: '1' })
  const headers = { 'x-account-id': accountId, 'x-trading-key': hex }
  const env = {
    SERVICE_API_URL: url,
    SERVICE_ACCOUNT_ID: accountId,
    SERVICE_TRADING_KEY: hex,
    SERVICE_MAX_DAILY_USDC: '5000',
    XDG_STATE_HOME: state.path,
  }
  const transport =
    over === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
      : new StdioClientTransport({
          command: BINARY,
          args: ['--mode', 'mcp'],
          env,
          stderr: 'ignore',
        })
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as never)
  return client
}

function callerOf(client: Client) {
  return async (name: string, args: Record<string, unknown> = {}): Promise<Loose> => {
    const { content, isError }: Loose = await client.callTool({ name, arguments: args })
    if (isError) throw new Error(`${name}: ${content[0].text}`)
    return JSON.parse(content[0].text)
  }
}

describe.each(['http', 'stdio'] as const)('an agent trades over %s', (over) => {
  // Slow: an order lives its whole life, call after call.
  test('it finds a market, previews, places, sees it rest, edits, cancels, buys, closes and reads the history', async () => {
    const client = await connect(over)
    const call = callerOf(client)

    const { markets } = await call('list_markets', { search: 'eth' })
    const { symbol, mark_price } = markets[0]
    expect(symbol).toBe('PERP_ETH_USDC')

    const order = { symbol, side: 'BUY', order_type: 'LIMIT', order_quantity: 0.05 }
    const off = await call('preview_order', {
      ...order,
      order_price: mark_price * 0.95 + 0.0001234,
    })
    expect(off.ok).toBe(false)
    const placed = await call('place_order', off.suggested)
    expect(placed).toMatchObject({ client_order_id: expect.any(String) })

    const resting = async () => (await call('list_orders', { status: 'INCOMPLETE', symbol })).orders
    expect(await resting()).toMatchObject([{ order_id: placed.order_id, side: 'BUY' }])
    const edited = { order_id: placed.order_id, symbol }
    await call('edit_order', { ...edited, order_quantity: 0.06 })
    expect(await resting()).toMatchObject([{ quantity: 0.06 }])
    await call('cancel_order', edited)
    expect(await resting()).toEqual([])

    await call('place_order', { ...order, order_type: 'MARKET' })
    const positions = async () => (await call('list_positions')).positions
    expect(await positions()).toMatchObject([{ symbol, position_qty: 0.05 }])
    await call('close_position', { symbol })
    expect((await positions()).filter((row: Loose) => row.position_qty !== 0)).toEqual([])

    const { fills } = await call('list_fills', { symbol })
    const bought = fills.filter((fill: Loose) => fill.side === 'BUY')
    const sum = bought.reduce((all: number, fill: Loose) => all + fill.executed_quantity, 0)
    expect(sum).toBeCloseTo(0.05, 8)
    await client.close()
  })

  test('it reads its limits, and protects an order as it places it', async () => {
    const client = await connect(over)
    const call = callerOf(client)
    expect(await call('get_limits')).toMatchObject(
      over === 'http'
        ? { limits: [] }
        : { limits: [{ limit: 'max_daily_usdc', max: 5000, used: 0, left: 5000 }] },
    )
    const symbol = 'PERP_ETH_USDC'
    const { markets } = await call('list_markets', { search: 'eth' })
    expect(markets[0].spread_pct).toBeNumber()
    const stop_loss = Math.round(markets[0].mark_price * 0.9)
    const order = { symbol, side: 'BUY', order_type: 'MARKET', order_quantity: 0.05, stop_loss }
    const placed = await call('place_order', order)
    expect(placed).toMatchObject({ filled_quantity: 0.05, algo_order_id: expect.any(Number) })
    if (over === 'stdio') {
      const { limits } = await call('get_limits')
      expect(limits[0].used).toBeGreaterThan(0)
      expect(placed.limits_left.daily_usdc).toBe(limits[0].left)
    }
    const { orders } = await call('list_algo_orders', { symbol })
    expect(orders).toMatchObject([{ algo_type: 'TP_SL', quantity: 0.05 }])
    const away = { symbol, side: 'BUY', algo_type: 'STOP', order_quantity: 0.05 }
    await call('place_algo_order', { ...away, trigger_price: stop_loss * 2 })
    expect(await call('cancel_all_orders')).toMatchObject({ algo_orders: 'CANCEL_ALL_SENT' })
    expect((await call('list_algo_orders', { symbol })).orders).toEqual([])
    await client.close()
  })
})
