import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Client, ClientFailure, type Credentials } from '../../src/agents/client/client.ts'
import { MANDATE_PATH } from '../../src/contract/act-paths.ts'
import { readExact } from '../../src/pages/common/exact-json.ts'
import { parseMandate } from '../../src/pages/trade/account/signed-limits.ts'
import { changeLimits, ticketLimits } from '../../src/pages/trade/orders/ticket-limits.ts'
import { parseFigures } from '../../src/perp/account-exposure.ts'
import { toAmount } from '../../src/perp/amounts.ts'
import { limitFigures, NO_READS } from '../../src/perp/limit-figures.ts'
import { toMarketRules } from '../../src/perp/market-rules.ts'
import {
  NO_FIGURES,
  type OpeningOrder,
  toEditedOrder,
  UNKNOWN_ORDER,
} from '../../src/perp/order-worst-case.ts'
import { parseWaiting } from '../../src/perp/waiting.ts'
import { openEmbeddedWorld, type ToolWorld } from '../agents/tool-world.ts'
import { askToLimit, newUser, post, signedBody, WALLETS } from '../surface/wallets.ts'

const ETH = 'PERP_ETH_USDC'
const FAR = 10_000

const wallet = WALLETS.viem()
let world: ToolWorld
let credentials: Credentials
beforeAll(async () => {
  world = await openEmbeddedWorld({ LIMIT_RELAY: 'off', LIMIT_ACCOUNT: 'off', LIMIT_READ: 'off' })
  credentials = await newUser(world, wallet)
})
afterAll(() => world.stop())

const sign = async (limits: object, frozen = false) => {
  const signed = await signedBody(wallet, await askToLimit(world, wallet, limits, frozen))
  expect((await post(world, '/api/prep/mandate', signed)).status).toBe(200)
}

async function send(method: 'POST' | 'PUT' | 'GET', path: string, body?: object) {
  const call = { method, path, ...(body && { body: JSON.stringify(body) }) }
  return Object(await world.client.relay(credentials, call as Parameters<Client['relay']>[1]))
}

async function read(path: string) {
  return readExact(JSON.stringify(await send('GET', path)))
}

/** What the dialogs of the page say of a write. */
async function onPage(order: OpeningOrder) {
  const [waiting, positions, live, signed] = [
    await read('/v1/algo/orders?status=INCOMPLETE&size=500'),
    await read('/v1/positions'),
    await send('GET', `/v1/position/${ETH}`),
    parseMandate(await read(MANDATE_PATH)),
  ]
  const { rules } = Object(await world.client.get('/api/prep/market-rules'))
  const row = rules.find(({ symbol }: { readonly symbol: string }) => symbol === ETH)
  if (!signed) throw new Error('no limits')
  const [shown, orders] = [parseFigures(positions, Date.now()), parseWaiting(waiting)]
  const reads = { ...NO_READS, shown, waiting: orders }
  const { figures } = limitFigures(signed.limits, reads, new Map())
  const market = { ...toMarketRules(row), mark: toAmount(live.mark_price) }
  const state = { ...signed, figures, nowMs: Date.now() }
  const { excess, approvals } = ticketLimits(market, [order], state, 'in one write')
  return { reason: excess[0]?.reason, requested: excess[0]?.requested, approvals: approvals.length }
}

/** What the relay answers to the same write: nothing where it goes. */
async function inRelay(method: 'POST' | 'PUT', path: string, body: object) {
  const failure = await send(method, path, body).then(
    () => null,
    (error: unknown) => error,
  )
  if (failure === null) return { reason: undefined, requested: undefined, approvals: 0 }
  if (!(failure instanceof ClientFailure)) throw failure
  const { code, meta } = failure
  if (code === 'approval_required') return { reason: undefined, requested: undefined, approvals: 1 }
  expect(code).toBe('mandate_exceeded')
  return { reason: meta['reason'], requested: meta['requested'], approvals: 0 }
}

const amount = (value: number) => toAmount(value) ?? 0n

test.each<[string, object, number, boolean]>([
  ['a maximum per order', { maxOrderUsdc: '100' }, 0.05, true],
  ['a maximum per market', { maxPositionUsdc: '100' }, 0.05, true],
  ['a value that needs an approval', { approveAboveUsdc: '100' }, 0.05, true],
  ['a maximum that it keeps', { maxOrderUsdc: '1000', maxPositionUsdc: '1000' }, 0.05, false],
  ['limits without a value', { symbols: [ETH], maxOrdersPerMinute: 100 }, 0.05, false],
])('the edit dialog says of %s what the relay answers', async (_, limits, size, isBound) => {
  await sign({})
  const price = Number((await send('GET', `/v1/position/${ETH}`)).mark_price.toFixed(0)) - 10
  const order = { symbol: ETH, side: 'BUY', order_type: 'LIMIT', order_price: price }
  const placed = await send('POST', '/v1/order', { ...order, order_quantity: 0.02 })
  await sign(limits)
  const edited = toEditedOrder({
    ...{ ...NO_FIGURES, symbol: ETH, highest: amount(price - 1), quantity: amount(size) },
  })
  const shown = await onPage(edited)
  expect(shown.reason !== undefined || shown.approvals > 0).toBe(isBound)
  const body = { ...order, order_id: placed.order_id, order_price: price - 1 }
  expect(await inRelay('PUT', '/v1/order', { ...body, order_quantity: size })).toEqual(shown)
})

test.each<[string, object]>([
  ['a maximum per order', { maxOrderUsdc: '100000' }],
  ['markets', { symbols: [ETH] }],
  ['a value that needs an approval', { approveAboveUsdc: '100000' }],
  ['only orders that reduce', { reduceOnly: true }],
])(
  'the edit of a stop that opens is shown within %s as the relay answers it',
  async (_, limits) => {
    await sign({})
    const stop = { symbol: ETH, algo_type: 'STOP', type: 'MARKET', side: 'BUY', quantity: 0.02 }
    await send('POST', '/v1/algo/order', { ...stop, trigger_price: FAR })
    const { rows } = await send('GET', '/v1/algo/orders?status=INCOMPLETE&size=500')
    const order_id = rows[0].algo_order_id
    await sign(limits)
    const shown = await onPage(UNKNOWN_ORDER)
    expect(shown.reason !== undefined || shown.approvals > 0).toBe(true)
    const body = { order_id, trigger_price: FAR + 1 }
    const { reason, approvals } = await inRelay('PUT', '/v1/algo/order', body)
    const isOfMarkets = Object.hasOwn(limits, 'symbols')
    // The edit names no market, so that the page does not say that this one is forbidden.
    expect(shown).toMatchObject({ reason: isOfMarkets ? 'unknown' : reason, approvals })
  },
)

test.each<[string, object, boolean, number]>([
  ['a maximum leverage that it exceeds', { maxLeverage: 4 }, false, 5],
  ['a maximum leverage that it keeps', { maxLeverage: 5 }, false, 5],
  ['only orders that reduce', { reduceOnly: true }, false, 5],
  ['other markets', { symbols: ['PERP_BTC_USDC'] }, false, 5],
  ['a freeze', {}, true, 5],
  ['an approval of changes', { approveChanges: true }, false, 5],
  ['an approval of values alone', { approveAboveUsdc: '1' }, false, 5],
])(
  'the dialogs of margin say of %s what the relay answers',
  async (_, limits, frozen, leverage) => {
    await sign(limits, frozen)
    const signed = parseMandate(await read(MANDATE_PATH))
    if (!signed) throw new Error('no limits')
    const shown = (after: number | null) => {
      const { excess, approvals } = changeLimits(signed, Date.now(), {
        symbol: ETH,
        leverage: after,
      })
      const [first] = excess
      return { reason: first?.reason, requested: first?.requested, approvals: approvals.length }
    }
    const answered = await inRelay('POST', '/v1/client/leverages', {
      ...{ symbol: ETH, leverage, margin_mode: 'CROSS' },
    })
    expect(shown(leverage)).toMatchObject(answered)
    expect(shown(leverage).reason === undefined).toBe(answered.reason === undefined)
    // Margin is moved at any leverage; the venue itself refuses it for a market without an isolated position.
    const isForbidden = shown(null).reason !== undefined || shown(null).approvals > 0
    const body = { symbol: ETH, amount: '1', type: 'ADD' }
    const moved = await send('POST', '/v1/position_margin', body).then(
      () => 'sent',
      ({ code }: ClientFailure) => code,
    )
    expect(/^(?:mandate_exceeded|approval_required)$/.test(moved)).toBe(isForbidden)
  },
)

test('a lower leverage of a margin mode goes before the mode itself, which goes only after it', async () => {
  const symbol = 'PERP_BTC_USDC'
  const setting = { symbol, margin_mode: 'ISOLATED' }
  const mode = { symbol, default_margin_mode: 'ISOLATED' }
  await sign({})
  await send('POST', '/v1/client/leverages', { ...setting, leverage: 10 })
  await sign({ maxLeverage: 4 })
  const signed = parseMandate(await read(MANDATE_PATH))
  if (!signed) throw new Error('no limits')
  const judged = (leverage: number) => changeLimits(signed, Date.now(), { symbol, leverage }).excess
  const readModes = async () => {
    for (const name of ['margin_modes', 'leverages']) await send('GET', `/v1/client/${name}`)
  }
  await readModes()
  const refused = { reason: 'leverage', requested: 10 }
  expect(judged(10)).toMatchObject([refused])
  expect(await inRelay('POST', '/v1/client/margin_mode', mode)).toMatchObject(refused)
  expect(judged(3)).toEqual([])
  const lowered = await inRelay('POST', '/v1/client/leverages', { ...setting, leverage: 3 })
  await readModes()
  const changed = await inRelay('POST', '/v1/client/margin_mode', mode)
  for (const { reason } of [lowered, changed]) expect(reason).toBeUndefined()
})
