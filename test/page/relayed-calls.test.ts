// Slow: windows live through a minute, a second at a time, and send dozens of orders.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { ADVANCE_PATH } from '../../src/spec/venue/advance.ts'
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

describe('under the default limits', () => {
  let fixture: PageFixture
  let trader: LinkedTrader
  let page: Page
  let calls: ReturnType<typeof relayedBy>
  beforeAll(async () => {
    fixture = await openPageFixture({ ...STILL, ...DEFAULTS, VENUE_MARKETS: 'all' })
    trader = await openLinkedTrader(fixture.origin)
    const opened = await fixture.openFast('/favicon.svg')
    page = opened.page
    calls = relayedBy(opened.context)
    await page.goto(trader.link.replace('/trade', '/trade/PERP_ETH_USDC'))
    await page.getByText('Free margin').first().waitFor()
    await page.getByLabel('Show what is signed first').uncheck()
  })
  afterAll(() => fixture.stop())

  async function order(): Promise<void> {
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

  test('thirty orders in a row take at most two calls each besides themselves, and none is refused', async () => {
    await fillIn(page, 'MARKET', '1', '0.01')
    calls.length = 0
    for (let count = 0; count < 30; count += 1) await order()
    await notice(page, /^Filled/)
    const { rows } = await trader.call('GET', '/v1/positions')
    expect(Number(rows[0].position_qty)).toBeCloseTo(0.3, 8)
    expect(calls.filter(({ isRefused }) => isRefused)).toEqual([])
    expect(calls.length).toBeLessThanOrEqual(30 * 3)
  })

  test('an order that a limit refuses goes out again by itself, with the same bytes, and is placed once', async () => {
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
    const { rows } = await trader.call('GET', '/v1/positions')
    expect(Number(rows[0].position_qty)).toBeCloseTo(0.31, 8)
  })

  test('closing all of fifty positions closes all, and goes on past a refusal that it names at the end', async () => {
    await hold(trader, (await symbolsOf(fixture)).slice(0, 50), fixture)
    const rows = page.locator('.lists tbody tr')
    const count = await eventually(
      () => rows.count(),
      (found) => found >= 50,
    )
    const [kept = ''] = await rows.evaluateAll<string[], HTMLElement>((found) =>
      found.slice(1, 2).map(({ dataset }) => dataset['symbol'] ?? ''),
    )
    await page.route('**/api/prep/relay', (route) => {
      const isKept = route.request().postData()?.includes(kept)
      const json = { code: 'order_rejected', error: '' }
      return isKept ? route.fulfill({ status: 422, json }) : route.fallback()
    })
    calls.length = 0
    const dialog = page.locator('dialog')
    const closeAll = async (held: number) => {
      await page.getByRole('button', { name: 'Close all' }).click()
      await dialog.getByRole('button', { name: `Close ${held} positions` }).click()
    }
    await closeAll(count)
    await dialog.getByText(`Closed: ${count - 1} of ${count}.`).waitFor()
    await dialog.getByText('The venue rejected the order.').waitFor()
    expect(calls.filter(({ isRefused }) => isRefused)).toEqual([])
    const left = Object((await trader.call('GET', '/v1/positions')).rows).filter(
      ({ position_qty: held }: { position_qty: number }) => held !== 0,
    )
    expect(left.map(({ symbol }: { symbol: string }) => symbol)).toEqual([kept])
    await dialog.locator('.primary').click()
    await page.unroute('**/api/prep/relay')
  })
})
