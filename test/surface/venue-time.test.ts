import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Credentials } from '../../src/agents/client/client.ts'
import { ToolFailure } from '../../src/agents/tool.ts'
import { TOOLS } from '../../src/agents/tools/tools.ts'
import { ROUTES, type Route } from '../../src/contract/routes.ts'
import { openTemporaryAccount, VIRTUAL_KEY_LIFE_MS } from '../../src/operator/account/open.ts'
import { openEmbeddedWorld, type ToolWorld } from '../agents/tool-world.ts'
import { wallTimes } from './wall-times.ts'

const ETH = 'PERP_ETH_USDC'
const START = '2031-05-06T07:00:00Z'
const HOUR_MS = 3_600_000
/** The clock of the tools in a ToolWorld. */
const TOOLS_WALL_MS = 1_700_000_000_000

const OUTSIDE = {
  clock: { nowMs: Date.now },
  random: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) },
}

let world: ToolWorld
let venueMs: number
/** Of a key that ends within the hour around now in which `wallTimes` finds times. */
let credentials: Credentials
beforeAll(async () => {
  world = await openEmbeddedWorld({ VENUE_START: START, SWAP: 'embedded', POINTS: 'on' })
  await world.ops(`/venue/advance?ms=${HOUR_MS}`, { method: 'POST' })
  venueMs = Date.parse(START) + HOUR_MS
  credentials = await openTemporaryAccount(world.client, { ...OUTSIDE, keyLifeMs: HOUR_MS / 2 })
})
afterAll(() => world.stop())

const BODYLESS: Readonly<Record<string, string>> = {
  symbol: ETH,
  address: '0x1111111111111111111111111111111111111111',
  topics: 'tickers',
}

test('every answer names the time of the venue, and none on a real clock does', async () => {
  const named = async (path: string) => (await world.fetch(path)).headers.get('x-prepd-venue-time')
  for (const path of ['/api/prep/markets', '/api/prep/markets', '/api/prep/none'])
    expect(await named(path)).toBe(String(venueMs))
  const real = await openEmbeddedWorld({ VENUE_CLOCK: 'real' })
  expect((await real.fetch('/api/prep/markets')).headers.has('x-prepd-venue-time')).toBe(false)
  const { now } = await real.call('get_time')
  expect(now).toBe(TOOLS_WALL_MS)
  await real.stop()
})

const READS = Object.values(ROUTES).filter(
  (route: Route) => route.method === 'GET' && !route.answers && route.family !== 'swap',
)

test.each(READS.map(({ path }) => path))('GET %s answers no time of the wall', async (path) => {
  const query = new URLSearchParams(BODYLESS)
  const response = await world.fetch(`${path.replace('{id}', 'platform.chains')}?${query}`)
  const text = await response.text()
  if (response.headers.get('content-type')?.includes('json'))
    expect(wallTimes(JSON.parse(text))).toEqual([])
})

test('messages of live topics have the time of the venue', async () => {
  const topics = ['tickers', `ticker:${ETH}`, 'marks', `book:${ETH}`, `trades:${ETH}`]
  const seen = new Map<string, unknown>()
  const end = new AbortController()
  for await (const message of world.client.listen(topics, end.signal)) {
    expect(wallTimes(message)).toEqual([])
    const { topic, ts } = Object(message)
    seen.set(String(topic ?? 'hello'), ts)
    if (seen.size > topics.length) break
  }
  end.abort()
  expect([...seen.keys()].toSorted()).toEqual(['hello', ...topics].toSorted())
  expect(new Set(seen.values())).toEqual(new Set([venueMs]))
})

const OPEN = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_amount: 300 }
const STOP = { symbol: ETH, side: 'SELL', order_quantity: 0.1 }

/** Arguments of the tools that need some; every other one is called without any. */
const GIVEN: Readonly<Record<string, object>> = {
  get_market: { symbol: ETH },
  get_orderbook: { symbol: ETH },
  get_candles: { symbol: ETH },
  list_market_trades: { symbol: ETH },
  get_funding: { symbol: ETH },
  preview_order: OPEN,
  place_order: OPEN,
  list_account_history: { kind: 'funding' },
  get_leverage: { symbol: ETH },
  set_leverage: { symbol: ETH, leverage: 5 },
  set_margin_mode: { symbol: 'PERP_BTC_USDC', margin_mode: 'ISOLATED' },
  get_account_statistics: { daily: true },
  wait_for: { symbol: ETH, until: 'price_above', value: 1 },
  get_points: { address: BODYLESS['address'] },
  verify_referral_code: { code: 'NONE' },
  list_referral_records: { kind: 'referees' },
  edit_order: { order_id: 1, symbol: ETH, order_price: 1 },
  cancel_order: { order_id: 1, symbol: ETH },
  close_position: { symbol: ETH },
  rebalance: { targets: { [ETH]: 0.1 } },
  set_position_tp_sl: { symbol: ETH, stop_loss_price: 1 },
  cancel_algo_order: { algo_order_id: 1, symbol: ETH },
  edit_algo_order: { algo_order_id: 1, symbol: ETH, trigger_price: 1 },
  standby: { action: 'show' },
  get_order: { order_id: 1 },
  place_algo_order: { ...STOP, algo_type: 'STOP', trigger_price: 1 },
  list_swap_tokens: { chain: 'Arbitrum' },
  get_swap_quote: {
    ...{ from_chain: 'Arbitrum', from_token: 'USDC', to_chain: 'Base', to_token: 'ETH' },
    amount: '100',
  },
  read_operation: { id: 'funding.history', parameters: { symbol: ETH } },
  read_account_path: { path: '/v1/client/key_info' },
}

/** Tools that are refused here, most of them for want of what they name; what they say is read all the same. */
const REFUSED: ReadonlySet<string> = new Set([
  ...['edit_order', 'cancel_order', 'get_order', 'cancel_algo_order', 'set_position_tp_sl'],
  'edit_algo_order',
  ...['request_withdrawal', 'get_swap_status', 'get_redemption_voucher'],
  ...['bind_referral_code', 'claim_referral_code', 'rename_referral_code'],
])

test.each(TOOLS.map(({ name }) => name))('%s answers no time of the wall', async (name) => {
  const refused = (error: unknown) => (error instanceof ToolFailure ? error : Promise.reject(error))
  const answer = await world.call(name, GIVEN[name] ?? {}, { credentials }).catch(refused)
  expect(answer instanceof ToolFailure).toBe(REFUSED.has(name))
  const shown = answer instanceof ToolFailure ? answer.meta : answer
  expect([...wallTimes(shown), ...wallTimes(shown, TOOLS_WALL_MS)]).toEqual([])
})

test('a key may outlive years of a virtual clock, and on a real one lives for a year at most', async () => {
  const lasting = { ...OUTSIDE, keyLifeMs: VIRTUAL_KEY_LIFE_MS }
  const owner = await openTemporaryAccount(world.client, lasting)
  const keyInfo = { method: 'GET', path: '/v1/client/key_info' } as const
  const { rows } = Object(await world.client.relay(owner, keyInfo))
  expect(rows[0].expiration).toBeGreaterThan(Date.parse('2130-01-01'))
  const real = await openEmbeddedWorld({ VENUE_CLOCK: 'real' })
  expect(await codeOf(openTemporaryAccount(real.client, lasting))).toBe('invalid_request')
  await real.stop()
})

// Slow: the venue lives through an hour.
test('get_time names the time that somebody else has moved the clock to', async () => {
  expect((await world.call('get_time')).now).toBe(venueMs)
  await world.ops(`/venue/advance?ms=${HOUR_MS}`, { method: 'POST' })
  venueMs += HOUR_MS
  expect(await world.call('get_time')).toMatchObject({
    now: venueMs,
    utc: '2031-05-06T09:00:00.000Z',
  })
})

/** The code that a call is refused with. */
async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'done',
    (error: unknown) => Object(error).code,
  )
}
