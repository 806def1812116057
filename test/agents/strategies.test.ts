import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isObject } from '../../src/core/json.ts'
import { envelope, jsonPost } from '../caller.ts'
import { settingsFolder } from '../settings-folder.ts'
import { askToLimit, newUser, post as postJson, signedBody, WALLETS } from '../surface/wallets.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { LATER_STRATEGIES, unlisted } from './later-strategies.ts'
import { post, request, toolText } from './rpc.ts'
import { type Agent, type Loose, STRATEGIES } from './strategies.ts'

const ETH = 'PERP_ETH_USDC'
const ALL = [...STRATEGIES, ...LATER_STRATEGIES]
const LIMITS = { maxOrderUsdc: 100, maxDailyUsdc: 250, maxLeverage: 10, symbols: [ETH] }
const SETTINGS = {
  VENUE_CLOCK: 'virtual',
  LIMIT_MCP: 'off',
  AGENT_MAX_ORDER_USDC: String(LIMITS.maxOrderUsdc),
  AGENT_MAX_DAILY_USDC: String(LIMITS.maxDailyUsdc),
  AGENT_MAX_LEVERAGE: String(LIMITS.maxLeverage),
  AGENT_ALLOWED_SYMBOLS: ETH,
}

const folder = settingsFolder()
const settings = { ...SETTINGS, DATA_DIR: folder.path('data') }
/** With TEST_TARGETS=all the executable. */
const [kind = 'in process'] = USUAL_KINDS.toReversed()
let target: Target
beforeAll(async () => {
  target = await openTarget(kind, settings)
})
afterAll(async () => {
  await target.stop()
  folder[Symbol.dispose]()
})

async function newAgent(): Promise<Agent> {
  const wallet = WALLETS.viem()
  const caller = await newUser(target, wallet)
  const mandate = await signedBody(wallet, await askToLimit(target, wallet, LIMITS))
  expect((await postJson(target, '/api/prep/mandate', mandate)).status).toBe(200)
  const key = Buffer.from(caller.secret).toString('hex')
  const call: Agent['call'] = async (name, args = {}, headers = {}) => {
    const credentials = { 'x-account-id': caller.accountId, 'x-trading-key': key }
    const message = request('tools/call', { name, arguments: args })
    const { json } = await post(target, message, { ...credentials, ...headers })
    return json?.result === undefined ? json : toolText(json).value
  }
  const market = await call('get_market', { symbol: ETH })
  return {
    caller,
    call,
    relay: async (one) =>
      (await target.fetch('/api/prep/relay', jsonPost(envelope(caller, one)))).json(),
    post: (body) => post(target, body),
    service: { fetch: (path, init) => target.fetch(path, init) },
    restart: async () => {
      await target.stop()
      target = await openTarget(kind, settings)
    },
    url: async () => (await target.listening()).public,
    price: market.market.mark_price,
  }
}

/** What the venue has of the account, read by its owner: every order with its value, and the leverage. */
async function recordOf({ relay, price }: Agent) {
  const rows = async (path: string) => (await relay({ method: 'GET', path })).rows
  const plain = await rows('/v1/orders?size=500')
  const waiting = await rows('/v1/algo/orders?size=500')
  const opening = [...plain, ...waiting].filter(
    (order: Loose) => isObject(order) && order['reduce_only'] !== true,
  )
  const leverage = await relay({ method: 'GET', path: `/v1/client/leverage?symbol=${ETH}` })
  return {
    symbols: [...new Set(opening.map(({ symbol }: Loose) => symbol))],
    values: opening.map(
      (order: Loose) => order.quantity * (order.price || order.average_executed_price || price),
    ),
    leverage: Number(leverage.leverage ?? 0),
  }
}

describe('a model that holds the trading key and no wallet gets nothing above the limits through when it', () => {
  test('tries what the document lists', async () => {
    expect(await unlisted(ALL)).toEqual([])
  })

  // Slow: two agent servers start beside the service.
  test.each(ALL)('%s', async (_, run) => {
    const agent = await newAgent()
    await run(agent)
    const { symbols, values, leverage } = await recordOf(agent)
    expect(symbols.filter((symbol) => symbol !== ETH)).toEqual([])
    expect(Math.max(0, ...values)).toBeLessThanOrEqual(LIMITS.maxOrderUsdc)
    expect(values.reduce((sum, value) => sum + value, 0)).toBeLessThanOrEqual(LIMITS.maxDailyUsdc)
    expect(leverage).toBeLessThanOrEqual(LIMITS.maxLeverage)
    // Whatever is within the limits still goes.
    if (values.length > 0) return
    expect(
      await agent.call('place_order', {
        ...{ symbol: ETH, side: 'BUY', order_type: 'MARKET' },
        order_amount: 20,
      }),
    ).toMatchObject({
      symbol: ETH,
    })
  })
})
