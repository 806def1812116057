import bundledChromium from '@sparticuz/chromium'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** A headless Chromium: the system's, else the one that npm brings. Throws when none starts, so that no test passes unseen. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = systemChromium() ?? (await bundledChromium.executablePath())
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  })
}

function systemChromium(): string | null {
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  return names.map((name) => Bun.which(name)).find((path) => path !== null) ?? null
}

export type Look = {
  readonly width: number
  readonly height: number
  readonly scheme: 'light' | 'dark'
  /** Absent: en-GB. */
  readonly locale?: string
}

export const DESKTOP: Look = { width: 1440, height: 900, scheme: 'light' }
export const DARK: Look = { ...DESKTOP, scheme: 'dark' }
export const PHONE: Look = { width: 360, height: 760, scheme: 'light' }

/** A page of a browser, and everything it complained of or asked for. */
export type Visit = {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors and warnings of its console, uncaught errors, and reports of its content policy. */
  readonly complaints: string[]
  /** Every request: method, URL and body. */
  readonly requests: string[]
  /** Every message of its WebSockets, in either direction. */
  readonly frames: string[]
}

/** Opens a page of its own, with nothing kept from any other. */
export async function visit(
  browser: Browser,
  { width, height, scheme, locale = 'en-GB' }: Look = DESKTOP,
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    // A machine without a locale has a browser without one.
    locale,
    timezoneId: 'UTC',
  })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const [complaints, requests, frames]: [string[], string[], string[]] = [[], [], []]
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning'
    // That a test reads back a canvas is the test's own doing.
    if (isComplaint && !message.text().includes('willReadFrequently'))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    requests.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`)
  })
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => frames.push(String(payload)))
    socket.on('framereceived', ({ payload }) => frames.push(String(payload)))
  })
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (e) => console.error('policy ' + e.violatedDirective))",
  )
  return { page, context, complaints, requests, frames }
}
