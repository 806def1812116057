import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Credentials } from '../../src/agents/client/client.ts'
import { MANDATE_PATH } from '../../src/contract/act-paths.ts'
import { readExact } from '../../src/pages/common/exact-json.ts'
import { parseMandate } from '../../src/pages/trade/account/signed-limits.ts'
import { rulesBySymbol } from '../../src/pages/trade/market/rows.ts'
import { marketNow } from '../../src/pages/trade/orders/judge.ts'
import { openingOrders, ticketLimits } from '../../src/pages/trade/orders/ticket-limits.ts'
import { parseFigures } from '../../src/perp/account-exposure.ts'
import { amountNumber, toAmount } from '../../src/perp/amounts.ts'
import { parseBook } from '../../src/perp/book.ts'
import { limitFigures, NO_READS } from '../../src/perp/limit-figures.ts'
import { toMarketRules } from '../../src/perp/market-rules.ts'
import type { Side } from '../../src/perp/positions.ts'
import { parseWaiting } from '../../src/perp/waiting.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../agents/tool-world.ts'
import { askToLimit, newUser, post, signedBody, WALLETS } from '../surface/wallets.ts'

const ETH = 'PERP_ETH_USDC'

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

const exactly = (answer: unknown) => readExact(JSON.stringify(answer))

async function read(path: string) {
  return exactly(await world.client.relay(credentials, { method: 'GET', path }))
}

/** What the ticket says of an order at the market. */
async function onTicket(side: Side, size: string) {
  const [waiting, positions, live] = [
    await read('/v1/algo/orders?status=INCOMPLETE&size=500'),
    await read('/v1/positions'),
    await read(`/v1/position/${ETH}`),
  ]
  const signed = parseMandate(await read(MANDATE_PATH))
  const rule = rulesBySymbol(exactly(await world.client.get('/api/prep/market-rules'))).get(ETH)
  const book = parseBook(exactly(await world.client.get('/api/prep/orderbook', { symbol: ETH })))
  if (!signed || !rule) throw new Error('nothing is known')
  const mark = toAmount(Reflect.get(Object(live), 'mark_price')) ?? 0n
  const reference = (side === 'BUY' ? book.asks : book.bids)[0]?.price ?? mark
  const orders = openingOrders({
    ...{ symbol: ETH, side, reference, triggers: [], isTrailing: false, isWaiting: false },
    parts: [{ price: null, size: toAmount(size) ?? 0n }],
  })
  const nowMs = Date.now()
  const known = { shown: parseFigures(positions, nowMs), waiting: parseWaiting(waiting) }
  const reads = { ...NO_READS, ...known }
  const { figures } = limitFigures(signed.limits, reads, new Map())
  return ticketLimits(
    marketNow(rule, mark, book),
    orders,
    { ...signed, figures, nowMs },
    'in one write',
  )
}

/** What preview_order says of the same order. */
async function inPreview(side: Side, size: string) {
  const order = { symbol: ETH, side, order_type: 'MARKET', order_quantity: Number(size) }
  const changes = { credentials, clock: { nowMs: Date.now } }
  const { problems, needs_approval = [] } = await world.call('preview_order', order, changes)
  const broken = problems.filter(({ code }: Loose) => code === 'mandate_exceeded')
  return { broken, approvals: needs_approval.length }
}

describe('the ticket says before anything is signed what preview_order says', () => {
  test.each<[string, object, boolean]>([
    ['a maximum per order', { maxOrderUsdc: '100' }, false],
    ['a maximum per day', { maxDailyUsdc: '100.5' }, false],
    ['a maximum per market', { maxPositionUsdc: '100' }, false],
    ['markets', { symbols: ['PERP_BTC_USDC'] }, false],
    ['reduce-only', { reduceOnly: true }, false],
    ['a freeze', {}, true],
  ])('of %s', async (_, limits, frozen) => {
    await sign(limits, frozen)
    const { broken } = await inPreview('BUY', '0.08')
    const { excess, largest } = await onTicket('BUY', '0.08')
    expect(broken.length).toBeGreaterThan(0)
    expect(excess.map(({ reason }) => reason)).toEqual(broken.map(({ reason }: Loose) => reason))
    expect(excess[0]?.requested).toEqual(broken[0].requested)
    const fits = broken[0].largest_order_quantity
    if (fits !== undefined) expect(amountNumber(largest)).toBe(fits)
  })

  test('of a maximum that an order keeps, nothing', async () => {
    await sign({ maxOrderUsdc: '500', maxDailyUsdc: '500', maxPositionUsdc: '500', maxLeverage: 5 })
    expect((await inPreview('BUY', '0.02')).broken).toEqual([])
    expect(await onTicket('BUY', '0.02')).toMatchObject({ excess: [], approvals: [] })
  })

  test.each([
    ['per write', { approveAboveUsdc: '100' }],
    ['per day', { approveAboveDailyUsdc: '100' }],
  ])('of an approval above a value %s, and nothing below it', async (_, limits) => {
    await sign(limits)
    expect((await inPreview('SELL', '0.08')).approvals).toBe(1)
    expect((await onTicket('SELL', '0.08')).approvals).toHaveLength(1)
    expect((await inPreview('SELL', '0.01')).approvals).toBe(0)
    expect((await onTicket('SELL', '0.01')).approvals).toEqual([])
  })
})

test('of several orders each counts, and a trailing stop that opens has no worst price', async () => {
  await sign({ maxOrderUsdc: '1000' })
  const signed = parseMandate(await read(MANDATE_PATH))
  const rule = rulesBySymbol(exactly(await world.client.get('/api/prep/market-rules'))).get(ETH)
  if (!signed || !rule) throw new Error('nothing is known')
  const market = marketNow(rule, toAmount(2000) ?? 0n, { asks: [], bids: [] })
  const ticket = {
    ...({ symbol: ETH, side: 'BUY', reference: 0n, triggers: [], isWaiting: false } as const),
    parts: [1, 2].map((part) => ({ price: toAmount(900 * part), size: toAmount(1) ?? 0n })),
  }
  const state = { ...signed, figures: null, nowMs: Date.now() }
  const verdict = (isTrailing: boolean) =>
    ticketLimits(market, openingOrders({ ...ticket, isTrailing }), state, 'in one write').excess
  expect(verdict(false)).toMatchObject([{ reason: 'order_value', limit: 1000, requested: 1800 }])
  expect(verdict(true)).toMatchObject([{ reason: 'unknown' }])
  expect(parseMandate(null)).toBeNull()
})

describe('of limits that were read some time ago', () => {
  const RENEWS_MS = 1_000_000
  const rules = toMarketRules({ symbol: ETH, info: { base_tick: '0.01', price_range: '0.05' } })
  const market = marketNow(rules, toAmount(2000) ?? 0n, { asks: [], bids: [] })
  const parts = [1, 1].map((size) => ({ price: toAmount(100), size: toAmount(size) ?? 0n }))
  const ticket = {
    ...({ symbol: ETH, side: 'BUY', reference: 0n, triggers: [], isWaiting: false } as const),
    isTrailing: false,
  }
  const verdict = (answer: object, nowMs: number, orders = parts.slice(0, 1)) => {
    const signed = parseMandate(exactly({ frozenBy: 'none', ...answer }))
    if (!signed) throw new Error('no limits')
    const opening = openingOrders({ ...ticket, parts: orders })
    return ticketLimits(market, opening, { ...signed, figures: null, nowMs }, 'one by one')
  }

  test('the orders of a minute count in one write until it renews', () => {
    const signed = parseMandate(
      exactly({
        frozenBy: 'none',
        limits: { maxOrdersPerMinute: 2 },
        used: { maxOrdersPerMinute: 2 },
        renewsAtMs: { maxOrdersPerMinute: RENEWS_MS },
      }),
    )
    if (!signed) throw new Error('no limits')
    const reasons = (nowMs: number) =>
      ticketLimits(
        market,
        openingOrders({ ...ticket, parts: parts.slice(0, 1) }),
        { ...signed, figures: null, nowMs },
        'in one write',
      ).excess.map(({ reason }) => reason)
    expect(reasons(RENEWS_MS - 1)).toEqual(['rate'])
    expect(reasons(RENEWS_MS)).toEqual([])
  })

  test('figures that are not known do not fit a limit that needs them', () => {
    const reasons = (limits: object) => verdict({ limits }, 0).excess.map(({ reason }) => reason)
    expect(reasons({ maxPositionUsdc: '500' })).toEqual(['no_figures'])
    expect(reasons({ maxOrderUsdc: '500' })).toEqual([])
  })

  test('parts that are sent one by one add up to the value that needs an approval', () => {
    const limits = { approveAboveDailyUsdc: '150' }
    const used = { approveAboveDailyUsdc: '0' }
    expect(verdict({ limits, used }, 0).approvals).toEqual([])
    // A use that is not said counts as the whole limit.
    expect(verdict({ limits }, 0).approvals).toEqual(['approveAboveDailyUsdc'])
    expect(verdict({ limits, used }, 0, parts).approvals).toEqual(['approveAboveDailyUsdc'])
  })
})
