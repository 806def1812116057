import type { Page } from 'playwright-core'
import type { OpenedPage } from './browser.ts'
import {
  bestPrice,
  eventually,
  list,
  notice,
  openPageFixture,
  openTrader,
  type PageFixture,
  STILL,
} from './fixture.ts'
import { privateAnswers } from './shown-figures.ts'

const OPEN_PATH = '/v1/algo/orders?status=INCOMPLETE&size=500'

/** A trader on a page of the ETH market, whose mark stands still. */
export type ConditionalFixture = {
  readonly fixture: PageFixture
  readonly opened: OpenedPage
  readonly page: Page
  /** A whole number just below the mark. */
  readonly mark: number
  /** The only conditional order, as the venue answers it, once it is as wanted. */
  readonly venueRow: (
    wanted: (row: Readonly<Record<string, unknown>>) => boolean,
    // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what is being tested
  ) => Promise<any>
  readonly cancelOnly: () => Promise<void>
}

/** Opens one, with an account that has nothing yet. */
export async function openConditionalFixture(): Promise<ConditionalFixture> {
  const fixture = await openPageFixture(STILL)
  const opened = await openTrader(fixture)
  const { page } = opened
  const answers = privateAnswers(page)
  return {
    ...{ fixture, opened, page },
    mark: Math.floor(await bestPrice(page, 'bids')),
    venueRow: async (wanted) => {
      const [row] = await eventually(
        async () => answers.get(OPEN_PATH)?.['rows'] ?? [],
        (found) => found.length === 1 && wanted(found[0]),
      )
      return row
    },
    cancelOnly: async () => {
      await list(page, 'conditional').click()
      await page
        .locator('tr[data-conditional]')
        .getByRole('button', { name: /^Cancel order/ })
        .click()
      await notice(page, /^Cancelled: ETH, [^,]+, [^,]*\d/)
      await page.getByText('No orders wait for a price.').waitFor()
    },
  }
}
