import { bestPrice, fillIn, notice, openPageFixture, openTrader, STILL, ticket } from './fixture.ts'

/** A trader with a position, an order that rests at `price` and one that waits, in the ETH market, which stands still. */
export async function openListsFixture() {
  const fixture = await openPageFixture(STILL)
  const opened = await openTrader(fixture)
  const { page } = opened
  await fillIn(page, 'MARKET', '0.5', '0.1')
  await ticket.submit(page).click()
  await notice(page, /^Filled/)
  await page.locator('.lists tr[data-symbol=PERP_ETH_USDC]').waitFor()
  const price = String(Math.floor((await bestPrice(page, 'bids')) * 0.998))
  await fillIn(page, 'LIMIT', price, '0.05')
  await ticket.submit(page).click()
  await notice(page, /^Rests at/)
  await fillIn(page, 'STOP', String(Math.floor(Number(price) * 0.9)), '0.05')
  await ticket.submit(page).click()
  await notice(page, /^Waits/)
  return { fixture, opened, page, price }
}
