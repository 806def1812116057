// Slow: a browser trades.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page, Request } from 'playwright-core'
import { eventually, list, notice, openPageFixture, type PageFixture, STILL } from './fixture.ts'
import { type LinkedTrader, openLinkedTrader } from './linked-trader.ts'

const ETH = 'PERP_ETH_USDC'

describe('a cross and an isolated position of one market', () => {
  let fixture: PageFixture
  let trader: LinkedTrader
  let page: Page
  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    trader = await openLinkedTrader(fixture.origin)
    await buy('CROSS', 0.2)
    await buy('ISOLATED', 0.05)
    ;({ page } = await fixture.openFast('/favicon.svg'))
    await page.goto(trader.link.replace('/trade', `/trade/${ETH}`))
    await row('ISOLATED').waitFor()
    await page.getByLabel('Show what is signed first').uncheck()
  })
  afterAll(() => fixture.stop())

  const buy = (mode: string, quantity: number) =>
    trader.call('POST', '/v1/order', {
      ...{ symbol: ETH, order_type: 'MARKET', side: 'BUY' },
      ...{ order_quantity: quantity, margin_mode: mode },
    })

  const row = (mode: string) => page.locator(`.lists tbody tr[data-mode=${mode}]`)
  const act = (mode: string, name: string) => row(mode).getByRole('button', { name }).click()
  const dialog = () => page.locator('dialog')

  /** The conditional orders that wait, by their margin mode. */
  async function waiting(): Promise<Readonly<Partial<Record<string, number>>>> {
    const { rows } = await trader.call('GET', '/v1/algo/orders?status=INCOMPLETE')
    const pairs = rows.map((each: Readonly<Record<string, unknown>>) => [
      each['margin_mode'],
      each['algo_order_id'],
    ])
    return Object.fromEntries(pairs)
  }

  test('have a row each', async () => {
    await list(page, 'positions').click()
    expect(await row('CROSS').count()).toBe(1)
    expect(await row('ISOLATED').count()).toBe(1)
    expect(await row('CROSS').textContent()).toContain('0.2000')
    expect(await row('ISOLATED').textContent()).toContain('0.0500')
  })

  test('are protected apart: a stop belongs to the position whose row it was set in', async () => {
    for (const [mode, size] of [
      ['ISOLATED', '0.0500'],
      ['CROSS', '0.2000'],
    ] as const) {
      await act(mode, 'Take profit and stop loss of ETH')
      await dialog().getByText(`Long ${size} ETH`).waitFor()
      await dialog()
        .getByLabel('SL % below entry')
        .fill(mode === 'CROSS' ? '4' : '3')
      await dialog().getByRole('button', { name: 'Sign and set SL' }).click()
      await notice(page, /^Protects the whole position: SL/)
    }
    expect(Object.keys(await waiting()).sort()).toEqual(['CROSS', 'ISOLATED'])
    const shown = (mode: string) => row(mode).getByText(/SL/).first().textContent()
    await eventually(
      async () => [await shown('CROSS'), await shown('ISOLATED')],
      ([cross, isolated]) => cross !== isolated,
    )
  })

  test('change and lose their stops apart', async () => {
    const before = await waiting()
    const isEdit = (request: Request) => request.postData()?.includes('"method":"PUT"') ?? false
    await act('ISOLATED', 'Take profit and stop loss of ETH')
    await dialog().getByLabel('SL % below entry').fill('2')
    const sent = page.waitForRequest(isEdit)
    await dialog().getByRole('button', { name: 'Sign and change SL' }).click()
    expect(JSON.parse((await sent).postDataJSON().body).order_id).toBe(String(before['ISOLATED']))
    await notice(page, /^Changed\./)
    await act('ISOLATED', 'Take profit and stop loss of ETH')
    await dialog().getByRole('button', { name: 'Remove it' }).click()
    await eventually(waiting, (left) => left['ISOLATED'] === undefined)
    expect((await waiting())['CROSS']).toBe(before['CROSS'] ?? 0)
  })

  test('get margin and are closed apart', async () => {
    await act('ISOLATED', 'Margin of ETH')
    await dialog().getByText('Add margin', { exact: true }).first().waitFor()
    await page.keyboard.press('Escape')
    await act('ISOLATED', 'Close… ETH')
    expect(await dialog().getByLabel('Size').inputValue()).toBe('0.05')
    await dialog().getByRole('button', { name: 'Close position' }).click()
    await row('ISOLATED').waitFor({ state: 'detached' })
    const { rows } = await trader.call('GET', '/v1/positions')
    const held = rows.filter((each: { position_qty: number }) => each.position_qty !== 0)
    expect(held).toMatchObject([{ margin_mode: 'CROSS', position_qty: 0.2 }])
  })
})
