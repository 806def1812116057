import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const ALL = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** What depends on the colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** Serious and critical violations of WCAG A and AA in a part of a page, each with where it was found. */
export async function violations(page: Page, within = 'html', rules = ALL): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(`${AXE};0`)
  return page.evaluate<string[]>(`axe.run('${within}', {
    runOnly: ${JSON.stringify(rules)},
  }).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ target }) => target.join(' ')).join(', ')))`)
}

/** The same in light colours, and what of it depends on the colours in dark ones. */
export async function violationsInBoth(page: Page, within: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await violations(page, within, OF_COLOURS)
  await page.emulateMedia({ colorScheme: 'light' })
  return [...dark.map((each) => `dark: ${each}`), ...(await violations(page, within))]
}
