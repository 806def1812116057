import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { BrowserContext, Page, Route } from 'playwright-core'
import {
  agree,
  eventually,
  gone,
  list,
  openPageRig,
  openThrowAway,
  PATIENCE_MS,
  type PageRig,
  placeResting,
  WAYS,
} from './rig.ts'

setDefaultTimeout(PATIENCE_MS)

const RELAY = '**/api/prep/relay'

describe.each(WAYS)('an order that does not go through, on the trading page: %s', (_, settings) => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await openPageRig(settings)
  })
  afterAll(() => rig.stop())

  test('finds an order whose answer was lost, and there is one', async () => {
    const { page, context } = await rig.hurry('/trade/PERP_ETH_USDC')
    await openThrowAway(page)
    let sent = 0
    await onWrites(context, async (route) => {
      sent += 1
      await route.fetch()
      await route.abort('connectionreset')
    })
    await placeResting(page, '0.05')
    await agree(page)
    await page.getByText('The answer was lost, but the order is at the venue: Open.').waitFor()
    await list(page, 'orders').click()
    await eventually(
      () => page.locator('tr[data-order]').count(),
      (count) => count === 1,
    )
    expect(sent).toBe(1)
    await context.close()
  })

  test('repeats the very same bytes after an order that never arrived, and nothing else', async () => {
    const { page, context } = await rig.hurry('/trade/PERP_ETH_USDC')
    await openThrowAway(page)
    const bodies: string[] = []
    await onWrites(context, async (route) => {
      bodies.push(route.request().postData() ?? '')
      await (bodies.length === 1 ? route.abort('connectionreset') : route.continue())
    })
    await placeResting(page, '0.05')
    await agree(page)
    await page.getByText('The answer was lost, and the venue has no such order.').waitFor()
    await page.getByText('Send the same bytes again').click()
    await page.getByText(/^Rests at .*: 0.0500 ETH\.$/).waitFor()
    expect(new Set(bodies).size).toBe(1)
    expect(bodies.length).toBe(2)
    await context.close()
  })

  test('offers the value that keeps a market’s rules', async () => {
    const { page, context } = await rig.visit('/trade/PERP_ETH_USDC')
    await openThrowAway(page)
    await placeAnywhere(page, '1', '0.05')
    await page.locator('.field').getByText('The price is too far from the mark price.').waitFor()
    await page.locator('.ticket .warn').getByRole('button').first().click()
    await gone(page.locator('.ticket .warn'))
    // Away from the edge, where a mark that moves makes no price wrong again.
    const best = Number(await page.locator('.bids .level').first().getAttribute('data-price'))
    await placeAnywhere(page, String(Math.floor(best * 0.95)), '0.00001')
    await page.locator('.ticket .warn').getByRole('button').first().click()
    await gone(page.locator('.ticket .warn'))
    await context.close()
  })
})

async function placeAnywhere(page: Page, price: string, size: string): Promise<void> {
  await page.locator('.types [data-name=LIMIT]').click()
  await page.locator('.ticket .entry input').nth(0).fill(price)
  await page.locator('.ticket .entry input').nth(1).fill(size)
}

/** Puts something between the page and the relay, for writes alone. */
async function onWrites(context: BrowserContext, act: (route: Route) => Promise<void>) {
  await context.route(RELAY, async (route) => {
    const isWrite = !route.request().postData()?.includes('"method":"GET"')
    await (isWrite ? act(route) : route.continue())
  })
}
