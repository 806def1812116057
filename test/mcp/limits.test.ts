import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createDailySpend, limitsOf, withinLimits } from '../../src/mcp/limits.ts'
import { refusal } from '../../src/mcp/refusal.ts'
import type { ToolContext } from '../../src/mcp/tool.ts'
import { CONTEXT } from './fixture.ts'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from './tool-world.ts'

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

  test('an order above the largest is forbidden, with the limit and what was asked', async () => {
    const limits = { readOnly: false, maxOrderUsdc: 50n * USDC }
    const writes = await writesDuring(world, async () => {
      const { code, meta } = await world.refused('place_order', buy, { limits })
      expect(code).toBe('forbidden')
      expect(meta).toMatchObject({ limit: 50, setting: 'SERVICE_MAX_ORDER_USDC' })
      expect(meta.requested).toBeWithin(99, 101)
      const preview = await world.call('preview_order', buy, { limits })
      expect(preview).toMatchObject({ ok: false, problems: [{ code: 'forbidden', limit: 50 }] })
      expect(preview).not.toHaveProperty('suggested')
      expect(meta.next).toContain('Reduce-only orders and close_position are exempt')
    })
    expect(writes).toEqual([])
  })

  test('a sale is worth at least the mark, whatever its price', async () => {
    const limits = { readOnly: false, maxOrderUsdc: 100n * USDC }
    const price = Math.ceil((await mark()) * 0.98)
    const args = {
      symbol: ETH,
      side: 'SELL',
      order_type: 'LIMIT',
      order_price: price,
      order_quantity: 0.04,
    }
    expect((await world.refused('place_order', args, { limits })).code).toBe('forbidden')
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
    const limits = { readOnly: false, maxOrderUsdc: 100n * USDC }
    const grown = { order_id, symbol: ETH, order_quantity: 0.06 }
    expect((await world.refused('edit_order', grown, { limits })).code).toBe('forbidden')
    await world.call('edit_order', { order_id, symbol: ETH, order_quantity: 0.01 }, { limits })
    await world.call('cancel_order', { order_id, symbol: ETH })
  })

  test('another market is forbidden, and so is all markets at once', async () => {
    const limits = { readOnly: false, allowedSymbols: ['PERP_BTC_USDC'] }
    const writes = await writesDuring(world, async () => {
      const failure = await world.refused('place_order', buy, { limits })
      expect(failure.meta).toMatchObject({ limit: ['PERP_BTC_USDC'], requested: ETH })
      const all = await world.refused('cancel_all_orders', {}, { limits })
      expect(all).toMatchObject({ code: 'forbidden', meta: { requested: 'all markets' } })
      const leverage = await world.refused('set_leverage', { symbol: ETH, leverage: 2 }, { limits })
      expect(leverage.code).toBe('forbidden')
    })
    expect(writes).toEqual([])
  })

  test('reading only forbids every write and no read', async () => {
    const limits = { readOnly: true }
    const lines = world.audit.length
    const writes = await writesDuring(world, async () => {
      const failure = await world.refused('place_order', buy, { limits })
      expect(failure.meta).toMatchObject({ limit: 'read only', requested: 'place_order' })
      await world.call('preview_order', buy, { limits })
      await world.call('get_account', {}, { limits })
    })
    expect(writes).toEqual([])
    expect(world.audit.slice(lines)).toMatchObject([{ tool: 'place_order', code: 'forbidden' }])
  })

  test('a day has its sum: what was sent counts, what was refused does not, closing is free', async () => {
    const limits = { readOnly: false, maxDailyUsdc: 150n * USDC, maxOrderUsdc: 120n * USDC }
    const daily = createDailySpend({ nowMs: () => 0 })
    const changes: Partial<ToolContext> = { limits, daily }
    await world.call('place_order', buy, changes)
    const spent = daily.spent()
    expect(Number(spent)).toBeWithin(99_000_000, 101_000_000)
    const failure = await world.refused('place_order', buy, changes)
    expect(failure.meta).toMatchObject({ limit: 150, setting: 'SERVICE_MAX_DAILY_USDC' })
    const huge = { ...buy, order_amount: undefined, order_quantity: 200 }
    const free = { limits: { readOnly: false, maxDailyUsdc: 10_000_000n * USDC }, daily }
    expect((await world.refused('place_order', huge, free)).code).toBe('insufficient_margin')
    expect(daily.spent()).toBe(spent)
    await world.call(
      'close_position',
      { symbol: ETH },
      { limits: { ...limits, maxOrderUsdc: 1n }, daily },
    )
    expect(daily.spent()).toBe(spent)
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

test('the limits of the environment are taken over, and those that nobody set are absent', () => {
  const limits = {
    maxOrderUsdc: 250_500_000n,
    maxDailyUsdc: 7n,
    allowedSymbols: [ETH],
    readOnly: true,
  }
  expect(limitsOf({ limits })).toEqual(limits)
  const none = { maxOrderUsdc: null, maxDailyUsdc: null, allowedSymbols: null, readOnly: false }
  expect(limitsOf({ limits: none })).toEqual({ readOnly: false })
})

test('the day’s spending starts again at midnight UTC', () => {
  let nowMs = Date.UTC(2026, 0, 1, 23, 59, 59)
  const daily = createDailySpend({ nowMs: () => nowMs })
  expect(daily.spent()).toBe(0n)
  const takeBack = daily.reserve(5n)
  daily.reserve(7n)
  takeBack()
  takeBack()
  expect(daily.spent()).toBe(7n)
  nowMs += 1000
  expect(daily.spent()).toBe(0n)
  daily.reserve(3n)
  expect(daily.spent()).toBe(3n)
})

test('an order of yesterday that is refused today gives nothing to today', async () => {
  let nowMs = Date.UTC(2026, 0, 1, 23, 59, 59)
  const daily = createDailySpend({ nowMs: () => nowMs })
  const limits = { readOnly: false, maxDailyUsdc: 1000n }
  const context = { ...CONTEXT, limits, daily }
  const spend = (value: bigint, send: () => Promise<void>) =>
    withinLimits(context, { order: value, daily: value }, send)
  const answer = Promise.withResolvers<void>()
  const late = spend(700n, () => answer.promise)
  nowMs += 1000
  await spend(1000n, async () => undefined)
  answer.reject(refusal('insufficient_margin'))
  await expect(late).rejects.toMatchObject({ code: 'insufficient_margin' })
  expect(daily.spent()).toBe(1000n)
  await expect(spend(700n, async () => undefined)).rejects.toMatchObject({ code: 'forbidden' })
})

test('a clock that steps back over midnight begins no day again', () => {
  let nowMs = Date.UTC(2026, 0, 2)
  const daily = createDailySpend({ nowMs: () => nowMs })
  daily.reserve(5n)
  nowMs -= 1000
  expect(daily.spent()).toBe(5n)
  nowMs += 1000
  expect(daily.spent()).toBe(5n)
})
