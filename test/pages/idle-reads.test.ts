// Slow: a browser opens an account in a market that moves.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { OpenedPage } from './browser.ts'
import {
  eventually,
  FEEDS,
  fillIn,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
  ticket,
} from './fixture.ts'

let fixture: PageFixture
let opened: OpenedPage
beforeAll(async () => {
  fixture = await openPageFixture({ ...STILL, ...FEEDS['by polling'] })
  opened = await openTrader(fixture)
})
afterAll(() => fixture.stop())

test('before a vault is known nothing is asked of one', async () => {
  const { page: other, context } = await fixture.openFast('/favicon.svg')
  await other.route('**/api/prep/op/vault.info', (route) => route.fulfill({ json: { rows: [] } }))
  const asked: string[] = []
  other.on('request', (request) => {
    if (request.resourceType() === 'fetch') asked.push(new URL(request.url()).pathname)
  })
  await other.goto(`${fixture.origin}/trade/vaults`)
  await other.getByText('The venue has no vaults.').waitFor()
  expect(asked).toContain('/api/prep/op/vault.info')
  expect(asked.filter((path) => !path.startsWith('/api/'))).toEqual([])
  expect(asked.filter((path) => /vault\.(performance|positions)/.test(path))).toEqual([])
  await context.close()
})

test('what was closed before an open position is not read again with each mark', async () => {
  const { page, requests, context } = opened
  const reads = () => requests.filter((each) => each.includes('/v1/position_history')).length
  await fillIn(page, 'MARKET', '3', '0.1')
  await ticket.submit(page).click()
  await notice(page, /^Filled/)
  await eventually(
    async () => reads(),
    (count) => count > 0,
  )
  const [before, beganMs] = [reads(), performance.now()]
  let answers = 0
  await page.route('**/api/prep/markets', async (route) => {
    const body = Object(await (await route.fetch()).json())
    answers += 1
    const markets = body.markets.map((row: object) => ({
      ...row,
      mark_price: 2000 + Math.min(answers, 5),
    }))
    await route.fulfill({ json: { ...body, markets } })
  })
  await page.getByText('2,005.00').first().waitFor()
  // The page's minute is twelve seconds here, and the order's own end is a reason to read.
  const minutes = Math.ceil((performance.now() - beganMs) / 12_000)
  expect(reads() - before).toBeLessThanOrEqual(1 + minutes)
  expect(answers).toBeGreaterThan(4)
  await page.unrouteAll({ behavior: 'wait' })
  await context.close()
})
