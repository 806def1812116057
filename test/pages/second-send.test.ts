import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { FIGURE_READS } from '../../src/perp/figure-reads.ts'
import {
  eventually,
  fillIn,
  openPageFixture,
  type PageFixture,
  STILL,
  submittable,
  ticket,
} from './fixture.ts'
import { type LinkedTrader, openLinkedTrader } from './linked-trader.ts'

const LEVERAGES = '/v1/client/leverages'
const READS = ['/v1/client/margin_modes', LEVERAGES, ...FIGURE_READS]

const REFUSED = /^A limit of the account does not allow this/

describe('an order that a limit refuses until its figures are read', () => {
  let fixture: PageFixture
  let context: BrowserContext
  let page: Page
  /** What the page has sent to the relay: the path of a read, or the whole envelope of an order. */
  let sent: string[] = []
  const orders = () => sent.filter((text) => text.startsWith('{'))
  /** How many orders are refused, and what a read of leverages meets between two sends. */
  let refused = 1
  /** What a refusal says, and the seconds that it names. */
  let reason = 'position'
  let wait: Readonly<Record<string, string>> = { 'retry-after': '2' }
  let onRead = async (route: Route): Promise<void> => route.fallback()
  /** What the write of this number waits for. */
  let beforeWrite = async (_: number): Promise<void> => undefined
  let trader: LinkedTrader

  beforeAll(async () => {
    fixture = await openPageFixture(STILL)
    trader = await openLinkedTrader(fixture.origin)
    const { link } = trader
    await trader.buy('PERP_ETH_USDC', 0.05)
    await rest()
    const opened = await fixture.open('/favicon.svg')
    page = opened.page
    context = opened.context
    await context.clock.install({ time: Date.now() })
    await page.route('**/api/prep/relay', relay)
    await page.goto(link.replace('/trade', '/trade/PERP_ETH_USDC'))
    await page.getByText('Free margin').first().waitFor()
    await page.getByLabel('Show what is signed first').uncheck()
    await fillIn(page, 'MARKET', '1', '0.01')
  })
  afterAll(() => fixture.stop())
  beforeEach(() => {
    sent = []
    refused = 1
    reason = 'position'
    wait = { 'retry-after': '2' }
    onRead = async (route) => route.fallback()
    beforeWrite = async () => undefined
  })

  /** Places an order that rests. */
  async function rest(): Promise<void> {
    const [{ mark_price: mark }] = (await trader.call('GET', '/v1/positions')).rows
    await trader.call('POST', '/v1/order', {
      ...{ symbol: 'PERP_ETH_USDC', order_type: 'LIMIT', side: 'BUY', order_quantity: 0.02 },
      order_price: Math.round(mark * 0.95),
    })
  }

  /** Refuses an order as the relay does while figures may be older than another order. */
  function refuse(route: Route): Promise<void> {
    const json = { code: 'mandate_exceeded', error: '', meta: { reason } }
    return route.fulfill({ status: 403, headers: wait, json })
  }

  async function relay(route: Route): Promise<void> {
    const envelope = route.request().postData() ?? ''
    const { method, path } = JSON.parse(envelope)
    sent.push(method === 'POST' ? envelope : path)
    if (method === 'POST') {
      const { length: at } = orders()
      await beforeWrite(at)
      return at > refused ? route.fallback() : refuse(route)
    }
    return orders().length === 1 && path === LEVERAGES ? onRead(route) : route.fallback()
  }

  /** Sends an order, and lets the time pass that its refusal names. */
  async function order(): Promise<void> {
    await ticket.size(page).fill('0.01')
    await submittable(page)
    await ticket.submit(page).click()
    await eventually(
      async () => orders(),
      (found) => found.length > 0,
    )
    await eventually(
      async () => {
        await context.clock.runFor(500)
        return sent.slice(sent.findIndex((text) => text.startsWith('{')))
      },
      (found) => found.includes(LEVERAGES),
    )
  }

  /** Waits for a notice, and closes it; its whole text. */
  async function noticed(text: RegExp): Promise<string> {
    const note = page.locator('.note').filter({ hasText: text })
    const whole = await note.textContent()
    await note.getByLabel('Dismiss').click()
    return whole ?? ''
  }

  test('goes out again with the same bytes once they are read', async () => {
    await order()
    await noticed(/^Filled/)
    const [first = '', second] = orders()
    expect(orders()).toHaveLength(2)
    expect(second).toBe(first)
    const between = sent.slice(sent.indexOf(first) + 1, sent.lastIndexOf(first))
    expect(between).toEqual(expect.arrayContaining([...READS]))
  })

  test('says what is waited for until it goes out again', async () => {
    const waiting = page.locator('.note').filter({ hasText: 'needs newer figures' })
    let shown = ''
    onRead = async (route) => {
      shown = (await waiting.textContent()) ?? ''
      await route.fallback()
    }
    await order()
    await noticed(/^Filled/)
    expect(shown).toContain('It is sent again in 2 s.')
    expect(await waiting.count()).toBe(0)
  })

  test('names no seconds where only the reads are waited for', async () => {
    reason = 'unknown'
    wait = {}
    const waiting = page.locator('.note').filter({ hasText: 'needs newer figures' })
    let shown = ''
    onRead = async (route) => {
      shown = (await waiting.textContent()) ?? ''
      await route.fallback()
    }
    await order()
    await noticed(/^Filled/)
    expect(shown).toContain('needs newer figures')
    expect(shown).not.toContain(' s.')
  })

  test('holds back no cancel and no close until then, but every write that may open', async () => {
    const named = (name: RegExp) => page.locator('.lists').getByRole('button', { name })
    const isHeld = (name: RegExp) => named(name).first().isDisabled()
    let held: unknown = null
    onRead = async (route) => {
      await page.locator('.lists [data-list=positions]').click()
      held = {
        ...{ close: await isHeld(/^Market close of/), reverse: await isHeld(/^Reverse/) },
        order: await ticket.submit(page).isDisabled(),
      }
      await page.locator('.lists [data-list=orders]').click()
      await named(/^Cancel order/).click()
      await noticed(/^Cancelled/)
      await route.fallback()
    }
    await order()
    await noticed(/^Filled/)
    expect(held).toEqual({ close: false, reverse: true, order: true })
    expect(sent.findIndex((text) => text.startsWith('/v1/order?order_id='))).toBeLessThan(
      sent.lastIndexOf(orders()[0] ?? ''),
    )
  })

  test('is sent twice at most, and names no time after which it would go', async () => {
    refused = 2
    await order()
    expect(await noticed(REFUSED)).not.toContain('2 s')
    expect(orders()).toHaveLength(2)
  })

  test('stays refused, and is not called lost, after a read that fails', async () => {
    onRead = (route) => route.abort()
    await order()
    await noticed(REFUSED)
    expect(orders()).toHaveLength(1)
  })

  test('is given up when a minute has passed before they are read', async () => {
    onRead = async (route) => {
      await context.clock.fastForward(60_000)
      await route.fallback()
    }
    await order()
    await noticed(REFUSED)
    expect(orders()).toHaveLength(1)
  })

  test('is given up at the age of 20 seconds, while a read still has no answer', async () => {
    let held: Route | null = null
    onRead = async (route) => {
      held = route
      // The refusal named 2 of the 20 seconds, and a read itself waits for 20.
      await context.clock.runFor(18_500)
    }
    await order()
    await noticed(REFUSED)
    expect(orders()).toHaveLength(1)
    await Object(held).abort()
  })

  test('and that is refused does not release a close in its first send, which holds back no cancel', async () => {
    await rest()
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    beforeWrite = async (at) => [first, second][at - 1]?.promise
    const named = (name: RegExp) => page.locator('.lists').getByRole('button', { name }).first()
    const sentWrites = (count: number) =>
      eventually(
        async () => orders(),
        (found) => found.length === count,
      )
    const passUntil = (text: RegExp) =>
      eventually(
        async () => {
          await context.clock.runFor(500)
          return page.locator('.note').allTextContents()
        },
        (notes) => notes.some((note) => text.test(note)),
      )
    await page.locator('.lists [data-list=positions]').click()
    await ticket.size(page).fill('0.01')
    await submittable(page)
    await ticket.submit(page).click()
    await sentWrites(1)
    await named(/^Market close of/).click()
    await sentWrites(2)
    first.resolve()
    await passUntil(/needs newer figures/)
    expect(await named(/^Market close of/).isDisabled()).toBe(true)
    await page.locator('.lists [data-list=orders]').click()
    await named(/^Cancel order/).click()
    await passUntil(/^Cancelled/)
    second.resolve()
    await passUntil(/^Filled: Sell/)
    // The next test forgets a key that has a position.
    await trader.buy('PERP_ETH_USDC', 0.05)
    await page.locator('.lists [data-list=positions]').click()
    await eventually(
      async () => {
        await context.clock.runFor(500)
        return page.locator('.lists tr[data-symbol=PERP_ETH_USDC]').count()
      },
      (count) => count === 1,
    )
  })

  test('is given up when its key is forgotten meanwhile', async () => {
    onRead = async (route) => {
      await page.getByText('Forget this key').click()
      await page.locator('dialog').getByRole('button', { name: 'Forget the key' }).click()
      await page.getByText('Forget this key').waitFor({ state: 'detached' })
      await route.fallback()
    }
    await order()
    await noticed(REFUSED)
    expect(orders()).toHaveLength(1)
  })
})
