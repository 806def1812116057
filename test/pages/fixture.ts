import { expect } from 'bun:test'
import type { Browser, Locator, Page, WebSocketRoute } from 'playwright-core'
import { openTarget, type Target, type TargetSettings } from '../target.ts'
import {
  connectBrowser,
  DESKTOP,
  type Look,
  type OpenedPage,
  openBrowser,
  openPage,
} from './browser.ts'
import { sharedHere, sharedTarget } from './shared.ts'

/** The two ways in which data reaches the page. */
export const FEEDS = {
  'by stream': {},
  'by polling': { VENUE_STREAM: 'off', VENUE_STREAM_PRIVATE: 'off' },
} as const satisfies Record<string, TargetSettings>

export const FEED_NAMES = ['by stream', 'by polling'] as const

/** A venue whose prices stand still, so that figures can be compared. */
export const STILL: TargetSettings = { VENUE_CLOCK: 'virtual' }

/** The compiled program with a browser before it. */
export type PageFixture = {
  readonly target: Pick<Target, 'fetch' | 'ops'>
  readonly origin: string
  readonly opsOrigin: string
  readonly browser: Browser
  readonly open: (path: string, look?: Look) => Promise<OpenedPage>
  /** Opens a page whose timers take a fifth of their time, and whose clock is ahead by its own `aheadMs`. */
  readonly openFast: (path: string) => Promise<OpenedPage>
  /** Ends what was started for this fixture, and nothing that test files share. */
  readonly stop: () => Promise<void>
}

/** Connects to the shared browser and the shared server of these settings; starts what is not shared. */
export async function openPageFixture(settings: TargetSettings = {}): Promise<PageFixture> {
  const shared = sharedHere()
  const [browser, target] = await Promise.all([
    shared ? connectBrowser(shared.browser) : openBrowser(),
    (shared && sharedTarget(shared, settings)) ?? openPageTarget(settings),
  ])
  const listening = await target.listening()
  const open = async (path: string, look?: Look, script = '') => {
    const opened = await openPage(browser, look)
    if (script) await opened.page.addInitScript(script)
    await opened.page.goto(listening.public + path)
    return opened
  }
  return {
    ...{ target, browser, origin: listening.public, opsOrigin: listening.ops },
    open: (path, look) => open(path, look),
    openFast: (path) => open(path, DESKTOP, FAST),
    stop: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()))
      await browser.close()
      await target.stop()
    },
  }
}

/** Starts the compiled program with an operator’s listener. */
export function openPageTarget(settings: TargetSettings): Promise<Target> {
  return openTarget('compiled binary', {
    OPS_LISTEN: '127.0.0.1:0',
    TRUSTED_PROXIES: 'none',
    ...settings,
  })
}

/**
 * A script that shortens timers, but not the one that takes a good notice away. Every notice stays in `window.noticed` until
 * a test has read it, however soon it goes from the page.
 */
export const FAST = `{
  const [now, after, every] = [Date.now, setTimeout, setInterval]
  window.aheadMs = 0
  Date.now = () => now() + window.aheadMs
  window.setTimeout = (work, ms = 0) => after(work, ms === 6000 ? ms : ms / 5)
  window.setInterval = (work, ms = 0) => every(work, ms / 5)
  window.noticed = []
  new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes])
    window.noticed.push(...added.filter((node) => node.classList?.contains('note')))
  }).observe(document, { childList: true, subtree: true })
}`

/** A script that keeps notices until they are closed, so that a busy machine sees all of them at once. */
export const LASTING = `{
  const after = setTimeout
  window.setTimeout = (work, ms) => (ms === 6000 ? 0 : after(work, ms))
}`

/** The fields of the order form: price, or slippage of a market order; and size. */
export const ticket = {
  first: (page: Page): Locator => page.locator('.ticket .entry input').nth(0),
  size: (page: Page): Locator => page.locator('.ticket .entry input').nth(1),
  submit: (page: Page): Locator => page.locator('.ticket button[type=submit]'),
}

/** Waits until the order form could be sent: it cannot while the account is read, and a key that is pressed then does nothing. */
export function submittable(page: Page): Promise<void> {
  return page.locator('.ticket button[type=submit]:enabled').waitFor()
}

/** Waits until the page shows the margin mode of the market: its leverage is read anew when the mode has changed. */
export function modeShown(page: Page, mode: 'cross' | 'isolated'): Promise<void> {
  return page.getByRole('button', { name: `Margin mode and leverage: ${mode}` }).waitFor()
}

/** Opens an account with a wallet that the page makes, and stays on the page. */
export async function openThrowAway(page: Page): Promise<void> {
  await page.locator('header').getByText('Connect', { exact: true }).click()
  await page.getByText('Use a throw-away wallet').click()
  await signBoth(page)
}

/** A page on the ETH market with an account, which signs at once instead of showing the bytes first. */
export async function openTrader({ openFast }: PageFixture): Promise<OpenedPage> {
  const opened = await openFast('/trade/PERP_ETH_USDC')
  const { page } = opened
  await openThrowAway(page)
  await page.getByLabel('Show what is signed first').uncheck()
  await page.locator('.bids .level').first().waitFor()
  return opened
}

/** The best price of a side of the book that is shown. */
export async function bestPrice(page: Page, side: 'asks' | 'bids'): Promise<number> {
  const rows = page.locator(`.${side} .level`)
  const level = side === 'asks' ? rows.last() : rows.first()
  return Number(await level.getAttribute('data-price'))
}

/** Chooses the kind of the order in the form; IOC, FOK and POST_ONLY are options of a limit order. */
export async function chooseType(page: Page, type: string): Promise<void> {
  const isLimit = ['LIMIT', 'IOC', 'FOK', 'POST_ONLY'].includes(type)
  await page.locator(`.types [data-name=${isLimit ? 'LIMIT' : type}]`).click()
  if (isLimit) await page.getByLabel('Execution').selectOption(type)
}

/** Fills in the order form. */
export async function fillIn(page: Page, type: string, first: string, size: string): Promise<void> {
  await chooseType(page, type)
  await ticket.first(page).fill(first)
  await ticket.size(page).fill(size)
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
  await page.getByText('Reading the account').waitFor({ state: 'detached' })
}

/** Places a limit order that rests, a percent below the best bid; answers its price. */
export async function placeResting(page: Page, size: string): Promise<string> {
  const price = String(Math.floor((await bestPrice(page, 'bids')) * 0.99))
  await fillIn(page, 'LIMIT', price, size)
  await ticket.submit(page).click()
  return price
}

/** Says yes to the bytes that are shown. */
export const agree = (page: Page): Promise<void> => page.getByText('Sign and send').click()

/** Waits for a notice and dismisses it with all that came before; its text. */
export async function notice(page: Page, text: RegExp): Promise<string> {
  const shown = await eventually(
    () =>
      page.evaluate<[whole: string, first: string][]>(
        "window.noticed.map((note) => [note.textContent, note.querySelector('p').textContent])",
      ),
    (notes) => notes.some(([whole]) => text.test(whole)),
  )
  const at = shown.findIndex(([whole]) => text.test(whole))
  await page.evaluate(
    `for (const note of window.noticed.splice(0, ${at + 1})) note.querySelector('[aria-label=Dismiss]').click()`,
  )
  return shown[at]?.[1] ?? ''
}

/** A number as the browser writes it for its reader, with places: `2.412` alone would be two numbers in Germany. */
export function inLocale(page: Page, value: number): Promise<string> {
  return page.evaluate<string>(`(${value}).toLocaleString(undefined, { minimumFractionDigits: 2 })`)
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
