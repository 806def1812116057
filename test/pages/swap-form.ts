import type { Page } from 'playwright-core'

/** The chain and the token of a side. */
export function selects(page: Page, side: 'You give' | 'You receive') {
  return page.getByRole('group', { name: side }).locator('select')
}

/** Chooses USDC for the coin of a chain, both on Arbitrum. */
export async function choose(page: Page, amount: string): Promise<void> {
  for (const side of ['You give', 'You receive'] as const)
    await selects(page, side).first().selectOption('Arbitrum')
  await page.getByLabel('Amount').fill(amount)
}

/** The value beside a name in a list of a part of the page. */
export function figureAt(page: Page, part: string, name: string) {
  return page.locator(`${part} .pairs div`).filter({ hasText: name }).locator('dd')
}

/** Where the quote of the form is shown. */
export const QUOTE = '[aria-label="Quote"]'
