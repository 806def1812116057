import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { envelope, jsonPost, type TestCall, type TestCaller } from '../../caller.ts'
import { UNLIMITED } from '../../faults/unlimited.ts'
import { runs } from '../../runs.ts'
import { askToLimit, newUser, post, signedBody, WALLETS } from '../../surface/wallets.ts'
import { CHEAP_WORLD, openInProcess, type Target } from '../../target.ts'
import { ANY_WRITES, ETH } from './any-write.ts'

const KEY = 'the-operator-key-of-the-test-of-limits'
const SETTINGS = { ...UNLIMITED, ...CHEAP_WORLD, VENUE_CLOCK: 'virtual', OPERATOR_KEY: KEY }

// biome-ignore lint/suspicious/noExplicitAny: answers of a venue
type Loose = any

let nowMs = Date.now()
let target: Target
let caller: TestCaller
beforeAll(async () => {
  target = await openInProcess({ LISTEN: '127.0.0.1:0', ...SETTINGS }, { nowMs: () => nowMs })
  const wallet = WALLETS.viem()
  caller = await newUser(target, wallet, nowMs + 86_400_000)
  const limits = await askToLimit(target, wallet, { maxDailyUsdc: '900000000000' })
  expect((await post(target, '/api/prep/mandate', await signedBody(wallet, limits))).status).toBe(
    200,
  )
  await command('faucet', { account: caller.accountId, usdc: 10_000_000 })
})
afterAll(() => target.stop())

async function command(name: string, fields: object): Promise<void> {
  const { headers, ...sent } = jsonPost(fields)
  const authorized = { ...Object(headers), authorization: `Bearer ${KEY}` }
  const answer = await target.fetch(`/api/admin/venue/${name}`, { ...sent, headers: authorized })
  if (!answer.ok) throw new Error(await answer.text())
}

async function relayed(call: TestCall): Promise<Loose> {
  nowMs += 1
  const signed = envelope(caller, { ...call, timestamp: String(nowMs) })
  return (await target.fetch('/api/prep/relay', jsonPost(signed))).json()
}

const read = async (path: string) => (await relayed({ method: 'GET', path })).rows
const markOf = async () => {
  const { markets }: Loose = await (await target.fetch('/api/prep/markets')).json()
  return markets.find(({ symbol }: Loose) => symbol === ETH).mark_price
}
const reserved = async () =>
  Number((await relayed({ method: 'GET', path: '/api/prep/mandate' })).used.maxDailyUsdc)

/** The value of what was executed after a trade, and may still be in the book, of orders that may open. */
async function openedSince(last: number): Promise<number> {
  const orders = await read('/v1/orders?size=500')
  const opening = new Set(
    orders.filter((row: Loose) => !row.reduce_only).map((row: Loose) => row.order_id),
  )
  const trades = await read('/v1/trades?size=500')
  const filled = trades
    .filter(({ id, order_id }: Loose) => id > last && opening.has(order_id))
    .map((trade: Loose) => trade.executed_price * trade.executed_quantity)
  const resting = orders
    .filter(
      (row: Loose) => opening.has(row.order_id) && /^(?:NEW|PARTIAL_FILLED)$/.test(row.status),
    )
    .map((row: Loose) => (row.quantity - row.executed) * row.price)
  return [...filled, ...resting].reduce((sum, value) => sum + value, 0)
}

/** Sends writes one after the other; answers what they have reserved. */
async function reservedBy(writes: readonly Loose[]): Promise<number> {
  const before = await reserved()
  let orderId = 0
  for (const write of writes) {
    const [method, path, body] = write(await markOf(), orderId)
    const { order_id } = await relayed({ method, path, body: JSON.stringify(body) })
    orderId = order_id ?? 0
  }
  return (await reserved()) - before
}

// Slow: a venue lives on after each of its orders.
test('no write of any kind executes, opens or waits in the book for more than it has reserved', async () => {
  const opened = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(ANY_WRITES, async ({ kind, moves, ...writes }) => {
      // What is kept of the market is older by then.
      nowMs += 60_000
      const [newest] = await read('/v1/trades?size=1')
      const most = await reservedBy(writes[kind as keyof typeof writes])
      for (const share of moves) {
        await command('price/shock', { symbol: ETH, share: share / 1000 })
        await command('clock/advance', { by: '20s' })
      }
      const value = await openedSince(newest?.id ?? 0)
      if (value > 0) opened.set(kind, (opened.get(kind) ?? 0) + 1)
      expect(value).toBeLessThanOrEqual(most + 1e-6)
      await relayed({ method: 'DELETE', path: '/v1/algo/orders' })
      await relayed({ method: 'DELETE', path: '/v1/orders' })
    }),
    { numRuns: runs(25) },
  )
  // In half of the runs nothing opens: what is refused, what only reduces, and triggers that are not met.
  expect(opened.values().reduce((sum, count) => sum + count, 0)).toBeGreaterThan(runs(3))
  expect(opened.has('trailing')).toBe(false)
})
