// Slow: a browser reads what a server has done.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { openPageFixture, type PageFixture } from './fixture.ts'

const KEY = 'the-key-of-an-operator-in-this-test'

describe('the operator’s console', () => {
  let fixture: PageFixture
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture({ OPERATOR_KEY: KEY, VENUE_CLOCK: 'virtual' })
    const opened = await fixture.open('/favicon.svg')
    page = opened.page
    await page.goto(`${fixture.opsOrigin}/`)
    await page.getByText('Operations').waitFor()
  })
  afterAll(() => fixture.stop())

  test('says in one line that all is well, or why not, with a link to more', async () => {
    await withoutLoad(page)
    await page.getByRole('status').getByText('All well').waitFor()
    await fixture.target.ops('/api/admin/maintenance/on', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ sentence: 'Back soon.' }),
    })
    const reason = page.getByRole('link', { name: 'Writes are closed for maintenance.' })
    await reason.waitFor()
    expect(await reason.getAttribute('href')).toBe('#act')
    expect(await page.locator('section#act').count()).toBe(1)
    expect(await page.getByText('All well').count()).toBe(0)
  })

  test('colours a figure by the reasons that stand above it, and by nothing else', async () => {
    const { page: other, context } = await fixture.open('/favicon.svg')
    const slow = { level: 'page', title: 'Slow.', figure: '', action: 'Look.', at: 'operations' }
    let verdict: readonly object[] = []
    await other.route('**/console/figures*', async (route) => {
      const figures = await (await route.fetch()).json()
      const upstream = { ...figures.upstream, p99Ms: 60_000 }
      const samples = [[figures.atMs, 10, 9, 60_000, 60_000, 1]]
      await route.fulfill({ json: { ...figures, upstream, samples, verdict } })
    })
    await other.goto(`${fixture.opsOrigin}/`)
    await other.getByRole('status').getByText('All well').waitFor()
    const judged = (state: string) => other.locator(`[data-state=${state}]`)
    await judged('well').first().waitFor()
    expect([await judged('well').count(), await judged('ill').count()]).toEqual([4, 0])
    verdict = [{ ...slow, tile: 'slowest' }]
    await judged('ill').first().waitFor()
    expect(await judged('ill').locator('dt').allTextContents()).toEqual(['Slowest 1 %'])
    expect(await other.getByText('All well').count()).toBe(0)
    await context.close()
  })

  test('leads from a code to its requests, and from a request to its log lines', async () => {
    const failed = await fixture.target.fetch('/api/prep/nothing-of-this-name')
    await fixture.target.fetch('/api/prep/orderbook?symbol=none')
    const id = failed.headers.get('x-request-id') ?? ''
    await page.locator('[data-code=not_found]').click()
    const request = page.locator(`[data-request="${id}"]`)
    await request.click()
    await page.locator('.lines').getByText('code=not_found status=404').waitFor()
    const region = page.getByRole('region', { name: 'Last failures' })
    expect(await region.getByText('invalid_request', { exact: true }).count()).toBe(0)
    expect(await region.textContent()).not.toContain('127.0.0')
    await request.click()
    expect(await page.locator('.lines').count()).toBe(0)
  })

  test('takes the key once, shows settings and audit with it, and forgets it', async () => {
    expect(await page.locator('[data-setting]').count()).toBe(0)
    await page.locator('input[type=password]').fill(KEY)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByText('Key accepted.').waitFor()
    expect(await page.locator('input[type=password]').count()).toBe(0)
    const row = page.locator('[data-setting=OPERATOR_KEY]')
    expect(await row.locator('td').nth(1).textContent()).toBe('set')
    expect(await page.content()).not.toContain(KEY)
    await page.locator('[data-act^=maintenance]').first().waitFor()
    await page.getByRole('button', { name: 'Forget the key' }).click()
    expect(await page.locator('[data-setting], [data-act]').count()).toBe(0)
  })

  test('does nothing before it is confirmed', async () => {
    await page.locator('input[type=password]').fill(KEY)
    await page.getByRole('button', { name: 'Use this key' }).click()
    // Neither by a double click on the button that asks for it.
    await page.locator('[data-action=purge-cache]').dblclick()
    await page.getByText('Confirm: Purge the cache').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Purge the cache', { exact: true }).waitFor()
    expect(await page.locator('[data-act="cache/purge"]').count()).toBe(0)
  })
})

/** Has the console say nothing of how busy the machine is, which tests make so. */
async function withoutLoad(page: Page): Promise<void> {
  await page.route('**/console/figures*', async (route) => {
    const figures = await (await route.fetch()).json()
    const verdict = figures.verdict.filter(
      ({ at }: { readonly at: string }) => at !== 'charts' && at !== 'operations',
    )
    await route.fulfill({ json: { ...figures, verdict } })
  })
}
