import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { DARK, DESKTOP, type Look, PHONE } from './browser.ts'
import { openPageRig, openThrowAway, PATIENCE_MS, type PageRig, placeResting } from './rig.ts'

setDefaultTimeout(PATIENCE_MS)

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const LOOKS: readonly (readonly [string, Look])[] = [
  ['light', DESKTOP],
  ['dark', DARK],
  ['phone', PHONE],
]

describe('the pages are for everybody', () => {
  let rig: PageRig
  beforeAll(async () => {
    rig = await openPageRig()
  })
  afterAll(() => rig.stop())

  test.each(LOOKS)('trading: %s', async (_, look) => {
    const { page, context } = await rig.visit('/favicon.svg', look)
    await page.addInitScript(AXE)
    await page.goto(`${rig.origin}/trade/PERP_ETH_USDC`)
    await page.locator('.bids .level').first().waitFor({ state: 'attached' })
    expect(await violations(page)).toEqual([])
    for (const tab of look === PHONE ? ['Markets', 'Book', 'Trade', 'Account'] : []) {
      await page.locator('nav.tabs').getByText(tab).click()
      expect(await violations(page)).toEqual([])
    }
    await context.close()
  })

  test('trading with an account, its dialogs included', async () => {
    const { page, context } = await rig.visit('/favicon.svg')
    await page.addInitScript(AXE)
    await page.goto(`${rig.origin}/trade/PERP_ETH_USDC`)
    await page.locator('header').getByText('Connect', { exact: true }).click()
    await page.getByText('Use a throw-away wallet').waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await openThrowAway(page)
    await placeResting(page, '0.05')
    await page.getByText('Sign and send').waitFor()
    expect(await violations(page)).toEqual([])
    await context.close()
  })

  test.each(LOOKS)('console: %s', async (_, look) => {
    const { page, context } = await rig.visit('/favicon.svg', look)
    await page.addInitScript(AXE)
    await page.goto(`${rig.opsOrigin}/`)
    await page.getByText('Operations').waitFor()
    expect(await violations(page)).toEqual([])
    await context.close()
  })

  test('an order can be placed without a mouse', async () => {
    const { page, context } = await rig.visit('/trade/PERP_ETH_USDC')
    await openThrowAway(page)
    await page.locator('.types [data-name=MARKET]').focus()
    await page.keyboard.press('Enter')
    await page.locator('.ticket .entry input').nth(1).focus()
    await page.keyboard.type('0.04')
    await page.keyboard.press('Enter')
    await page.getByText('Sign and send').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Sign and send').waitFor({ state: 'detached' })
    await page.locator('.ticket .entry input').nth(1).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Sign and send').focus()
    await page.keyboard.press('Enter')
    await page.locator('.lists tr[data-symbol=PERP_ETH_USDC]').waitFor()
    await context.close()
  })
})

/** Serious and critical violations of WCAG A and AA, each with where it was found. */
function violations(page: Page): Promise<string[]> {
  return page.evaluate<
    string[]
  >(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
    .then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ target }) => target.join(' ')).join(', ')))`)
}
