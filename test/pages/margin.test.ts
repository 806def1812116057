import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { OpenedPage } from './browser.ts'
import {
  eventually,
  fillIn,
  list,
  modeShown,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
  ticket,
} from './fixture.ts'
import { type PrivateAnswers, privateAnswers, shows } from './shown-figures.ts'

describe('margin, on the trading page', () => {
  let fixture: PageFixture
  let opened: OpenedPage
  let page: Page
  let answers: PrivateAnswers
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    opened = await openTrader(fixture)
    ;({ page } = opened)
    answers = privateAnswers(page)
  })
  afterAll(() => fixture.stop())

  const dialog = () => page.locator('dialog')
  const open = () => page.getByRole('button', { name: /^Margin mode and leverage/ }).click()
  const set = () => dialog().getByRole('button', { name: 'Sign and set' })
  const row = (name: string) =>
    dialog().locator('.pairs div').filter({ hasText: name }).locator('dd').last()

  async function buy(size: string): Promise<void> {
    await fillIn(page, 'MARKET', '0.5', size)
    await ticket.submit(page).click()
    await notice(page, /^Filled/)
  }

  /** The position as the venue last answered it, once it is as wanted. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what is being tested
  const position = (wanted: (found: any) => boolean) =>
    eventually(
      async () =>
        answers
          .get('/v1/positions')
          ?.['rows'].find((each: { position_qty: number }) => each.position_qty !== 0),
      (found) => found !== undefined && wanted(found),
    )

  test('of a market becomes isolated with a leverage of its own, and shows before what follows', async () => {
    await open()
    expect(await set().isDisabled()).toBe(true)
    expect(await set().textContent()).toBe('Sign and set')
    await dialog().getByRole('button', { name: 'Isolated' }).click()
    await dialog().getByText('Each position has its own margin').waitFor()
    const slider = dialog().getByLabel('Leverage')
    await slider.focus()
    await page.keyboard.press('ArrowRight')
    const before = await slider.getAttribute('aria-valuetext')
    await page.keyboard.press('ArrowLeft')
    expect(await slider.getAttribute('aria-valuetext')).not.toBe(before)
    await dialog().getByRole('button', { name: '5×', exact: true }).click()
    expect(await row('Est. liquidation').textContent()).toContain('→')
    await set().click()
    await notice(page, /^Leverage of ETH is 5×\./)
    await notice(page, /^ETH is isolated now\./)
    await page.getByRole('button', { name: 'Margin mode and leverage: isolated 5×' }).waitFor()
  })

  test('and liquidation of a new isolated position are what the ticket said before it was signed', async () => {
    await fillIn(page, 'MARKET', '0.5', '0.1')
    const shown = async (name: string) =>
      (await page
        .locator('.ticket .pairs div')
        .filter({ hasText: name })
        .locator('dd')
        .textContent()) ?? ''
    await eventually(
      () => shown('Est. liquidation'),
      (text) => text !== '–',
    )
    const liquidation = await shown('Est. liquidation')
    await ticket.submit(page).click()
    const { est_liq_price: at, margin_mode } = await position(() => true)
    expect(margin_mode).toBe('ISOLATED')
    const predicted = Number(liquidation.replaceAll(',', ''))
    expect(Math.abs(predicted - at) / at).toBeLessThan(0.0005)
  })

  test('is added to an isolated position and taken out again, as far as the venue lets it', async () => {
    await list(page, 'positions').click()
    const { margin, est_liq_price: from } = await position(() => true)
    await page.getByRole('button', { name: 'Margin of ETH' }).click()
    const amount = dialog().locator('.entry input')
    await amount.fill('99999')
    await dialog().getByText('USDC can be moved.').waitFor()
    expect(await dialog().getByRole('button', { name: 'Add margin' }).last().isDisabled()).toBe(
      true,
    )
    await amount.fill('12.5')
    const [, liquidation = ''] = ((await row('Est. liquidation').textContent()) ?? '').split(' → ')
    await dialog().getByRole('button', { name: 'Add margin' }).last().click()
    await notice(page, /^Margin of ETH is [\d.,]+ USDC; liquidation at [\d.,]+\./)
    const added = await position((found) => Math.abs(found.margin - margin - 12.5) < 0.001)
    expect(shows(liquidation, added.est_liq_price)).toBe(true)
    expect(added.est_liq_price).toBeLessThan(from)
    await page.getByRole('button', { name: 'Margin of ETH' }).click()
    await dialog().getByRole('button', { name: 'Remove margin' }).first().click()
    await amount.fill('5000')
    await dialog().getByText('USDC can be moved.').waitFor()
    await amount.fill('12')
    const [, back = ''] = ((await row('Est. liquidation').textContent()) ?? '').split(' → ')
    await dialog().getByRole('button', { name: 'Remove margin' }).last().click()
    const removed = await position((found) => Math.abs(found.margin - margin - 0.5) < 0.001)
    expect(shows(back, removed.est_liq_price)).toBe(true)
  })

  test('keeps its mode and its leverage while an isolated position is open', async () => {
    await open()
    await dialog().getByText('To change the mode').waitFor()
    expect(await dialog().getByRole('button', { name: 'Cross' }).isDisabled()).toBe(true)
    expect(await dialog().getByLabel('Leverage').isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
  })

  // Slow: leverage is changed and orders are placed through the page.
  test('of a cross position changes with its leverage as the dialog said', async () => {
    await page.getByRole('button', { name: 'Market close of ETH' }).click()
    await page.getByText('No open positions.').waitFor()
    await open()
    await dialog().getByRole('button', { name: 'Cross' }).click()
    await set().click()
    await notice(page, /^ETH is cross now\./)
    await modeShown(page, 'cross')
    await buy('0.2')
    await position(({ margin_mode }) => margin_mode === 'CROSS')
    await open()
    await dialog().getByRole('button', { name: '2×', exact: true }).click()
    const [, free = ''] = ((await row('Free margin').textContent()) ?? '').split(' → ')
    await set().click()
    await notice(page, /^Leverage of ETH is 2×\./)
    await eventually(
      async () => Number(answers.get('/v1/positions')?.['free_collateral']),
      (found) => shows(free, found),
    )
  })

  // Slow: leverage is changed and orders are placed through the page.
  test('that would not carry what is open cannot be set', async () => {
    await open()
    await dialog().getByRole('button', { name: '10×', exact: true }).click()
    await set().click()
    await notice(page, /^Leverage of ETH is 10×\./)
    await buy('5')
    await position(({ position_qty }) => position_qty > 4.4)
    await open()
    await dialog().getByRole('button', { name: '1×', exact: true }).click()
    await dialog().getByText('Free margin does not carry what is open').waitFor()
    expect(await set().isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
  })

  // Slow: an isolated position is changed through the page.
  test('says that a result that is not settled may keep the mode', async () => {
    await open()
    expect(await dialog().getByText('is not settled').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Market close of ETH' }).click()
    await page.getByText('No open positions.').waitFor()
    await open()
    await dialog().getByText('The venue may keep the mode until PnL is settled').waitFor()
    await page.keyboard.press('Escape')
  })

  test('is signed after amount and side were read, with the signed text folded away', async () => {
    await page.getByLabel('Show what is signed first').check()
    await fillIn(page, 'MARKET', '0.5', '0.1')
    await page.locator('.sides [data-name=SELL]').click()
    await ticket.submit(page).click()
    await dialog().locator('h2.sell').getByText('Sell 0.1 ETH').waitFor()
    expect(await dialog().locator('.bytes').isVisible()).toBe(false)
    await dialog().getByText('Show the exact text that is signed').click()
    expect(await dialog().locator('.bytes').textContent()).toContain('"order_quantity":0.1')
    await dialog().locator('button.primary.sell').click()
    await notice(page, /^Filled: Sell 0\.1000 ETH/)
    expect(opened.complaints).toEqual([])
  })
})
