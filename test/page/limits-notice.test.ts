// Slow: a browser opens an account with limits.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { askToLimit, newUser, post, signedBody, WALLETS } from '../surface/wallets.ts'
import { fillIn, gone, openPageFixture, type PageFixture, STILL, ticket } from './fixture.ts'

const ETH = 'PERP_ETH_USDC'

describe('the ticket of an account with signed limits', () => {
  let fixture: PageFixture
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    const wallet = WALLETS.viem()
    const { accountId, secret } = await newUser(fixture.target, wallet)
    const limits = { maxOrderUsdc: '200', approveAboveUsdc: '100', maxPositionUsdc: '300' }
    const signed = await signedBody(wallet, await askToLimit(fixture.target, wallet, limits, false))
    expect((await post(fixture.target, '/api/prep/mandate', signed)).status).toBe(200)
    ;({ page } = await fixture.openFast('/favicon.svg'))
    const fields = new URLSearchParams({
      ...{ account: accountId, wallet: String(signed.address).toLowerCase() },
      key: Buffer.from(secret).toString('hex'),
    })
    await page.goto(`${fixture.origin}/trade/${ETH}#${fields}`)
    await page.getByRole('button', { name: /^Margin mode and leverage/ }).waitFor()
  })
  afterAll(() => fixture.stop())

  const notice = (code: string) => page.locator(`#obstacle [data-code=${code}]`)

  test('says which limit an order would exceed, and offers the largest size within it', async () => {
    const writes: string[] = []
    page.on('request', (request) => {
      if (/"method":"(?:POST|PUT)"/.test(request.postData() ?? '')) writes.push(request.url())
    })
    await fillIn(page, 'MARKET', '0.5', '0.2')
    await notice('mandate_exceeded').getByText('allow 200 USDC per order').waitFor()
    await notice('mandate_exceeded').getByRole('button').click()
    await gone(notice('mandate_exceeded'))
    expect(Number(await ticket.size(page).inputValue())).toBeLessThan(0.1)
    expect(Number(await ticket.size(page).inputValue())).toBeGreaterThan(0.05)
    expect(writes).toEqual([])
  })

  test('says that an order needs approval, and nothing of a smaller one or one that reduces', async () => {
    await fillIn(page, 'MARKET', '0.5', '0.06')
    await notice('approval_required').getByText('Needs approval').waitFor()
    await ticket.size(page).fill('0.02')
    await gone(notice('approval_required'))
    expect(await notice('mandate_exceeded').count()).toBe(0)
    expect(await ticket.submit(page).isEnabled()).toBe(true)
  })

  test('sends an order that needs figures of the account, which the page reads for it, and no larger one', async () => {
    await page.getByLabel('Show what is signed first').uncheck()
    await fillIn(page, 'MARKET', '0.5', '0.02')
    await ticket.submit(page).click()
    await page
      .getByText(/^Filled/)
      .first()
      .waitFor()
    expect(await notice('mandate_exceeded').count()).toBe(0)
  })
})
