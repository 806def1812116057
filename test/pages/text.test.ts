// Slow: a browser opens each page anew.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  eventually,
  list,
  openPageFixture,
  openThrowAway,
  type PageFixture,
  STILL,
} from './fixture.ts'

const HOSTILE = [
  '<script>window.stolen = true</script>',
  '<img src=x onerror="window.stolen = true">',
  'javascript:window.stolen=true',
  '"><svg onload=window.stolen=true>',
]

describe('what the venue says', () => {
  let fixture: PageFixture
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
  })
  afterAll(() => fixture.stop())

  test('is text and nothing else', async () => {
    const { page, context, complaints } = await fixture.openFast('/favicon.svg')
    await page.route('**/api/prep/markets', async (route) => {
      const answer = Object(await (await route.fetch()).json())
      await route.fulfill({ json: { markets: answer.markets.map(hostileMarket) } })
    })
    await page.route('**/api/prep/deposit-chains', async (route) => {
      const answer = Object(await (await route.fetch()).json())
      const rows = answer.rows.map((row: object, at: number) => ({
        ...{ ...row, name: hostile(at), explorer: hostile(at) },
      }))
      await route.fulfill({ json: { rows } })
    })
    await rewriting(page, 'tickers.changes', ({ markets }) => ({
      markets: markets.map(hostileMarket),
    }))
    await page.goto(`${fixture.origin}/trade/PERP_ETH_USDC`)
    await eventually(
      () => page.locator('.markets .name').allTextContents(),
      (names) => HOSTILE.every((text) => names.includes(text)) && names.every(isHostile),
    )
    await openThrowAway(page)
    await page.route('**/api/prep/relay', async (route) => {
      const isOrders = route.request().postData()?.includes('/v1/orders?status=INCOMPLETE')
      if (isOrders) await route.fulfill({ json: { rows: HOSTILE.map(orderRow) } })
      else await route.continue()
    })
    await list(page, 'orders').click()
    await page.locator('tr[data-order]').first().waitFor()
    const tags = await page.locator('tr[data-order] .tag').allTextContents()
    expect(tags.map((tag) => tag.trim())).toEqual([...HOSTILE])
    await harmless(page)
    await page.locator('.pages-open').click()
    await page.locator('.pages a[href$=withdraw]').click()
    await eventually(
      () => page.locator('.page option').allTextContents(),
      (names) => names.length > 0 && names.every(isHostile),
    )
    await harmless(page)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('is shown to the digit', async () => {
    const { page, context } = await fixture.openFast('/favicon.svg')
    const book = {
      ...{ symbol: 'PERP_ETH_USDC', mid_price: '', spread: '', ts: 1 },
      bids: [{ price: '2000.10', quantity: '90071992.54740993' }],
      asks: [{ price: '2000.20', quantity: '0.0001' }],
    }
    await page.route('**/api/prep/orderbook*', (route) => route.fulfill({ json: book }))
    await rewriting(page, 'orderbook:PERP_ETH_USDC', (_, type) =>
      type === 'delta' ? { asks: [], bids: [], ts: 2 } : book,
    )
    await page.goto(`${fixture.origin}/trade/PERP_ETH_USDC`)
    const best = page.locator('.bids .level[data-size="90071992.54740993"]')
    await best.waitFor()
    expect(await best.getAttribute('data-price')).toBe('2000.1')
    await context.close()
  })
})

function hostile(at: number): string {
  return HOSTILE[at % HOSTILE.length] ?? ''
}

function isHostile(text: string): boolean {
  return HOSTILE.some((each) => each === text)
}

function hostileMarket(row: object, at: number): object {
  return { ...row, base: hostile(at), display_symbol_name: hostile(at) }
}

type Data = ReturnType<typeof Object>

/** Has live data say something else of a topic. */
async function rewriting(
  page: Page,
  topic: string,
  change: (data: Data, type: string) => object,
): Promise<void> {
  await page.routeWebSocket('**/api/prep/ws', (socket) => {
    const server = socket.connectToServer()
    server.onMessage((text) => {
      const message = JSON.parse(String(text))
      const data = message.topic === topic ? change(message.data, message.type) : message.data
      socket.send(JSON.stringify({ ...message, data }))
    })
  })
}

async function harmless(page: Page): Promise<void> {
  expect(await page.evaluate<unknown>('window.stolen ?? null')).toBeNull()
  expect(
    await page.evaluate<number>('document.querySelectorAll(\'a[href^="javascript"]\').length'),
  ).toBe(0)
  expect(
    await page.evaluate<number>("document.querySelectorAll('script:not([data-path])').length"),
  ).toBe(1)
}

function orderRow(text: string, at: number) {
  return {
    ...{ order_id: at, client_order_id: text, symbol: 'PERP_ETH_USDC', side: 'BUY', type: text },
    ...{
      status: text,
      price: 1,
      quantity: 1,
      total_executed_quantity: 0,
      average_executed_price: 0,
    },
    ...{ created_time: 1, reduce_only: false, order_tag: text },
  }
}
