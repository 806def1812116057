// Slow: a browser opens an account in steps.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import type { OpenedPage } from './browser.ts'
import {
  bestPrice,
  eventually,
  fillIn,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
  submittable,
  ticket,
} from './fixture.ts'

/** The first click of a double click; the second one follows once the page shows what the first one brought. */
async function clickFirst(page: Page, on: Locator): Promise<void> {
  await press(page, on, 1)
}

/** The second click of a double click on what stands below the pointer then. */
async function clickSecond(page: Page, on: Locator): Promise<void> {
  await press(page, on, 2)
  // What a click does at once is done.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')
}

async function press(page: Page, on: Locator, clickCount: number): Promise<void> {
  const box = await on.boundingBox()
  await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + (box?.height ?? 0) / 2)
  await page.mouse.down({ clickCount })
  await page.mouse.up({ clickCount })
}

describe('the second click of a double click', () => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    opened = await openTrader(fixture)
    page = opened.page
    await page.getByLabel('Show what is signed first').check()
    const price = Math.floor((await bestPrice(page, 'bids')) * 0.99)
    await fillIn(page, 'LIMIT', String(price), '0.1')
    await submittable(page)
  })
  afterAll(() => fixture.stop())

  const dialog = () => page.locator('dialog')
  const sign = () => dialog().getByText('Sign and send')
  const relayed = () => opened.requests.filter((each) => each.includes('/v1/order"')).length

  test('selects nothing of the dialog that the first one has opened', async () => {
    await clickFirst(page, ticket.submit(page))
    await sign().waitFor()
    await clickSecond(page, dialog().locator('h2'))
    expect(await page.evaluate<string>('String(getSelection())')).toBe('')
    // A double click that begins there selects a word, as everywhere.
    await clickFirst(page, dialog().locator('h2'))
    await clickSecond(page, dialog().locator('h2'))
    expect(await page.evaluate<string>('String(getSelection())')).not.toBe('')
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
  })

  test('signs and sends nothing of what the first one has opened', async () => {
    await clickFirst(page, ticket.submit(page))
    await sign().waitFor()
    await clickSecond(page, sign())
    expect(await sign().isVisible()).toBe(true)
    expect(relayed()).toBe(0)
  })

  test('presses nothing that a dialog which the first one has closed uncovers', async () => {
    await clickFirst(page, dialog().getByText('Cancel', { exact: true }))
    await dialog().waitFor({ state: 'detached' })
    await clickSecond(page, page.getByRole('button', { name: 'Margin mode and leverage' }))
    await clickSecond(page, page.locator('.sides [data-name=SELL]'))
    expect(await page.locator('.sides [data-name=SELL]').getAttribute('aria-pressed')).toBe('false')
    expect(await dialog().count()).toBe(0)
  })

  test('is as good as another click where nothing has come or gone', async () => {
    for (const name of ['SELL', 'BUY']) {
      const side = page.locator(`.sides [data-name=${name}]`)
      await clickFirst(page, page.locator('.sides'))
      await clickSecond(page, side)
      expect(await side.getAttribute('aria-pressed')).toBe('true')
    }
    await submittable(page)
    await ticket.submit(page).click()
    await sign().click()
    await notice(page, /^Rests at/)
    expect(relayed()).toBeGreaterThan(0)
    expect(opened.complaints).toEqual([])
  })

  test('by a key confirms nothing either, nor does one that is held; a later one does', async () => {
    const sent = relayed()
    const ask = async () => {
      await ticket.size(page).fill('0.1')
      await submittable(page)
      await page.keyboard.down('Enter')
      await sign().waitFor()
      expect(await page.evaluate<string>('document.activeElement.textContent')).toBe(
        'Sign and send',
      )
    }
    await page.evaluate('window.aheadMs += 1000')
    await ask()
    await page.evaluate('window.aheadMs += 1000')
    // The browser repeats a key that is down already.
    await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    expect(await sign().isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await page.evaluate('window.aheadMs += 1000')
    await page.evaluate('{ const at = Date.now(); window.flowing = Date.now; Date.now = () => at }')
    await ask()
    await page.keyboard.up('Enter')
    await page.keyboard.press('Enter')
    expect(await sign().isVisible()).toBe(true)
    expect(relayed()).toBe(sent)
    await page.evaluate('{ Date.now = window.flowing; window.aheadMs += 1000 }')
    await page.keyboard.press('Enter')
    await notice(page, /^Rests at/)
    expect(relayed()).toBeGreaterThan(sent)
    expect(opened.complaints).toEqual([])
  })

  test('agrees to one document of an opening, not to the next one', async () => {
    const { page, context, requests } = await fixture.openFast('/trade')
    await page.locator('header').getByText('Connect', { exact: true }).click()
    await page.getByText('Use a throw-away wallet').click()
    const button = page.getByText('Sign in the wallet')
    await page.getByText('Open the account: the wallet signs this').waitFor()
    await clickFirst(page, button)
    await page.getByText('Bind the trading key: the wallet signs this').waitFor()
    await clickSecond(page, button)
    expect(await button.isVisible()).toBe(true)
    expect(requests.filter((each) => each.includes('/api/prep/trading-key'))).toEqual([])
    await button.click()
    await page.getByText('The account is open').waitFor()
    await context.close()
  })
})

describe('a review that is open for minutes', () => {
  test('shows a text of now, which the first click on "Sign and send" signs', async () => {
    const fixture = await openPageFixture(STILL)
    const { page, requests } = await openTrader(fixture)
    await page.getByLabel('Show what is signed first').check()
    const price = Math.floor((await bestPrice(page, 'bids')) * 0.99)
    await fillIn(page, 'LIMIT', String(price), '0.1')
    await submittable(page)
    await ticket.submit(page).click()
    const bytes = page.locator('dialog .bytes')
    const before = (await bytes.textContent()) ?? ''
    await page.evaluate('window.aheadMs = 100_000')
    await page.evaluate('new Promise((done) => setTimeout(done, 2000))')
    expect(await bytes.textContent()).toBe(before)
    await page.evaluate('window.aheadMs = 130_000')
    const after =
      (await eventually(
        () => bytes.textContent(),
        (text) => text !== before,
      )) ?? ''
    const agedMs = Number(after.slice(0, 13)) - Number(before.slice(0, 13))
    expect(agedMs).toBeGreaterThanOrEqual(120_000)
    expect(after.slice(13)).toBe(before.slice(13))
    await page.locator('dialog').getByText('Sign and send').click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await notice(page, /^Rests at/)
    const sent = requests.filter((each) => each.includes('/v1/order"'))
    expect(sent).toHaveLength(1)
    expect(sent[0]).toContain(after.slice(0, 13))
    await fixture.stop()
  })
})
