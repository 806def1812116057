import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentClient } from '../../src/agents/client/narrow.ts'
import type { ToolContext } from '../../src/agents/tool.ts'
import { openAgentFile } from '../../src/store/agent-file.ts'
import {
  newRecords,
  openEmbeddedWorld,
  type ToolWorld,
  usedToday,
  writesDuring,
} from './tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const USDC = 1_000_000n
let world: ToolWorld

beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

async function mark(): Promise<number> {
  return (await world.call('get_market', { symbol: ETH })).market.mark_price
}

describe('limits that a person set', () => {
  const buy = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 100 }

  test('an order above the largest is refused, with the limit and what was asked', async () => {
    const limits = { maxOrderUsdc: 50n * USDC }
    const writes = await writesDuring(world, async () => {
      const { code, meta, message } = await world.refused('place_order', buy, { limits })
      expect(code).toBe('mandate_exceeded')
      expect(message).toStartWith('A limit that was set for this agent does not allow this.')
      expect(meta).toMatchObject({ limit: 50, setting: 'SERVICE_MAX_ORDER_USDC' })
      expect(meta.requested).toBeWithin(102, 104)
      expect(meta.next).toContain('at the highest that the price_range of its market allows')
      const preview = await world.call('preview_order', buy, { limits })
      expect(preview).toMatchObject({
        ok: false,
        problems: [{ code: 'mandate_exceeded', limit: 50 }],
      })
      expect(preview).not.toHaveProperty('suggested')
      expect(meta.next).toContain('Reduce-only orders and close_position are exempt')
    })
    expect(writes).toEqual([])
  })

  test('a sale is worth at least the mark, whatever its price', async () => {
    const limits = { maxOrderUsdc: 100n * USDC }
    const price = Math.ceil((await mark()) * 0.98)
    const args = {
      symbol: ETH,
      side: 'SELL',
      order_type: 'LIMIT',
      order_price: price,
      order_quantity: 0.04,
    }
    expect((await world.refused('place_order', args, { limits })).code).toBe('mandate_exceeded')
  })

  test('an edit counts as the whole order it makes', async () => {
    const price = Math.floor((await mark()) * 0.9)
    const args = {
      symbol: ETH,
      side: 'BUY',
      order_type: 'LIMIT',
      order_price: price,
      order_amount: 80,
    }
    const { order_id } = await world.call('place_order', args)
    const limits = { maxOrderUsdc: 100n * USDC }
    const grown = { order_id, symbol: ETH, order_quantity: 0.06 }
    expect((await world.refused('edit_order', grown, { limits })).code).toBe('mandate_exceeded')
    await world.call('edit_order', { order_id, symbol: ETH, order_quantity: 0.01 }, { limits })
    await world.call('cancel_order', { order_id, symbol: ETH })
  })

  test('another market is refused, and so is all markets at once', async () => {
    const limits = { symbols: ['PERP_BTC_USDC'] }
    const writes = await writesDuring(world, async () => {
      const failure = await world.refused('place_order', buy, { limits })
      expect(failure.meta).toMatchObject({ limit: ['PERP_BTC_USDC'], requested: ETH })
      const all = await world.refused('cancel_all_orders', {}, { limits })
      expect(all).toMatchObject({ code: 'mandate_exceeded', meta: { requested: 'all markets' } })
      const leverage = await world.refused('set_leverage', { symbol: ETH, leverage: 2 }, { limits })
      expect(leverage.code).toBe('mandate_exceeded')
    })
    expect(writes).toEqual([])
  })

  test('reading only refuses every write and no read', async () => {
    const limits = { readOnly: true }
    const lines = world.audit.length
    const writes = await writesDuring(world, async () => {
      const failure = await world.refused('place_order', buy, { limits })
      expect(failure.meta).toMatchObject({ limit: 'read only', requested: 'place_order' })
      await world.call('preview_order', buy, { limits })
      await world.call('get_account', {}, { limits })
    })
    expect(writes).toEqual([])
    expect(world.audit.slice(lines)).toMatchObject([
      { tool: 'place_order', code: 'mandate_exceeded' },
    ])
  })

  test('a day has its sum: what was sent counts, what was refused does not, closing is free', async () => {
    const limits = { maxDailyUsdc: 150n * USDC, maxOrderUsdc: 120n * USDC }
    const records = newRecords()
    const changes: Partial<ToolContext> = { limits, ...records }
    await world.call('place_order', buy, changes)
    const used = await usedToday(world, records)
    expect(used).toBeWithin(99, 101)
    const failure = await world.refused('place_order', buy, changes)
    expect(failure.meta).toMatchObject({
      reason: 'daily_value',
      limit: 150,
      setting: 'SERVICE_MAX_DAILY_USDC',
    })
    expect(failure.meta.left).toBeCloseTo(150 - used, 6)
    const huge = { ...buy, order_amount: undefined, order_quantity: 200 }
    const free = { limits: { maxDailyUsdc: 10_000_000n * USDC }, ...records }
    expect((await world.refused('place_order', huge, free)).code).toBe('insufficient_margin')
    expect(await usedToday(world, records)).toBe(used)
    await world.call(
      'close_position',
      { symbol: ETH },
      { limits: { ...limits, maxOrderUsdc: 1n }, ...records },
    )
    expect(await usedToday(world, records)).toBe(used)
  })

  test('a day is counted over every process that shares the file of its user', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'prepd-limits-'))
    const limits = { maxDailyUsdc: 100n * USDC }
    const order = { ...buy, order_amount: 60 }
    const processes = Array.from({ length: 3 }, () => openAgentFile(join(folder, 'agents.db')))
    const results = await Promise.allSettled(
      processes.map(({ spending, sentOrders }) =>
        world.call('place_order', order, { limits, spending, sentOrders }),
      ),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await world.call('close_position', { symbol: ETH })
    rmSync(folder, { recursive: true })
  })

  test('a day rolls by the clock of the venue, and not at midnight', async () => {
    let venueMs = Date.UTC(2026, 0, 1, 23)
    const get: AgentClient['get'] = async (path, query) => {
      const answer = await world.client.get(path, query)
      return path === '/api/prep/orderbook' ? Object.assign({}, answer, { ts: venueMs }) : answer
    }
    const client = { ...world.client, get }
    const changes = { client, limits: { maxDailyUsdc: 100n * USDC }, ...newRecords() }
    const order = { ...buy, order_amount: 60 }
    await world.call('place_order', order, changes)
    venueMs += 86_399_999
    const { meta } = await world.refused('place_order', order, changes)
    // The sums are of minutes.
    expect(meta).toMatchObject({ reason: 'daily_value', renews_at: Date.UTC(2026, 0, 2, 23, 1) })
    venueMs += 60_001
    await world.call('place_order', order, changes)
    await world.call('close_position', { symbol: ETH })
  })
})

test('each write leaves a line without secrets, refused ones too', async () => {
  const from = world.audit.length
  const args = { symbol: ETH, side: 'SELL', order_type: 'MARKET', order_quantity: 0.02 }
  await world.call('place_order', { ...args, client_order_id: 'mine-1' })
  await world.refused('place_order', { ...args, order_quantity: 200 })
  await world.call('close_position', { symbol: ETH })
  const lines = world.audit.slice(from)
  const account = expect.stringMatching(/^0x[0-9a-f]{4}…[0-9a-f]{4}$/)
  expect(lines).toEqual([
    {
      timeMs: 1_700_000_000_000,
      tool: 'place_order',
      symbol: ETH,
      side: 'SELL',
      size: '0.02',
      client_order_id: 'mine-1',
      code: 'ok',
      account,
    },
    expect.objectContaining({ tool: 'place_order', size: '200', code: 'insufficient_margin' }),
    expect.objectContaining({ tool: 'close_position', side: 'BUY', size: '0.02', code: 'ok' }),
  ])
  const secret = Buffer.from(world.credentials.secret).toString('hex')
  expect(JSON.stringify(lines)).not.toContain(secret)
})
