import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Target } from '../target.ts'
import { openPage } from './browser.ts'
import { eventually, openPageFixture, openPageTarget, type PageFixture } from './fixture.ts'

const ETH = { VENUE_MARKETS: 'PERP_ETH_USDC' }

let live: Target
let fixture: PageFixture
beforeAll(async () => {
  live = await openPageTarget({ ...ETH, VENUE_LISTEN: '127.0.0.1:0' })
  const { venue } = await live.listening()
  fixture = await openPageFixture({ ...ETH, VENUE: 'paper', PAPER_OF: venue })
})
afterAll(async () => {
  await fixture.stop()
  await live.stop()
})

/** The rows of the panel about the venue, on the console at this address. */
async function openVenuePanel(opsOrigin: string) {
  const { page, context } = await openPage(fixture.browser)
  await page.goto(`${opsOrigin}/`)
  const panel = page.getByRole('region', { name: 'Venue', exact: true })
  await panel.getByText('Calls').waitFor()
  return { page, panel, context }
}

// Slow: two servers with their threads, one of which goes away.
test('the console of practice says which live books are known, and since when they are not', async () => {
  const simulated = await openVenuePanel((await live.listening()).ops)
  expect(await simulated.panel.getByText('Live books known').count()).toBe(0)
  await simulated.context.close()
  const { page, panel, context } = await openVenuePanel(fixture.opsOrigin)
  const value = (name: string) => panel.locator(`dt:has-text("${name}") + dd`)
  await value('Live books known').getByText('1 of 1', { exact: true }).waitFor()
  await value('Last live marks')
    .getByText(/^\d+ s ago$/)
    .waitFor()
  await live.stop()
  await value('Live books known')
    .getByText(/^0 of 1; not all since \d\d:\d\d:\d\d$/)
    .waitFor()
  await eventually(
    () => page.locator('.verdict').textContent(),
    (text) => text?.includes('not every live order book is known') ?? false,
  )
  await context.close()
})
