// Slow: each plan is made, sent and read again at a venue.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { jsonPost } from '../../caller.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'

const [BTC, ETH, SOL] = ['PERP_BTC_USDC', 'PERP_ETH_USDC', 'PERP_SOL_USDC']
const USDC = 1_000_000n
const OPERATOR_KEY = 'the-operator-key-of-the-test-of-plans'

let service: ToolWorld
let world: ToolWorld
beforeAll(async () => {
  service = await openEmbeddedWorld({ OPERATOR_KEY, LIMIT_READ: 'off', LIMIT_RELAY: 'off' })
})
afterAll(() => service.stop())

async function fresh(): Promise<ToolWorld> {
  world = await service.another()
  return world
}

/** What the venue says: signed positions and the account value. */
async function venue() {
  const { result } = await world.call('read_account_path', { path: '/v1/positions' })
  const { account_value } = await world.call('get_account')
  const rows = new Map<string, Loose>(result.rows.map((row: Loose) => [row.symbol, row]))
  return {
    value: account_value,
    held: (symbol: string): number => rows.get(symbol)?.position_qty ?? 0,
    weight: (symbol: string): number => {
      const { position_qty = 0, mark_price = 0 } = rows.get(symbol) ?? {}
      return (position_qty * mark_price) / account_value
    },
  }
}

/** Less than a tick of the ETH market. */
const REMAINDER = 0.00004

/** A client at whose venue every position is larger by a remainder that is off the tick. */
function withPositionsOffTick({ client }: ToolWorld): ToolWorld['client'] {
  return {
    ...client,
    relay: async (credentials, call) => {
      const answer: Loose = await client.relay(credentials, call)
      if (call.path !== '/v1/positions') return answer
      const rows = answer.rows.map((row: Loose) => ({
        ...row,
        position_qty: Number((row.position_qty + REMAINDER).toFixed(5)),
      }))
      return { ...answer, rows }
    },
  }
}

const planned = async (targets: object) => (await world.call('rebalance', { targets })).plan

describe('a plan', () => {
  test('sends nothing; called with, it brings three positions to their weights, and reduces before it opens', async () => {
    await fresh()
    await world.call('rebalance', { plan: await planned({ [ETH]: 0.6, [SOL]: -0.3 }) })
    const targets = { [BTC]: 0.25, [ETH]: 0.2, SOL: 0.1 }
    let first: Loose
    const none = await writesDuring(world, async () => {
      first = await world.call('rebalance', { targets })
    })
    expect(none).toEqual([])
    expect(first).toMatchObject({ problems: [], too_small_to_send: [], gross_weight_after: 0.55 })
    let answer: Loose
    const writes = await writesDuring(world, async () => {
      answer = await world.call('rebalance', { plan: first.plan })
    })
    const bodies = writes.map(({ body }) => JSON.parse(body ?? ''))
    expect(bodies.map((body) => [body.symbol, body.side, body.reduce_only ?? false])).toEqual([
      [ETH, 'SELL', true],
      [SOL, 'BUY', true],
      [BTC, 'BUY', false],
      [SOL, 'BUY', false],
    ])
    expect(answer).toMatchObject({ plan_id: first.plan.id, done: true })
    expect(answer.writes.map(({ outcome }: Loose) => outcome)).toEqual(Array(4).fill('filled'))
    const after = await venue()
    for (const [symbol, weight] of [
      [BTC, 0.25],
      [ETH, 0.2],
      [SOL, 0.1],
    ] as const)
      expect(Math.abs(after.weight(symbol) - weight)).toBeLessThan(0.01)
  })

  test('whose positions are there already has nothing to send, and names what it leaves alone', async () => {
    await fresh()
    await world.call('rebalance', { plan: await planned({ [ETH]: 0.3 }) })
    const again = await world.call('rebalance', { targets: { [BTC]: 0 } })
    expect(again.plan.writes).toEqual([])
    expect(again.untouched_positions).toEqual([ETH])
    expect(again.next).toContain('Nothing to send')
    expect(await world.call('rebalance', { plan: again.plan })).toMatchObject({
      done: true,
      writes: [],
    })
  })

  test('of anything smaller than the market takes sends none of it and says the rest', async () => {
    await fresh()
    await world.call('rebalance', { plan: await planned({ [ETH]: 0.3 }) })
    const { mark_price } = (await world.call('get_market', { symbol: ETH })).market
    const { value, weight } = await venue()
    const bit = (5 * mark_price * 0.0001) / value
    const answer = await world.call('rebalance', {
      targets: { [ETH]: weight(ETH) + bit, [BTC]: 0.00001 },
    })
    expect(answer.plan.writes).toEqual([])
    expect(answer.too_small_to_send).toMatchObject([{ symbol: ETH, side: 'BUY' }])
    const [small] = answer.too_small_to_send
    expect(small.order_quantity).toBeLessThan(small.smallest_quantity)
  })

  test('of a position that is off the tick leaves the remainder, which it says, and goes', async () => {
    await fresh()
    await world.call('rebalance', { plan: await planned({ [ETH]: 0.3 }) })
    const held = (await venue()).held(ETH)
    const client = withPositionsOffTick(world)
    const answer = await world.call('rebalance', { targets: { [ETH]: 0 } }, { client })
    expect(answer.problems).toEqual([])
    expect(answer.plan.writes).toMatchObject([{ side: 'SELL', order_quantity: held }])
    expect(answer.too_small_to_send).toMatchObject([
      { symbol: ETH, side: 'SELL', order_quantity: REMAINDER, reduce_only: true },
    ])
    const { closing, status } = await world.call('close_position', { symbol: ETH }, { client })
    expect({ closing, status }).toEqual({ closing: held, status: 'FILLED' })
  })

  test('sent again after a lost answer answers what its orders did, and sends none twice', async () => {
    await fresh()
    const plan = await planned({ [ETH]: 0.2, [BTC]: -0.2 })
    const first = await world.call('rebalance', { plan })
    const writes = await writesDuring(world, async () => {
      const second = await world.call('rebalance', { plan })
      expect(second.writes).toEqual(first.writes)
      expect(second.done).toBe(true)
    })
    expect(writes).toEqual([])
  })

  test('goes on where it was interrupted, though its own orders have changed positions', async () => {
    await fresh()
    const plan = await planned({ [ETH]: 0.2, [BTC]: -0.2 })
    const limits = { symbols: [ETH] }
    const held = await world.call('rebalance', { plan }, { limits })
    expect(held.done).toBe(false)
    expect(held.writes).toMatchObject([
      { outcome: 'filled' },
      { outcome: 'failed', code: 'mandate_exceeded' },
    ])
    const writes = await writesDuring(world, async () => {
      expect(await world.call('rebalance', { plan })).toMatchObject({ done: true })
    })
    expect(writes).toHaveLength(1)
    const after = await venue()
    expect(after.held(ETH)).toBeCloseTo(plan.writes[0].order_quantity, 9)
    expect(after.held(BTC)).toBeCloseTo(-plan.writes[1].order_quantity, 9)
  })
})

describe('nothing of a plan is sent', () => {
  async function refusedWhole(plan: object, changes: object = {}) {
    let failure: Loose
    const writes = await writesDuring(world, async () => {
      failure = await world.refused('rebalance', { plan }, changes)
    })
    expect(writes).toEqual([])
    expect(failure.code).toBe('invalid_request')
    return failure.meta
  }

  test('that was changed anywhere: its id is the digest of the rest', async () => {
    await fresh()
    const plan = await planned({ [ETH]: 0.2, [BTC]: -0.2 })
    const numbers: string[] = []
    JSON.stringify(plan, (key, value) => {
      if (typeof value === 'number') numbers.push(key)
      return value
    })
    for (let at = 0; at < numbers.length; at += 1) {
      let seen = -1
      const changed = JSON.parse(
        JSON.stringify(plan, (_, value) => {
          if (typeof value !== 'number') return value
          seen += 1
          return seen === at ? value + 1 : value
        }),
      )
      expect(await refusedWhole(changed)).toMatchObject({ parameter: 'plan', reason: 'malformed' })
    }
    expect(await refusedWhole({ ...plan, writes: plan.writes.toReversed() })).toMatchObject({
      reason: 'malformed',
    })
    expect(await refusedWhole({ id: plan.id })).toMatchObject({ reason: 'malformed' })
  })

  test('whose position has changed since, which it says', async () => {
    await fresh()
    const plan = await planned({ [ETH]: 0.2 })
    await world.call('place_order', {
      symbol: ETH,
      side: 'BUY',
      order_type: 'MARKET',
      order_quantity: 0.05,
    })
    expect(await refusedWhole(plan)).toMatchObject({
      parameter: 'plan',
      reason: 'conflicting',
      changed: [{ symbol: ETH, what: 'position_qty', was: 0, now: 0.05 }],
    })
  })

  test('whose price has moved by more than a hundredth, which it says', async () => {
    await fresh()
    const plan = await planned({ [SOL]: 0.2 })
    const shock = jsonPost({ symbol: SOL, share: 0.03 })
    const headers = { ...Object(shock.headers), authorization: `Bearer ${OPERATOR_KEY}` }
    await service.fetch('/api/admin/venue/price/shock', { ...shock, headers })
    await service.ops('/venue/advance?ms=60000', { method: 'POST' })
    const { changed } = await refusedWhole(plan)
    expect(changed).toMatchObject([
      { symbol: SOL, what: 'mark_price', was: plan.markets[0].mark_price },
    ])
    expect(changed[0].now).toBeGreaterThan(changed[0].was * 1.01)
  })

  test('that is older than a quarter of an hour', async () => {
    await fresh()
    const plan = await planned({ [ETH]: 0.2 })
    const at = (nowMs: number) => ({ venueClock: { nowMs: () => nowMs } })
    expect(await refusedWhole(plan, at(plan.expires_at + 1))).toMatchObject({ reason: 'spent' })
    expect(await world.call('rebalance', { plan }, at(plan.expires_at))).toMatchObject({
      done: true,
    })
  })
})

describe('limits', () => {
  test('that the orders of a plan break together are its problems; those it reaches end it', async () => {
    await fresh()
    const limits = { maxOrderUsdc: 1_000n * USDC }
    const { plan, problems } = await world.call(
      'rebalance',
      { targets: { [ETH]: 0.05, [BTC]: 0.5, [SOL]: 0.05 } },
      { limits },
    )
    expect(problems).toMatchObject([{ code: 'mandate_exceeded', limit: 1000 }])
    const { done, writes } = await world.call('rebalance', { plan }, { limits })
    expect(done).toBe(false)
    expect(writes.map(({ outcome }: Loose) => outcome)).toEqual(['filled', 'failed', 'not_sent'])
    expect(writes[1]).toMatchObject({
      symbol: BTC,
      code: 'mandate_exceeded',
      meta: { limit: 1000 },
    })
    expect((await venue()).held(SOL)).toBe(0)
  })
})

describe('targets', () => {
  test('of any sign and size become orders that end there, from any position', async () => {
    const weight = fc.integer({ min: -40, max: 40 }).map((percent) => percent / 100)
    for (const [from, to] of fc.sample(fc.tuple(weight, weight), { seed: 5, numRuns: 6 })) {
      await fresh()
      await world.call('rebalance', { plan: await planned({ [ETH]: from }) })
      const before = await venue()
      const { plan } = await world.call('rebalance', { targets: { [ETH]: to } })
      expect((await world.call('rebalance', { plan })).done).toBe(true)
      const after = await venue()
      const { mark_price } = plan.markets[0]
      expect(Math.abs(after.held(ETH) * mark_price - to * before.value)).toBeLessThan(
        mark_price * 0.01,
      )
    }
  })
})
