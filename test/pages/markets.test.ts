// Slow: a browser opens, reads and draws pages.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { DARK, type OpenedPage, PHONE } from './browser.ts'
import { eventually, FEED_NAMES, FEEDS, openPageFixture, type PageFixture } from './fixture.ts'

describe.each(FEED_NAMES)('the trading page, for a reader without an account: %s', (feed) => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture(FEEDS[feed])
    opened = await fixture.openFast('/')
    page = opened.page
  })
  afterAll(() => fixture.stop())

  test('goes from the root to the first market, which is the one with the highest volume', async () => {
    expect(page.url()).toBe(`${fixture.origin}/trade`)
    const { markets } = await answerOf(fixture, '/api/prep/markets')
    await page.getByRole('heading', { name: `${markets[0].base}-PERP` }).waitFor()
  })

  test('lists every market, finds one by its name, sorts, and shows the one that is chosen', async () => {
    const rows = page.locator('.markets tbody tr')
    await rows.first().waitFor()
    const { markets } = await answerOf(fixture, '/api/prep/markets')
    await eventually(
      () => rows.count(),
      (count) => count === markets.length,
    )
    await page.getByRole('button', { name: '24 h' }).click()
    await page.locator('th[aria-sort=descending]').getByText('24 h').waitFor()
    const changes = await page.locator('.markets tbody [data-change]').allTextContents()
    const values = changes.map((text) => Number(text.replace('−', '-').replace('%', '')))
    expect(values).toEqual(values.toSorted((a, b) => b - a))
    await page.getByLabel('Search markets').fill('eth')
    await page.locator('.markets tbody tr:first-child[data-symbol=PERP_ETH_USDC]').waitFor()
    await page.getByLabel('Search markets').fill('no such thing')
    await page.getByText('No market is called so.').waitFor()
    await page.getByLabel('Search markets').fill('eth')
    await rows.first().getByRole('button', { name: 'ETH', exact: true }).click()
    await page.getByRole('heading', { name: 'ETH-PERP' }).waitFor()
    expect(page.url()).toBe(`${fixture.origin}/trade/PERP_ETH_USDC`)
    await page.goBack()
    await page.getByRole('heading', { name: `${markets[0].base}-PERP` }).waitFor()
    await page.goForward()
    await page.getByRole('heading', { name: 'ETH-PERP' }).waitFor()
  })

  test.each([
    ['volume', (row: Row) => row['24h_amount']],
    ['price', (row: Row) => row['mark_price']],
    ['funding', (row: Row) => row['est_funding_rate']],
    ['change', (row: Row) => row['change24hPct']],
    ['interest', (row: Row) => Number(row['open_interest']) * Number(row['mark_price'])],
    ['name', (row: Row) => row['base']],
  ])('sorts the markets by their %s, either way', async (name, figureOf) => {
    await page.getByLabel('Search markets').fill('')
    const heading = page.locator(`.markets [data-sort=${name}]`)
    const isName = name === 'name'
    await heading.click()
    for (const isDown of [!isName, isName]) {
      await page
        .locator(`th[aria-sort=${isDown ? 'de' : 'a'}scending] [data-sort=${name}]`)
        .waitFor()
      await eventually(
        async () => {
          const { markets } = await answerOf(fixture, '/api/prep/markets')
          const bySymbol = new Map(markets.map((row: Row) => [row['symbol'], figureOf(row)]))
          const values = (await symbolsOf(page)).map((symbol) => bySymbol.get(symbol))
          return values.every((value, at) => {
            const [one, next] = isDown ? [value, values[at + 1]] : [values[at + 1], value]
            return one === undefined || next === undefined || Object(one) >= Object(next)
          })
        },
        (isSorted) => isSorted,
      )
      await heading.click()
    }
    await page.locator('.markets [data-sort=volume]').click()
  })

  test('keeps favourites over a reload, and shows groups of markets', async () => {
    const choose = (name: string) => page.locator(`.markets [data-group=${name}]`).click()
    await choose('favourites')
    await page.getByText('No favourites yet').waitFor()
    await choose('all')
    await page.getByRole('button', { name: 'Favourite SOL' }).click()
    await page.reload()
    await choose('favourites')
    await page.locator('.markets tr[data-symbol=PERP_SOL_USDC]').waitFor()
    expect(await symbolsOf(page)).toEqual(['PERP_SOL_USDC'])
    await page.getByRole('button', { name: 'Favourite SOL' }).click()
    await page.getByText('No favourites yet').waitFor()
    await choose('rwa')
    await page.locator('.markets tr[data-symbol=PERP_XAU_USDC]').waitFor()
    const assets = await symbolsOf(page)
    await choose('crypto')
    await page.locator('.markets tr[data-symbol=PERP_BTC_USDC]').waitFor()
    const { markets } = await answerOf(fixture, '/api/prep/markets')
    const symbols = [...assets, ...(await symbolsOf(page))]
    expect(symbols.toSorted()).toEqual(markets.map((row: Row) => row['symbol']).toSorted())
    await choose('new')
    const { rows: listed } = await answerOf(fixture, '/api/prep/op/markets.rules')
    const sinceMs = Date.now() - 30 * 86_400_000
    const isNew = (row: Row) => Number(row['created_time']) >= sinceMs
    await eventually(
      async () => (await symbolsOf(page)).toSorted(),
      (found) =>
        Bun.deepEquals(
          found,
          listed
            .filter(isNew)
            .map((row: Row) => row['symbol'])
            .toSorted(),
        ),
    )
    await choose('all')
  })

  test('shows the book as the server answers it, with its sums', async () => {
    await eventually(
      async () => {
        const answer = await answerOf(fixture, '/api/prep/orderbook?symbol=PERP_ETH_USDC')
        const shown = await page.evaluate<[string, string][]>(
          "[...document.querySelectorAll('.bids .level')].map((row) => [row.dataset.price, row.dataset.size])",
        )
        const wanted = answer.bids.map(({ price, quantity }: Record<string, string>) => [
          String(Number(price)),
          String(Number(quantity)),
        ])
        return [shown, wanted.slice(0, shown.length)]
      },
      ([shown, wanted]) => shown.length > 5 && Bun.deepEquals(shown, wanted),
    )
  })

  test('groups the book by steps of the tick', async () => {
    await page.getByLabel('Price step').selectOption('100')
    const prices = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('.bids .level')].map((row) => row.dataset.price)",
      )
    await eventually(
      prices,
      (shown) =>
        shown.length > 2 && shown.every((price) => price === String(Math.floor(Number(price)))),
    )
  })

  test('paints candles of every interval, and the depth of the book', async () => {
    const painted = () =>
      eventually(
        () => coloursOf(page),
        (count) => count > 2,
      )
    for (const interval of ['1m', '5m', '15m', '30m', '1h', '4h', '12h', '1d', '1w']) {
      await page.locator('.chart .choices').getByText(interval, { exact: true }).click()
      await page.locator(`.canvas[aria-label*=", ${interval} "]:not([data-candles="0"])`).waitFor()
      await painted()
    }
    await page.getByText('Depth', { exact: true }).click()
    await page.getByRole('img', { name: 'Depth of the order book of ETH' }).waitFor()
    await painted()
  })

  test('asks for nothing while nobody looks', async () => {
    const sent = () => opened.requests.length + opened.frames.length
    await page.evaluate(
      "Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))",
    )
    // What was on its way still comes; then nothing does for five times as long as the book takes.
    let [before, quietSinceMs] = [sent(), performance.now()]
    await eventually(
      async () => {
        if (sent() > before) [before, quietSinceMs] = [sent(), performance.now()]
        return performance.now() - quietSinceMs
      },
      (quietMs) => quietMs > 1000,
    )
    await page.evaluate(
      "delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))",
    )
    await eventually(
      async () => sent(),
      (count) => count > before,
    )
  })

  test('names a market that does not exist, and shows the first', async () => {
    await page.goto(`${fixture.origin}/trade/PERP_NOPE_USDC`)
    await page.getByText('There is no market PERP_NOPE_USDC here').waitFor()
    await page.locator('.bids .level').first().waitFor()
  })

  test('has done all this without a complaint, and asked nobody else', () => {
    expect(opened.complaints).toEqual([])
    const foreign = opened.requests.filter((request) => !request.includes(` ${fixture.origin}/`))
    expect(foreign).toEqual([])
  })

  test.each([
    ['dark', DARK],
    ['phone', PHONE],
  ])('shows markets without a complaint, and asks nobody else: %s', async (_name, look) => {
    const { page, context, complaints, requests } = await fixture.open('/trade', look)
    await page.locator('.markets tbody tr').first().waitFor({ state: 'attached' })
    await page.locator('.bids .level').first().waitFor({ state: 'attached' })
    await page.locator('.canvas canvas').first().waitFor({ state: 'attached' })
    await page.locator('.ticket form').waitFor({ state: 'attached' })
    expect(complaints).toEqual([])
    expect(requests.filter((request) => !request.includes(` ${fixture.origin}/`))).toEqual([])
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(look.width)
    await context.close()
  })
})

type Row = Readonly<Record<string, string | number>>

function symbolsOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    "[...document.querySelectorAll('.markets tbody tr')].map((row) => row.dataset.symbol)",
  )
}

async function answerOf({ target }: PageFixture, path: string) {
  return Object(await (await target.fetch(path)).json())
}

/** How many colours the largest canvas of the chart shows, up to three: a blank one has one. */
function coloursOf(page: Page): Promise<number> {
  return page.evaluate<number>(`(() => {
    const canvas = [...document.querySelectorAll('.canvas canvas')].sort((a, b) => b.width * b.height - a.width * a.height)[0]
    if (!canvas || canvas.width === 0) return 0
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const seen = new Set()
    for (let at = 0; at < data.length && seen.size < 3; at += 4) seen.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2])
    return seen.size
  })()`)
}
