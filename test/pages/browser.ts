import bundledChromium from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContext,
  type BrowserServer,
  chromium,
  type Page,
} from 'playwright-core'

/** Starts a headless Chromium that is this process’s own. Throws when none starts, so that no test passes unseen. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch(await launchOptions())
}

/** Starts a headless Chromium that other processes connect to. */
export async function openBrowserServer(): Promise<BrowserServer> {
  return chromium.launchServer({ host: '127.0.0.1', ...(await launchOptions()) })
}

/** Connects to a browser of another process. */
export function connectBrowser(endpoint: string): Promise<Browser> {
  return chromium.connect(endpoint)
}

/** The system’s Chromium, else the one that npm brings. */
async function launchOptions() {
  const executablePath = systemChromium() ?? (await bundledChromium.executablePath())
  // Without a graphics card its emulation would take more of the processor than everything else in a test.
  const args = ['--no-sandbox', '--disable-gpu']
  return { executablePath, args }
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
  /** The time zone; absent: UTC. */
  readonly zone?: string
}

export const DESKTOP: Look = { width: 1440, height: 900, scheme: 'light' }
export const DARK: Look = { ...DESKTOP, scheme: 'dark' }
export const PHONE: Look = { width: 360, height: 760, scheme: 'light' }

/** A page in a browser context of its own, and what it logged and requested. */
export type OpenedPage = {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors and warnings of its console, uncaught errors, and reports of its content policy. */
  readonly complaints: string[]
  /** Every request: method, URL and body. */
  readonly requests: string[]
  /** Every message of its WebSockets, in either direction. */
  readonly frames: string[]
}

/** Has a context end what a test answers in its page before it closes: an answer under way finds no page any more. */
function endRoutesFirst(context: BrowserContext, page: Page): void {
  const close = context.close.bind(context)
  context.close = async (options) => {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await close(options)
  }
}

/** Opens an empty page that shares no storage with any other. */
export async function openPage(
  browser: Browser,
  { width, height, scheme, locale = 'en-GB', zone = 'UTC' }: Look = DESKTOP,
): Promise<OpenedPage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    // A machine without a locale has a browser without one.
    locale,
    timezoneId: zone,
  })
  // Of one step; a whole case ends by the runner's.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  endRoutesFirst(context, page)
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
