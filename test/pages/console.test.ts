import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { createClient } from '../../src/agents/client/client.ts'
import { openTemporaryAccount } from '../../src/operator/account/open.ts'
import { envelope } from '../caller.ts'
import { eventually, gone, openPageFixture, openThrowAway, type PageFixture } from './fixture.ts'

const KEY = 'the-key-of-an-operator-in-this-test'
const ASKED = ['markets', 'orderbook', 'markets.get', 'unknown'] as const

describe('the operator’s console', () => {
  let fixture: PageFixture
  beforeAll(async () => {
    fixture = await openPageFixture({ OPERATOR_KEY: KEY, VENUE_CLOCK: 'virtual' })
  })
  afterAll(() => fixture.stop())

  const open = async () => {
    const opened = await fixture.open('/favicon.svg')
    await opened.page.goto(`${fixture.opsOrigin}/`)
    await opened.page.getByText('Operations').waitFor()
    return opened
  }

  // Slow: a thousand requests are answered and shown.
  test('counts a thousand requests exactly, within two beats, without a complaint', async () => {
    const { page, context, complaints, requests } = await open()
    const before = await counts(page)
    await ask(400, '/api/prep/markets')
    await ask(300, '/api/prep/orderbook?symbol=PERP_ETH_USDC')
    await ask(200, '/api/prep/op/markets.get?symbol=PERP_ETH_USDC')
    await ask(100, '/api/prep/nothing-of-this-name')
    const grown = async () => {
      const after = await counts(page)
      return ASKED.map((name) => (after[name] ?? 0) - (before[name] ?? 0))
    }
    // The last of them counts when all of them do.
    await eventually(grown, ([, , , unknown = 0]) => unknown >= 100)
    expect((await grown()).slice(0, 3)).toEqual([400, 300, 200])
    await page
      .getByRole('region', { name: 'Last failures' })
      .getByText('not_found')
      .first()
      .waitFor()
    expect(complaints).toEqual([])
    expect(requests.filter((request) => !request.includes('127.0.0.1'))).toEqual([])
    await context.close()
  })

  test('has room for every column of the operations on a screen of 1280', async () => {
    const { page, context } = await open()
    // Every trading page asks for it; no name that they ask for is longer.
    await ask(1, '/api/prep/op/platform.announcementsV2')
    const operations = page.locator('#operations .scroll')
    await operations.locator('[data-operation="platform.announcementsV2"]').waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
    const spared = await operations.evaluate((element) => element.clientWidth - element.scrollWidth)
    expect(spared).toBeGreaterThanOrEqual(0)
    await context.close()
  })

  test('shows no engines where there are none', async () => {
    const { page, context } = await open()
    expect((await figures(fixture)).engines).toBeNull()
    expect(await page.getByRole('region', { name: 'Engines' }).count()).toBe(0)
    await context.close()
  })

  test('is there for a browser whose language no number format knows', async () => {
    const { page, context } = await fixture.open('/favicon.svg')
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })
    })
    await page.goto(`${fixture.opsOrigin}/`)
    await page.getByText('Operations').waitFor()
    await context.close()
  })

  test('shows what became of relayed writes, and no account, address or key', async () => {
    const trader = await fixture.open('/trade/PERP_ETH_USDC')
    await openThrowAway(trader.page)
    const account = await trader.page.locator('.account .head .end').getAttribute('title')
    const address = await trader.page.locator('header .who').getAttribute('title')
    const { page, context } = await open()
    const shown =
      (await (await fixture.target.ops('/console/figures')).text()) + (await page.content())
    expect(account).toMatch(/^0x[0-9a-f]{64}$/)
    for (const secret of [account, address]) expect(shown).not.toContain(secret ?? 'nothing')
    expect(shown).not.toContain('ed25519')
    await context.close()
    await trader.context.close()
  })

  test('shows standby cancels by what they are, and nothing of them where nobody has any', async () => {
    const { page, context } = await open()
    const region = page.getByRole('region', { name: 'Standby cancels' })
    expect(await region.count()).toBe(0)
    const client = createClient({
      baseUrl: fixture.origin,
      transport: (request) => fetch(request),
      nowMs: Date.now,
    })
    const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }
    const account = await openTemporaryAccount(client, { clock: { nowMs: Date.now }, random })
    const cancel = envelope(account, { method: 'DELETE', path: '/v1/orders' })
    await client.post('/api/prep/standby', { envelopes: [cancel], afterMs: 60_000 })
    await region.getByText('armed').waitFor()
    expect(await region.locator('td').allTextContents()).toEqual(['armed', '1'])
    await context.close()
  })

  test('shows accounts with limits by who has frozen them, and nothing where there is none', async () => {
    const { page, context } = await open()
    const region = page.getByRole('region', { name: 'Mandates' })
    expect(await region.count()).toBe(0)
    await fixture.target.ops('/api/admin/freezes/add', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ account: `0x${'ab'.repeat(32)}` }),
    })
    await region.getByText('operator').waitFor()
    expect(await region.locator('td').allTextContents()).toEqual(['operator', '1'])
    await context.close()
  })

  test('purges the cache and moves the clock for whoever has the key', async () => {
    const { page, context } = await open()
    await enterKey(page, KEY)
    await page.getByText('Key accepted.').waitFor()
    const before = (await figures(fixture)).venue.nowMs
    await press(page, 'advance-clock')
    await page.getByText('Done: Advance the clock by a minute.').waitFor()
    expect((await figures(fixture)).venue.nowMs - before).toBe(60_000)
    await fixture.target.fetch('/api/prep/tokens')
    expect((await fixture.target.fetch('/api/prep/tokens')).headers.get('cache-status')).toContain(
      'hit',
    )
    await press(page, 'purge-cache')
    await page.getByText('Done: Purge the cache.').waitFor()
    expect((await fixture.target.fetch('/api/prep/tokens')).headers.get('cache-status')).toContain(
      'miss',
    )
    expect(
      await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])'),
    ).not.toContain(KEY)
    await context.close()
  })

  test('changes nothing without the key', async () => {
    const { page, context } = await open()
    const before = (await figures(fixture)).venue.nowMs
    await enterKey(page, 'another key')
    await page.getByText('Refused: Credentials are missing').waitFor()
    expect(await page.locator('[data-action], [data-setting]').count()).toBe(0)
    expect((await figures(fixture)).venue.nowMs).toBe(before)
    await context.close()
  })

  const bearing = { authorization: `Bearer ${KEY}` }

  test.each([
    [
      'a foreign origin',
      'advance-clock?ms=1',
      { ...bearing, origin: 'https://elsewhere.example' },
      403,
    ],
    ['no key', 'advance-clock?ms=1', {}, 401],
    ['no such action', 'delete-everything', bearing, 404],
    ['a time that is none', 'advance-clock?ms=-1', bearing, 400],
    ['vouchers that are off', 'pause-vouchers', bearing, 503],
  ])('refuses %s', async (_, action, headers, status) => {
    const before = (await figures(fixture)).venue.nowMs
    const response = await fixture.target.ops(`/console/act/${action}`, {
      method: 'POST',
      headers: { ...headers },
    })
    expect(response.status).toBe(status)
    expect((await figures(fixture)).venue.nowMs).toBe(before)
  })

  test('does nothing by a GET', async () => {
    const response = await fixture.target.ops('/console/act/purge-cache', { headers: bearing })
    expect(response.status).toBe(405)
  })

  // Slow: a server stops, and another starts in its place.
  test('says that the server is gone, keeps the last figures, and goes on by itself', async () => {
    const { page, context } = await open()
    await page.route('**/console/figures*', (route) => route.abort())
    await page.getByText('The server does not answer.').waitFor()
    await page.getByText('Operations').waitFor()
    await page.unroute('**/console/figures*')
    await gone(page.getByText('The server does not answer.'))
    await context.close()
  })

  async function ask(times: number, path: string): Promise<void> {
    for (let sent = 0; sent < times; sent += 25) {
      const batch = Array.from({ length: 25 }, async () =>
        (await fixture.target.fetch(path)).arrayBuffer(),
      )
      await Promise.all(batch)
    }
  }
})

async function enterKey(page: Page, key: string): Promise<void> {
  await page.locator('input[type=password]').fill(key)
  await page.getByRole('button', { name: 'Use this key' }).click()
}

async function press(page: Page, action: string): Promise<void> {
  const button = page.locator(`[data-action=${action}]`)
  await button.click()
  await button.getByText('Confirm:').waitFor()
  await button.click()
}

async function figures({ target }: PageFixture) {
  return Object(await (await target.ops('/console/figures')).json())
}

async function counts(page: Page): Promise<Record<string, number>> {
  const rows = await page.evaluate<[string, string][]>(
    "[...document.querySelectorAll('[data-operation]')].map((row) => [row.dataset.operation, row.querySelector('[data-total]').dataset.total])",
  )
  return Object.fromEntries(rows.map(([name, total]) => [name, Number(total)]))
}
