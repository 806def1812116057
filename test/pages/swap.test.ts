// Slow: a browser, a server and an EVM node start, and a wallet signs.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import { encodeFunctionData, parseAbi } from 'viem'
import { ADVANCE_PATH } from '../../src/contract/venue/advance.ts'
import { type DepositChain, openDepositChain } from '../evm/deposits.ts'
import type { OpenedPage } from './browser.ts'
import { injectChainWallet } from './chain-wallet.ts'
import { eventually, openPageFixture, openThrowAway, type PageFixture, STILL } from './fixture.ts'
import { lastAnswer } from './private-answers.ts'
import { choose, figureAt, QUOTE, selects } from './swap-form.ts'

let fixture: PageFixture
let opened: OpenedPage
let page: Page
let place: DepositChain
beforeAll(async () => {
  ;[fixture, place] = await Promise.all([
    // Fast timers ask for more quotes than a server allows.
    openPageFixture({ ...STILL, LIMIT_SWAP_QUOTE: '1000/60s burst 1000' }),
    openDepositChain('demo'),
  ])
  opened = await fixture.openFast('/trade/swap')
  page = opened.page
})
afterAll(() => Promise.all([fixture.stop(), place.chain.stop()]))

const USDC = '0xaf88d065e77c8cc2239327c5edb3a432268e5831'

const sent = () => page.getByRole('region', { name: 'Swaps sent from this browser' })

describe('swaps of the simulated engine', () => {
  test('a quote is what the route answers, before anybody has connected', async () => {
    const quote = lastAnswer(page, 'fromAmount=100000000&')
    await choose(page, '100')
    expect(await figureAt(page, QUOTE, 'You give').textContent()).toBe(
      '100 USDC on Arbitrum (100.00 USD)',
    )
    // It is asked for again meanwhile, at another price.
    await eventually(
      () => figureAt(page, QUOTE, 'You receive about').textContent(),
      (text) => {
        const { toAmount, toAmountUsd } = quote()
        const part = Number(text?.split(' ')[0]) / (Number(toAmount) / 1e18)
        const isWhole = text?.endsWith(` on Arbitrum (${toAmountUsd} USD)`) ?? false
        return isWhole && part <= 1 && part > 0.9999
      },
    )
    expect(quote()['indicative']).toBe(true)
    expect(await figureAt(page, QUOTE, 'Service fee').textContent()).toContain('taken off already')
    expect(await figureAt(page, QUOTE, 'Route').textContent()).toContain('Swap USDC for ETH')
    await page.locator(QUOTE).getByText('Asked ').waitFor()
    await page.getByText('Connect a wallet to swap.').waitFor()
  })

  test.each([
    ['Amount', '0.0000001', 'USDC has at most 6 decimal places.'],
    ['Highest slippage', '21', 'The slippage is from 0.01 to 20 %, in steps of 0.01.'],
    ['Highest slippage', '0.005', 'The slippage is from 0.01 to 20 %, in steps of 0.01.'],
  ])('%s %s is refused before anything is asked: %s', async (label, text, refusal) => {
    const input = page.getByLabel(label, { exact: true })
    const before = await input.inputValue()
    await input.fill(text)
    await page.getByText(refusal).waitFor()
    await page.getByText('Give an amount to see what it brings.').waitFor()
    await input.fill(before)
  })

  test('a token for itself is refused, and the other way round is one step', async () => {
    await selects(page, 'You receive').last().selectOption(USDC)
    await page.getByText('Choose two different tokens.').waitFor()
    await selects(page, 'You receive')
      .last()
      .selectOption(`0x${'0'.repeat(40)}`)
    await page.getByText('Swap the other way round').click()
    await page.getByLabel('Amount').fill('0.5')
    await figureAt(page, QUOTE, 'You give').getByText('0.5 ETH on Arbitrum').waitFor()
    await page.getByText('Swap the other way round').click()
    await page.getByLabel('Amount').fill('0.01')
    await page.getByText('The amount is too low.').waitFor()
  })

  test('an account sees what would be signed, and begins a simulated swap', async () => {
    await page.goto(`${fixture.origin}/trade/PERP_ETH_USDC`)
    await openThrowAway(page)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.locator('.pages a[href$=swap]').click()
    await choose(page, '100')
    await page.getByRole('button', { name: 'Review the swap' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^Approval: the contract 0x\w{40} may take 100 USDC/).waitFor()
    await dialog.getByText(/that gives 100 USDC and brings at least 0\.\d+ ETH/).waitFor()
    await dialog.getByText('The swap is simulated').waitFor()
    await page.evaluate('window.aheadMs += 61_000')
    await dialog.getByText('The quote has expired.').waitFor()
    const button = (name: string) => dialog.getByRole('button', { name })
    // One unit less than the slippage allows is rounding, two are not.
    const lessen = async (route: Route) => {
      const answer = Object(await (await route.fetch()).json())
      const toAmountMin = String(BigInt(answer.toAmountMin) - 2n)
      await route.fulfill({ json: { ...answer, toAmountMin } })
    }
    await page.route(/quote\?.*fromAddress/, lessen, { times: 1 })
    await button('Get a new quote').click()
    await dialog.getByRole('alert').getByText('You allow less slippage: 0.5 %').waitFor()
    expect(await button('Simulate the swap').count()).toBe(0)
    await button('Get a new quote').click()
    // Its chain counts from the first look at it on; the last test sees how it ended.
    const look = page.waitForResponse(/swap\/status/)
    await button('Simulate the swap').click()
    await look
  })
})

describe('swaps whose answers are replaced', () => {
  let other: Page
  beforeAll(async () => {
    ;({ page: other } = await fixture.openFast('/favicon.svg'))
  })
  afterEach(() => other.unrouteAll({ behavior: 'ignoreErrors' }))
  afterAll(() => other.context().close())

  test('each status is said in words', async () => {
    const states = [
      ['NOT_FOUND', null, 'Sent: no chain has shown it yet'],
      ['PENDING', 'WAITING_DESTINATION', 'Pending: waits for the chain it goes to'],
      ['PENDING', 'SOMETHING_NEW', 'Pending'],
      ['DONE', 'PARTIAL', 'Done in part: another token was received'],
      ['FAILED', 'REFUNDED', 'Failed: refunded'],
      ['FAILED', 'UNKNOWN', 'Failed'],
    ] as const
    const swap = { fromChain: '1', toChain: '1', ended: null, given: '1 ETH', atMs: '0' }
    const kept = states.map((_, at) => ({ ...swap, hash: `0x${at}`, promised: `${at} USDC` }))
    await other.evaluate(
      `localStorage.setItem('prepd-swaps', ${JSON.stringify(JSON.stringify(kept))})`,
    )
    await other.route('**/api/swap/status?*', (route) => {
      const at = Number(new URL(route.request().url()).searchParams.get('txHash'))
      const [status, substatus] = states[at] ?? []
      return route.fulfill({
        json: { status, substatus, final: false, sending: null, receiving: null },
      })
    })
    await other.goto(`${fixture.origin}/trade/swap`)
    const rows = other.locator('tbody tr')
    for (const [at, [, , text]] of states.entries()) {
      await rows.nth(at).getByRole('status').getByText(text, { exact: true }).waitFor()
      expect(await rows.nth(at).textContent()).toContain(`about ${at} USDC`)
    }
    await other.evaluate('localStorage.clear()')
  })

  test.each([
    ['/api/swap/chains', 'not_configured', 'This server offers no swaps.'],
    ['/api/swap/chains', 'upstream_unavailable', 'The venue cannot be reached.'],
    ['/api/swap/quote', 'upstream_busy', 'The venue is busy.'],
    ['/api/swap/tokens', 'upstream_timeout', 'The venue took too long to answer.'],
  ])('%s that fails with %s says: %s', async (path, code, text) => {
    await other.route(`**${path}*`, (route) =>
      route.fulfill({ status: 503, json: { code, error: 'No.' } }),
    )
    await other.goto(`${fixture.origin}/trade/swap`)
    if (path.endsWith('quote')) await other.getByLabel('Amount').fill('100')
    await other.getByText(text).first().waitFor()
  })
})

describe('a swap through a wallet of the browser', () => {
  /** Has quotes name contracts of the test's chain, as an engine before a real one would; `change` changes them. */
  async function onChain(page: Page, change: () => object): Promise<void> {
    const usdc = place.usdc.toLowerCase()
    const data = encodeFunctionData({
      abi: parseAbi(['function transfer(address to, uint256 value)']),
      functionName: 'transfer',
      args: [place.vault, 25_500_000n],
    })
    await page.route(/\/api\/swap\/(quote|tokens)\?/, async (route) => {
      const response = await route.fetch({ url: route.request().url().replaceAll(usdc, USDC) })
      const answer = JSON.parse((await response.text()).replaceAll(USDC, usdc))
      if (answer.transaction) {
        answer.transaction = { ...answer.transaction, to: usdc, data }
        answer.approval = { ...answer.approval, spender: place.vault.toLowerCase(), ...change() }
      }
      await route.fulfill({ response, json: answer })
    })
  }

  test('approves exactly, sends once it has been looked at, and is followed after a reload', async () => {
    const { page, context, complaints } = await fixture.openFast('/favicon.svg')
    const address = await injectChainWallet(context, place.chain)
    await place.fill(address, 60_000_000n)
    let changed: object = { amount: '26000000' }
    await onChain(page, () => changed)
    await page.goto(`${fixture.origin}/trade/swap`)
    await choose(page, '61')
    const review = page.getByRole('button', { name: 'Review the swap' })
    await page.evaluate('window.farChain = window.staysFar = true')
    changed = {}
    await review.click()
    await page.getByRole('alert').getByText('The wallet is on another chain than was').waitFor()
    await page.evaluate('window.staysFar = false')
    await review.click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The wallet has too little: 60 USDC.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('Amount').fill('25.5')
    changed = { amount: '26000000' }
    await figureAt(page, QUOTE, 'You give').getByText('25.5 USDC').waitFor()
    await review.click()
    await page.getByRole('alert').getByText('not what this page asked for (approval)').waitFor()
    changed = {}
    await review.click()
    await dialog.getByText(`Approval: the contract ${place.vault.toLowerCase()} may`).waitFor()
    await page.evaluate('window.declines = true')
    await dialog.getByRole('button', { name: 'Swap in the wallet' }).click()
    await dialog.getByRole('alert').getByText('You declined in the wallet.').waitFor()
    expect(await place.allowanceOf(address)).toBe(0n)
    await page.evaluate('window.declines = false')
    await dialog.getByRole('button', { name: 'Swap in the wallet' }).click()
    await page.getByText('Sent: no chain has shown it yet').waitFor()
    expect(await place.allowanceOf(address)).toBe(25_500_000n)
    expect(await place.balanceOf(place.vault)).toBe(25_500_000n)
    await page.reload()
    await page.getByRole('cell', { name: '25.5 USDC' }).waitFor()
    expect(complaints).toEqual([])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
  })
})

test('a simulated swap that was begun goes through its states, until it is forgotten', async () => {
  await fixture.target.ops(`${ADVANCE_PATH}?ms=30000`, { method: 'POST' })
  for (const text of [/^Done$/, /^0\.\d+ ETH$/]) await sent().getByText(text).waitFor()
  await page.getByRole('button', { name: 'Forget those that have ended' }).click()
  await sent().waitFor({ state: 'detached' })
  // That an amount is too low is an answer of status 422, and that a new wallet has no account one of 404.
  expect(opened.complaints.filter((text) => !/404|422/.test(text))).toEqual([])
  expect(opened.requests.filter((text) => !text.includes(fixture.origin))).toEqual([])
})
