import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { toHex } from '../../src/core/hex.ts'
import { runStdio } from '../agents/binary.ts'
import { request } from '../agents/rpc.ts'
import { leverageOf } from '../surface/approval-requests.ts'
import { newUser, type TestWallet, WALLETS } from '../surface/wallets.ts'
import { openPageFixture, type PageFixture, STILL } from './fixture.ts'
import { injectWallets, setWalletMode, type WalletMode } from './injected-wallets.ts'

let fixture: PageFixture
beforeAll(async () => {
  fixture = await openPageFixture(STILL)
})
afterAll(() => fixture.stop())

let leverage = 1

/** A write of an account that waits for its owner, and the page about it. */
async function opened(mode: WalletMode = 'sign', wallet = WALLETS.ethers()) {
  const caller = await newUser(fixture.target, wallet)
  const asked = () => leverageOf(fixture.target, caller, leverage)
  leverage = (leverage % 9) + 2
  const { meta } = await asked()
  const page = await pageOf(String(meta['approval']), mode, wallet)
  return { ...page, caller, asked, id: String(meta['approval']), link: String(meta['link']) }
}

async function pageOf(id: string, mode: WalletMode, wallet: TestWallet) {
  const opening = await fixture.openFast('/favicon.svg')
  const signed = await injectWallets(opening.context, mode, wallet)
  await opening.page.goto(`${fixture.origin}/approve/${id}`)
  return { ...opening, signed }
}

const state = (page: Page) => page.locator('.state')
const approve = (page: Page) => page.getByRole('button', { name: 'Approve with First Wallet' })

describe('the page of an approval', () => {
  test('says the write in words and decides nothing, until the owner signs what stands there', async () => {
    const { page, context, requests, complaints, signed, asked, link } = await opened()
    expect(new URL(link).pathname).toBe(new URL(page.url()).pathname)
    await page.getByText('Set the leverage of PERP_ETH_USDC to').first().waitFor()
    await page.getByText('not known: it may cost any amount').waitFor()
    await page.getByText('The exact request').click()
    await page.getByText('POST /v1/client/leverages').waitFor()
    await state(page).getByText('Nothing is sent unless you approve it').waitFor()
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([])
    expect(await asked()).toMatchObject({ code: 'approval_required' })
    await approve(page).click()
    await state(page).getByText('You have approved it').waitFor()
    expect(signed).toHaveLength(1)
    const { message } = JSON.parse(String(signed[0]))
    expect(await page.locator('ol').textContent()).toBe(message.order)
    expect(await asked()).toMatchObject({ leverage: expect.any(Number) })
    await state(page).getByText('You approved it, and it was sent').waitFor()
    expect(await approve(page).count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('says which key and which program ask, what the order changes, and how the worst value comes about', async () => {
    const wallet = WALLETS.ethers()
    const caller = await newUser(fixture.target, wallet)
    const order = {
      symbol: 'PERP_ETH_USDC',
      side: 'BUY',
      order_type: 'MARKET',
      order_quantity: 0.5,
    }
    const clientInfo = { name: 'claude-code<b>', version: '2.1' }
    const { out } = await runStdio(
      [
        request('initialize', { protocolVersion: '2025-06-18', clientInfo }),
        request('tools/call', { name: 'place_order', arguments: order }),
      ],
      {
        SERVICE_API_URL: fixture.origin,
        SERVICE_ACCOUNT_ID: caller.accountId,
        SERVICE_TRADING_KEY: toHex(caller.secret),
        SERVICE_APPROVE_ABOVE_USDC: '100',
      },
    )
    const [, id = ''] = /approve\/([0-9a-f]{32})/.exec(out) ?? []
    const { page, context, complaints } = await pageOf(id, 'sign', wallet)
    await page.getByText('Position in PERP_ETH_USDC: none → long 0.5').waitFor()
    await page.getByText(/^Leverage of the account: 0× → 0\.1\d×$/).waitFor()
    const row = async (name: string) => {
      const pair = page.locator('.pairs div').filter({ has: page.getByText(name, { exact: true }) })
      return pair.locator('dd').textContent()
    }
    expect(await row('Program')).toBe('calls itself “claude-code<b>/2.1”, which nothing proves')
    const [, key = ''] = caller.key.split(':')
    expect(await row('Trading key')).toBe(`ed25519:${key.slice(0, 4)}…${key.slice(-4)}`)
    expect(await row('At worst')).toMatch(/^1,\d{3}\.\d+ USDC, 6\.0\d% more than its value now$/)
    // What the market lets it fill at is no worst value.
    expect(await page.locator('ol').textContent()).toContain(
      'filled at most 3 % above the mark price',
    )
    expect(await page.locator('main').textContent()).not.toContain('at worst 3')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('says that nothing is known of the leverage, and takes no name of a program for a fact, nor none for one', async () => {
    const { page, context } = await opened()
    let name: object = { program: 'Mozilla/5.0' }
    await page.route('**/api/prep/approval?*', async (route) => {
      const { program: _, ...answer } = Object(await (await route.fetch()).json())
      await route.fulfill({ json: { ...answer, ...name } })
    })
    await page.getByText('calls itself “Mozilla/5.0”, which nothing proves').waitFor()
    name = {}
    await page.getByText(/^Leverage of PERP_ETH_USDC: not known → \d+$/).waitFor()
    await page.getByText('does not say its name').waitFor()
    await context.close()
  })

  test('refuses without a wallet, and says so to whoever opens it again', async () => {
    const { page, context, id, asked } = await opened()
    await page.getByRole('button', { name: 'Refuse' }).click()
    await state(page).getByText('It was refused and will not be sent').waitFor()
    await page.reload()
    await state(page).getByText('It was refused and will not be sent').waitFor()
    expect((await asked()).meta).toMatchObject({ approval: id, state: 'refused' })
    await context.close()
  })

  test('says why nothing was decided, and lets it be tried again', async () => {
    const { page, context, asked } = await opened('reject')
    await approve(page).click()
    await page.getByText('You declined in the wallet').waitFor()
    await setWalletMode(page, 'other')
    await approve(page).click()
    await page.getByText('The wallet signed with another account than the one it named').waitFor()
    await setWalletMode(page, 'moving')
    await approve(page).click()
    await page.getByText('The wallet has changed its chain meanwhile').waitFor()
    await setWalletMode(page, 'sign')
    expect((await asked()).code).toBe('approval_required')
    await approve(page).click()
    await state(page).getByText('You have approved it').waitFor()
    await context.close()
  })

  test('tells a wallet that does not own the account', async () => {
    const { context, id } = await opened()
    await context.close()
    const other = await pageOf(id, 'sign', WALLETS.ethers())
    await approve(other.page).click()
    await other.page.getByText('This wallet does not own the account').waitFor()
    await state(other.page).getByText('Nothing is sent unless you approve it').waitFor()
    await other.context.close()
  })

  test('signs nothing but what it shows', async () => {
    const { page, context, signed } = await opened()
    for (const [from, to] of [
      ['Set the leverage', 'Set the margin'],
      ['"method":"POST"', '"method":"PUT"'],
      ['"chainId":42161', '"chainId":1'],
    ] as const) {
      await page.route('**/api/prep/typed-data', async (route) => {
        const answer = Object(await (await route.fetch()).json())
        await route.fulfill({ json: { ...answer, typedData: answer.typedData.replace(from, to) } })
      })
      await Promise.all([page.waitForResponse('**/api/prep/typed-data'), approve(page).click()])
      await page.getByText('Nothing was signed').waitFor()
      await page.unrouteAll({ behavior: 'wait' })
    }
    expect(signed).toEqual([])
    await context.close()
  })

  test('takes the file of a practice wallet, and says who else can read it', async () => {
    const secret = 'a7'.repeat(32)
    const { Wallet } = await import('ethers')
    const wallet = new Wallet(secret)
    const sign = (typedData: string) => {
      const { domain, types, message } = JSON.parse(typedData)
      const { EIP712Domain: _, ...structs } = types
      return wallet.signTypedData(domain, structs, message)
    }
    const { page, context } = await opened('sign', { address: wallet.address, sign })
    await page.getByText('A program that can read your files can read such a wallet too').waitFor()
    const choose = (text: string) =>
      page.locator('input[type=file]').setInputFiles({
        ...{ name: 'wallet.txt', mimeType: 'text/plain' },
        buffer: Buffer.from(text),
      })
    await choose('nothing')
    await page.getByText('This file holds no wallet').waitFor()
    await choose(`${secret}\n`)
    await state(page).getByText('You have approved it').waitFor()
    await context.close()
  })

  // Slow: the page asks again at intervals, and a busy machine takes its time for each.
  test('says that there is nothing, that its time is over, and that the service is away', async () => {
    const { page, context } = await pageOf('0'.repeat(32), 'sign', WALLETS.ethers())
    await page.getByText('There is nothing to decide here').waitFor()
    await page.route('**/api/prep/approval?*', (route) => route.abort())
    await page.getByText('The service does not answer').waitFor()
    await page.unroute('**/api/prep/approval?*')
    await page.getByText('There is nothing to decide here').waitFor()
    await context.close()
    const late = await opened()
    await late.page.route('**/api/prep/approval?*', async (route) => {
      const answer = Object(await (await route.fetch()).json())
      await route.fulfill({ json: { ...answer, state: 'expired' } })
    })
    await state(late.page).getByText('The time is over').waitFor()
    expect(await approve(late.page).count()).toBe(0)
    await late.context.close()
  })
})
