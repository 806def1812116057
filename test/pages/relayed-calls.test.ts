// Slow: windows live through a minute, a second at a time, and send dozens of orders.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { ADVANCE_PATH } from '../../src/contract/venue/advance.ts'
import {
  eventually,
  fillIn,
  notice,
  openPageFixture,
  type PageFixture,
  STILL,
  submittable,
  ticket,
} from './fixture.ts'
import { type LinkedTrader, openLinkedTrader } from './linked-trader.ts'

/** The limits of private calls that a service has unless it sets others. */
const DEFAULTS = { LIMIT_RELAY: '300/60s burst 60', LIMIT_ACCOUNT: '300/60s burst 60' }

/** Symbols of the active markets. */
async function symbolsOf({ target }: PageFixture): Promise<readonly string[]> {
  const { markets } = Object(await (await target.fetch('/api/prep/markets')).json())
  return markets.map(({ symbol }: { symbol: string }) => symbol)
}

/** What windows of a context send to the relay: method and path, and whether it was refused for being too much. */
function relayedBy(context: BrowserContext) {
  const calls: { readonly call: string; isRefused: boolean }[] = []
  context.on('response', (answer) => {
    if (!answer.url().endsWith('/api/prep/relay')) return
    const { method, path } = JSON.parse(answer.request().postData() ?? '{}')
    calls.push({ call: `${method} ${path}`, isRefused: answer.status() === 429 })
  })
  return calls
}

/** Buys a little of each market, no faster than the limits allow. */
async function hold(trader: LinkedTrader, symbols: readonly string[], fixture: PageFixture) {
  const { markets } = Object(await (await fixture.target.fetch('/api/prep/markets')).json())
  const { rules } = Object(await (await fixture.target.fetch('/api/prep/market-rules')).json())
  for (const symbol of symbols) {
    const { mark_price: mark } = markets.find((row: { symbol: string }) => row.symbol === symbol)
    const { info } = rules.find((row: { symbol: string }) => row.symbol === symbol)
    const steps = Math.ceil((1.5 * info.min_notional) / mark / info.base_tick)
    await trader.buy(symbol, Number(Math.max(steps * info.base_tick, info.base_min).toFixed(8)))
  }
}

describe('a page with ten positions', () => {
  let fixture: PageFixture
  let trader: LinkedTrader
  let context: BrowserContext
  let calls: ReturnType<typeof relayedBy>
  const windows: Page[] = []
  beforeAll(async () => {
    fixture = await openPageFixture({ ...STILL, ...DEFAULTS, VENUE_MARKETS: 'all' })
    trader = await openLinkedTrader(fixture.origin)
    await hold(trader, (await symbolsOf(fixture)).slice(0, 10), fixture)
    const opened = await fixture.open('/favicon.svg')
    context = opened.context
    calls = relayedBy(context)
    await context.clock.install({ time: Date.now() - 30_000 })
    await openWindow(opened.page, trader.link)
  })
  afterAll(() => fixture.stop())

  async function openWindow(page: Page, url: string): Promise<void> {
    windows.push(page)
    await page.goto(url)
    await page.locator('.lists tbody tr').nth(9).waitFor()
  }

  /** Lets a minute pass in the world and in every window. */
  async function passMinute(): Promise<readonly string[]> {
    // What a window reads as it opens is over.
    for (let second = 0; second < 3; second += 1) await pass()
    calls.length = 0
    for (let second = 0; second < 60; second += 1) await pass()
    return calls.map(({ call }) => call)
  }

  async function pass(): Promise<void> {
    await fixture.target.ops(`${ADVANCE_PATH}?ms=1000`, { method: 'POST' })
    await context.clock.runFor(1000)
    await Promise.all(windows.map((page) => page.evaluate('0')))
  }

  test('makes at most 12 relayed calls a minute while nothing happens', async () => {
    const idle = await passMinute()
    expect(idle.length).toBeGreaterThan(0)
    expect(idle.length).toBeLessThanOrEqual(12)
  })

  test('makes no more of them in three windows, which share what each reads', async () => {
    for (let count = 0; count < 2; count += 1)
      await openWindow(await context.newPage(), `${fixture.origin}/trade`)
    const idle = await passMinute()
    expect(idle.length).toBeLessThanOrEqual(12)
  })
})

/** What the default limits allow within 15 seconds, all at once and no more: a burst of 60, and 5 calls per second. */
const FIFTEEN_SECONDS = {
  LIMIT_RELAY: '135/86400s burst 135',
  LIMIT_ACCOUNT: '135/86400s burst 135',
}

/** A window of an account that signs without asking, and what it sends to the relay. */
async function openTrading(limits: typeof DEFAULTS) {
  const fixture = await openPageFixture({ ...STILL, ...limits, VENUE_MARKETS: 'all' })
  const trader = await openLinkedTrader(fixture.origin)
  const { page, context } = await fixture.openFast('/favicon.svg')
  const calls = relayedBy(context)
  await page.goto(trader.link.replace('/trade', '/trade/PERP_ETH_USDC'))
  await page.getByText('Free margin').first().waitFor()
  await page.getByLabel('Show what is signed first').uncheck()
  return { fixture, trader, page, calls }
}

type Trading = Awaited<ReturnType<typeof openTrading>>

/** Sizes that the account holds, by market. */
async function heldBy({ trader }: Trading): Promise<ReadonlyMap<string, number>> {
  const { rows } = await trader.call('GET', '/v1/positions')
  const held = rows.map((row: { symbol: string; position_qty: number }) => {
    return [row.symbol, row.position_qty] as const
  })
  return new Map<string, number>(held.filter(([, size]: [string, number]) => size !== 0))
}

describe('orders in a row', () => {
  let trading: Trading
  beforeAll(async () => {
    trading = await openTrading(FIFTEEN_SECONDS)
  })
  afterAll(() => trading.fixture.stop())

  async function order(): Promise<void> {
    const { page, calls } = trading
    const sent = () => calls.filter(({ call }) => call === 'POST /v1/order').length
    const before = sent()
    await ticket.size(page).fill('0.01')
    await submittable(page)
    await ticket.submit(page).click()
    await eventually(
      async () => sent(),
      (count) => count > before,
    )
  }

  test('thirty take at most two calls each besides themselves, and none is refused in 15 seconds', async () => {
    const { page, calls } = trading
    await fillIn(page, 'MARKET', '1', '0.01')
    calls.length = 0
    for (let count = 0; count < 30; count += 1) await order()
    await notice(page, /^Filled/)
    expect((await heldBy(trading)).get('PERP_ETH_USDC')).toBeCloseTo(0.3, 8)
    expect(calls.filter(({ isRefused }) => isRefused)).toEqual([])
    expect(calls.length).toBeLessThanOrEqual(30 * 3)
  })

  test('an order that a limit refuses goes out again by itself, with the same bytes, and is placed once', async () => {
    const { page } = trading
    const bodies: (string | null)[] = []
    await page.route('**/api/prep/relay', (route) => {
      const body = route.request().postData()
      if (!body?.includes('"method":"POST"')) return route.fallback()
      bodies.push(body)
      if (bodies.length > 1) return route.fallback()
      const json = { code: 'rate_limited', error: '' }
      return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json })
    })
    await notice(page, /./)
    await order()
    await eventually(
      async () => bodies.length,
      (count) => count > 1,
    )
    await notice(page, /^Filled/)
    expect(bodies).toHaveLength(2)
    expect(bodies[1]).toBe(bodies[0] ?? '')
    expect((await heldBy(trading)).get('PERP_ETH_USDC')).toBeCloseTo(0.31, 8)
  })
})

describe('closing all of fifty positions', () => {
  let trading: Trading
  beforeAll(async () => {
    trading = await openTrading(DEFAULTS)
  })
  afterAll(() => trading.fixture.stop())

  /** Holds so many positions, presses "Close all" and says yes, with full windows. */
  async function closeAll(count: number): Promise<void> {
    const { fixture, trader, page, calls } = trading
    await hold(trader, (await symbolsOf(fixture)).slice(0, count), fixture)
    await page
      .locator('.lists tbody tr')
      .nth(count - 1)
      .waitFor()
    await fixture.target.ops(`${ADVANCE_PATH}?ms=60000`, { method: 'POST' })
    calls.length = 0
    await page.getByRole('button', { name: 'Close all' }).click()
    await page
      .locator('dialog')
      .getByRole('button', { name: `Close ${count} positions` })
      .click()
  }

  test('closes all of them with one order each, none of which is refused, and few reads beside', async () => {
    const { page, calls } = trading
    await closeAll(50)
    await page.locator('dialog').getByText('Closed: 50 of 50.').waitFor({ timeout: 240_000 })
    expect([...(await heldBy(trading))]).toEqual([])
    expect(calls.filter(({ isRefused }) => isRefused)).toEqual([])
    expect(calls.filter(({ call }) => call === 'POST /v1/order')).toHaveLength(50)
    expect(calls.length).toBeLessThanOrEqual(50 + 25)
    await page.locator('dialog .primary').click()
  })

  test('goes on past a refusal, which it names at the end', async () => {
    const { fixture, page } = trading
    const [, kept = ''] = await symbolsOf(fixture)
    await page.route('**/api/prep/relay', (route) => {
      const isKept = route.request().postData()?.includes(kept)
      const json = { code: 'order_rejected', error: '' }
      return isKept ? route.fulfill({ status: 422, json }) : route.fallback()
    })
    await closeAll(4)
    const dialog = page.locator('dialog')
    await dialog.getByText('Closed: 3 of 4.').waitFor()
    await dialog.getByText('The venue rejected the order.').waitFor()
    expect([...(await heldBy(trading)).keys()]).toEqual([kept])
    await dialog.locator('.primary').click()
  })
})
