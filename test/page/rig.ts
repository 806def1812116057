import { expect } from 'bun:test'
import type { Browser, Locator, Page, WebSocketRoute } from 'playwright-core'
import { openTarget, type Target, type TargetSettings } from '../target.ts'
import { type Look, openBrowser, type Visit, visit } from './browser.ts'

/** A browser on a busy machine takes its time; what a test waits for in the page ends before the test itself. */
export const PATIENCE_MS = 300_000

/** The two ways in which data reaches the page. */
export const WAYS: readonly (readonly [name: string, settings: TargetSettings])[] = [
  ['told', {}],
  ['asked for', { VENUE_STREAM: 'off', VENUE_STREAM_PRIVATE: 'off' }],
]

/** The built program with a browser before it. */
export type PageRig = {
  readonly target: Target
  readonly origin: string
  readonly opsOrigin: string
  readonly visit: (path: string, look?: Look) => Promise<Visit>
  /** A visit whose page waits a fifth as long for everything, and whose clock is ahead by its own `aheadMs`. */
  readonly hurry: (path: string) => Promise<Visit>
  readonly browser: Browser
  readonly stop: () => Promise<void>
}

/** Starts the compiled program, with an operator's listener, and a browser. */
export async function openPageRig(settings: TargetSettings = {}): Promise<PageRig> {
  const [target, browser] = await Promise.all([
    openTarget('compiled binary', {
      OPS_LISTEN: '127.0.0.1:0',
      TRUSTED_PROXIES: 'none',
      ...settings,
    }),
    openBrowser(),
  ])
  const origin = new URL((await target.fetch('/api/prep/config')).url).origin
  const opsOrigin = new URL((await target.ops('/healthz')).url).origin
  return {
    target,
    browser,
    origin,
    opsOrigin,
    visit: async (path, look) => {
      const opened = await visit(browser, look)
      await opened.page.goto(origin + path)
      return opened
    },
    hurry: async (path) => {
      const opened = await visit(browser)
      await opened.page.addInitScript(HURRY)
      await opened.page.goto(origin + path)
      return opened
    },
    stop: async () => {
      await browser.close()
      await target.stop()
    },
  }
}

/** Fewer seconds of a test are spent on waiting, and none of what is waited for is another. */
const HURRY = `{
  const [now, after, every] = [Date.now, setTimeout, setInterval]
  window.aheadMs = 0
  Date.now = () => now() + window.aheadMs
  window.setTimeout = (work, ms = 0) => after(work, ms / 5)
  window.setInterval = (work, ms = 0) => every(work, ms / 5)
}`

/** The fields of the order form: price, or slippage of a market order; and size. */
export const ticket = {
  first: (page: Page): Locator => page.locator('.ticket .entry input').nth(0),
  size: (page: Page): Locator => page.locator('.ticket .entry input').nth(1),
  submit: (page: Page): Locator => page.locator('.ticket button[type=submit]'),
}

/** Opens an account with a wallet that the page makes, and stays on the page. */
export async function openThrowAway(page: Page): Promise<void> {
  await page.locator('header').getByText('Connect', { exact: true }).click()
  await page.getByText('Use a throw-away wallet').click()
  await signBoth(page)
}

/** Agrees to both documents of an opening. */
export async function signBoth(page: Page): Promise<void> {
  await page.getByText('Open the account: the wallet signs this').waitFor()
  await page.getByText('Sign in the wallet').click()
  await page.getByText('Bind the trading key: the wallet signs this').waitFor()
  await page.getByText('Sign in the wallet').click()
  await page.getByText('The account is open').waitFor()
  await page.locator('dialog .primary').click()
  await page.getByText('Free margin').first().waitFor()
}

/** Places a limit order that rests, a percent below the best bid; answers its price. */
export async function placeResting(page: Page, size: string): Promise<string> {
  const best = await page.locator('.bids .level').first().getAttribute('data-price')
  const price = String(Math.floor(Number(best) * 0.99))
  await page.locator('.types [data-name=LIMIT]').click()
  await ticket.first(page).fill(price)
  await ticket.size(page).fill(size)
  await ticket.submit(page).click()
  return price
}

/** Places a market order and agrees to its bytes. */
export async function buyAtMarket(page: Page, size: string): Promise<void> {
  await page.locator('.types [data-name=MARKET]').click()
  await ticket.size(page).fill(size)
  await ticket.submit(page).click()
  await agree(page)
}

/** Forgets the key of this browser, which is asked about first. */
export async function forgetKey(page: Page): Promise<void> {
  await page.getByText('Forget this key').click()
  await page.locator('dialog').getByRole('button', { name: 'Forget the key' }).click()
}

/** Says yes to the bytes that are shown. */
export async function agree(page: Page): Promise<void> {
  await page.getByText('Sign and send').click()
}

export function list(page: Page, name: string): Locator {
  return page.locator(`.lists [data-list=${name}]`)
}

/** Live data of a page that can be taken away from it; to be had before the page is opened. */
export async function cuttable(page: Page) {
  let isCut = false
  const open = new Set<WebSocketRoute>()
  await page.routeWebSocket('**/api/prep/ws', (socket) => {
    if (isCut) void socket.close({ code: 1001 })
    else {
      open.add(socket)
      socket.connectToServer()
    }
  })
  return {
    cut: async () => {
      isCut = true
      await Promise.all([...open].map((socket) => socket.close({ code: 1001 })))
      open.clear()
    },
    mend: () => {
      isCut = false
    },
  }
}

/** Reads a value in the page until it is as wanted. */
export async function eventually<T>(
  read: () => Promise<T>,
  wanted: (value: T) => boolean,
): Promise<T> {
  for (let tries = 0; tries < 900; tries += 1) {
    const value = await read()
    if (wanted(value)) return value
    await Bun.sleep(100)
  }
  const last = await read()
  expect(last).toBe('as wanted' as never)
  return last
}

/** Waits until nothing of this kind is there. */
export async function gone(found: Locator): Promise<void> {
  await eventually(
    () => found.count(),
    (count) => count === 0,
  )
}
