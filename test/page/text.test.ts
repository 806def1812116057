import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { eventually, list, openPageRig, openThrowAway, PATIENCE_MS, type PageRig } from './rig.ts'

setDefaultTimeout(PATIENCE_MS)

const HOSTILE = [
  '<script>window.stolen = true</script>',
  '<img src=x onerror="window.stolen = true">',
  'javascript:window.stolen=true',
  '"><svg onload=window.stolen=true>',
]

describe('what the venue says', () => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await openPageRig()
  })
  afterAll(() => rig.stop())

  test.each(HOSTILE)('is text and nothing else: %s', async (text) => {
    const { page, context, complaints } = await rig.visit('/favicon.svg')
    await page.route('**/api/prep/markets', async (route) => {
      const answer = Object(await (await route.fetch()).json())
      const markets = answer.markets.map((row: object) => ({
        ...row,
        base: text,
        display_symbol_name: text,
      }))
      await route.fulfill({ json: { markets } })
    })
    await page.route('**/api/prep/deposit-chains', async (route) => {
      const answer = Object(await (await route.fetch()).json())
      const rows = answer.rows.map((row: object) => ({ ...row, name: text, explorer: text }))
      await route.fulfill({ json: { rows } })
    })
    await rewriting(page, 'tickers', ({ markets }) => ({
      markets: markets.map((row: object) => ({ ...row, base: text, display_symbol_name: text })),
    }))
    await page.goto(`${rig.origin}/trade/PERP_ETH_USDC`)
    await eventually(
      () => page.locator('.markets .name').allTextContents(),
      (names) => names.length > 0 && names.every((name) => name === text),
    )
    await openThrowAway(page)
    await page.route('**/api/prep/relay', async (route) => {
      const isOrders = route.request().postData()?.includes('/v1/orders?status=INCOMPLETE')
      if (isOrders) await route.fulfill({ json: { rows: [orderRow(text)] } })
      else await route.continue()
    })
    await list(page, 'orders').click()
    await page.locator('tr[data-order]').waitFor()
    expect(await page.locator('tr[data-order] .tag').textContent()).toContain(text)
    await list(page, 'balances').click()
    await eventually(
      () => page.locator('.deposits td').count(),
      (count) => count > 0,
    )
    await harmless(page)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('is shown to the digit', async () => {
    const { page, context } = await rig.visit('/favicon.svg')
    const book = {
      ...{ symbol: 'PERP_ETH_USDC', mid_price: '', spread: '', ts: 1 },
      bids: [{ price: '2000.10', quantity: '90071992.54740993' }],
      asks: [{ price: '2000.20', quantity: '0.0001' }],
    }
    await page.route('**/api/prep/orderbook*', (route) => route.fulfill({ json: book }))
    await rewriting(page, 'orderbook:PERP_ETH_USDC', (_, type) =>
      type === 'delta' ? { asks: [], bids: [], ts: 2 } : book,
    )
    await page.goto(`${rig.origin}/trade/PERP_ETH_USDC`)
    const best = page.locator('.bids .level[data-size="90071992.54740993"]')
    await best.waitFor()
    expect(await best.getAttribute('data-price')).toBe('2000.1')
    await context.close()
  })
})

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

function orderRow(text: string) {
  return {
    ...{ order_id: 1, client_order_id: text, symbol: 'PERP_ETH_USDC', side: 'BUY', type: text },
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
