import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { MINUTE_MS } from '../../src/contract/durations.ts'
import { ADVANCE_PATH } from '../../src/contract/venue/advance.ts'
import { violationsInBoth } from './axe.ts'
import type { OpenedPage } from './browser.ts'
import {
  cuttable,
  eventually,
  FEED_NAMES,
  FEEDS,
  gone,
  openPageFixture,
  openThrowAway,
  type PageFixture,
  STILL,
} from './fixture.ts'

/** How dim the figures of the market and those of the lists are. */
function opacities(page: Page): Promise<string[]> {
  return page.evaluate(
    "['.stats', '.lists .scroll'].map((each) => getComputedStyle(document.querySelector(each)).opacity)",
  )
}

describe.each(FEED_NAMES)('when something is wrong, the trading page: %s', (feed) => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  let live: Awaited<ReturnType<typeof cuttable>>
  beforeAll(async () => {
    fixture = await openPageFixture(FEEDS[feed])
    opened = await fixture.openFast('/favicon.svg')
    page = opened.page
    live = await cuttable(page)
    await page.goto(`${fixture.origin}/trade`)
    await page.locator('.bids .level').first().waitFor()
  })
  afterAll(() => fixture.stop())

  test.each([
    [502, 'upstream_unavailable', 'The venue cannot be reached.'],
    [503, 'upstream_busy', 'The venue is busy.'],
    [503, 'of_tomorrow', 'A sentence of the server.'],
  ])('names %p %s, and recovers without a reload', async (status, code, sentence) => {
    const json = { code, error: 'A sentence of the server.' }
    await page.route('**/api/prep/**', (route) => route.fulfill({ status, json }))
    await live.cut()
    await page.locator('.banners').getByText(sentence).waitFor()
    expect(await opacities(page)).toEqual(['0.6', '0.6'])
    if (status === 502) expect(await violationsInBoth(page, '.banners')).toEqual([])
    // What was there stays where it was, and says how old it is.
    const head = page.locator('.book .head')
    const before = (await head.boundingBox())?.height
    await page.evaluate('window.aheadMs = 6000')
    await page.locator('.book .stale').waitFor()
    await page.locator('.bids .level').first().waitFor()
    expect((await head.boundingBox())?.height).toBe(before ?? 0)
    await page.unroute('**/api/prep/**')
    await page.evaluate('window.aheadMs = 0')
    live.mend()
    await gone(page.locator('.banners .notice'))
    await gone(page.locator('.book .stale'))
    expect(await opacities(page)).toEqual(['1', '1'])
  })

  test('says that it is offline, and goes on by itself', async () => {
    await opened.context.setOffline(true)
    await page.getByText('Offline.').waitFor()
    await opened.context.setOffline(false)
    await gone(page.getByText('Offline.'))
  })
})

describe('with little left of its rate limits, the trading page', () => {
  // Slow: a browser lives through two minutes, a second at a time.
  test.concurrent.each(FEED_NAMES)(
    'waits as long as the server asks, says so, and goes on: %s',
    async (feed) => {
      // Less than the page would ask, however slowly it begins.
      const limits = { LIMIT_READ: '12/60s burst 2' }
      const fixture = await openPageFixture({ ...FEEDS[feed], ...STILL, ...limits })
      const { page, pass } = await openMoved(fixture)
      const passUntil = async (shown: Locator) => {
        while (!(await shown.isVisible())) await pass()
      }
      await passUntil(page.getByText('Too many calls; this one was not carried out.').first())
      await passUntil(page.locator('.bids .level').first())
      await passUntil(page.locator('.markets tbody tr').first())
      const before = await page.evaluate<number>('reads')
      for (let second = 0; second < WATCHED_SECONDS; second += 1) await pass()
      expect(await page.evaluate<number>('reads')).toBeGreaterThan(before)
      expect(await page.evaluate<string[]>('early')).toEqual([])
      await fixture.stop()
    },
  )

  test.concurrent('waits as long as the server says to open an account, counts down, and posts the same bytes again', async () => {
    const fixture = await openPageFixture(STILL)
    const page = await openHeld(fixture)
    const bodies: (string | null)[] = []
    await page.route('**/api/prep/register', async (route) => {
      bodies.push(route.request().postData())
      if (bodies.length > 1) await route.continue()
      else await route.fulfill(tooSoon(WAIT_SECONDS))
    })
    const opening = openThrowAway(page)
    const shown = (seconds: number) =>
      page
        .getByText(new RegExp(`network address: it goes on by itself in ${seconds} s\\.$`))
        .waitFor()
    await shown(WAIT_SECONDS)
    await page.evaluate('window.aheadMs = 20_000')
    await shown(WAIT_SECONDS - 20)
    expect(bodies).toHaveLength(1)
    await page.evaluate('goOn()')
    await opening
    expect(bodies).toHaveLength(2)
    expect(bodies[1]).toBe(bodies[0] ?? '')
    await fixture.stop()
  })

  test.concurrent('waits no longer than a nonce lives, and says then when to come back', async () => {
    const fixture = await openPageFixture(STILL)
    const page = await openHeld(fixture)
    const waits = [3600, WAIT_SECONDS, WAIT_SECONDS, WAIT_SECONDS]
    const stops = ['Try again in 60 min.', `Try again in ${WAIT_SECONDS} s.`]
    await page.route('**/api/prep/typed-data', (route) => route.fulfill(tooSoon(waits.shift())))
    await page.route('**/account.exists?*', (route) => route.fulfill(tooSoon(WAIT_SECONDS)), {
      times: 1,
    })
    await page.locator('header').getByText('Connect', { exact: true }).click()
    for (const stop of stops) {
      await page.getByText('Use a throw-away wallet').click()
      // The second time the wallet may have an account, which is read first.
      for (let held = 0; held < (stop === stops[0] ? 0 : 3); held += 1) {
        await eventually(() => page.evaluate<boolean>('!!window.held'), Boolean)
        await page.evaluate('goOn()')
      }
      await page.getByText(`Too many calls; this one was not carried out. ${stop}`).waitFor()
      await page.getByRole('button', { name: 'Try again' }).click()
    }
    expect(waits).toEqual([])
    await fixture.stop()
  })
})

const WATCHED_SECONDS = 30

/**
 * Counts in a page what it reads, and what of that before the time of a refusal it knows of is over. What compares the
 * page's clock with that of the machine has no answer.
 */
const COUNTED = `{
  const ask = fetch
  let quietUntilMs = 0
  window.reads = 0
  window.early = []
  window.fetch = async (url, init) => {
    if (url.endsWith('/platform.ipInfo')) throw new TypeError('not now')
    window.reads += 1
    if (Date.now() < quietUntilMs) window.early.push(url)
    const answer = await ask(url, init)
    const text = await answer.text()
    const untilMs = Date.now() + 1000 * answer.headers.get('retry-after')
    quietUntilMs = Math.max(quietUntilMs, untilMs)
    return Object.assign(answer, { text: async () => text })
  }
}`

/** The trading page, whose timers and whose server's windows have one clock: `pass` moves it by a second. */
async function openMoved({ open, origin, target }: PageFixture) {
  const { page } = await open('/favicon.svg')
  // Stopped before the page is there: a clock that runs while it loads may be past the moment it is to stop at.
  const nowMs = Date.now()
  await page.clock.install({ time: nowMs - MINUTE_MS })
  await page.clock.pauseAt(nowMs)
  await page.addInitScript(COUNTED)
  await page.goto(`${origin}/trade`)
  const pass = async () => {
    await target.ops(`${ADVANCE_PATH}?ms=1000`, { method: 'POST' })
    await page.clock.runFor(1000)
  }
  return { page, pass }
}

/** What the server asks to wait in these tests. */
const WAIT_SECONDS = 41

/** A page on which that wait ends when the test says so, and whose clock moves with `aheadMs` alone. */
async function openHeld(fixture: PageFixture): Promise<Page> {
  const { page } = await fixture.openFast('/favicon.svg')
  await page.addInitScript(`{
    const [after, atMs] = [setTimeout, Date.now()]
    Date.now = () => atMs + window.aheadMs
    window.setTimeout = (work, ms) => {
      if (ms !== ${WAIT_SECONDS * 1000}) return after(work, ms)
      window.held = work
    }
    window.goOn = () => {
      const work = window.held
      window.held = null
      work()
    }
  }`)
  await page.goto(`${fixture.origin}/trade`)
  return page
}

function tooSoon(seconds = 0) {
  const json = { code: 'rate_limited', error: '' }
  return { status: 429, headers: { 'retry-after': String(seconds) }, json }
}
