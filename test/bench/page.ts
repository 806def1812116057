import { basename } from 'node:path'
import type { Browser } from 'playwright-core'
import { PAGE_HEADERS } from '../../src/http/pages/bundle.ts'
import { openBrowser } from '../pages/browser.ts'
import { median } from './measure.ts'
import { startPrepd } from './servers.ts'

const LOADS = Number(process.env['BENCH_LOADS'] ?? 15)
const READS = {
  markets: '/api/prep/markets',
  candles: '/api/prep/candles?symbol=PERP_ETH_USDC&interval=15m&limit=500',
} as const

const BARE_HTML = `<!doctype html><meta charset="utf-8"><title>bare</title>
<script type="module" src="/bare-page.js"></script>
<table><tbody></tbody></table><div id="chart" style="width: 900px; height: 400px"></div>`

/** Notes when the first row of a table is there, and when the first rectangle that is neither grey nor clear is painted. */
const NOTING = `{
  window.noted = {}
  const note = (name) => { window.noted[name] ??= performance.now() }
  new MutationObserver(() => { if (document.querySelector('tbody tr')) note('row') })
    .observe(document, { childList: true, subtree: true })
  const paint = CanvasRenderingContext2D.prototype.fillRect
  CanvasRenderingContext2D.prototype.fillRect = function (...where) {
    const [red, green, blue] = [1, 3, 5].map((from) => parseInt(String(this.fillStyle).slice(from, from + 2), 16))
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > 60) note('candle')
    return paint.apply(this, where)
  }
}`

type Noted = { readonly row: number; readonly candle: number }

/** The trading page beside a bare one that asks for the same and paints with the same library: from navigation to the first market and the first candle. */
export async function pageLoads(): Promise<void> {
  const prepd = await startPrepd({}, null)
  const bodies = new Map<string, string>()
  for (const path of Object.values(READS)) {
    bodies.set(path, await (await fetch(prepd.url + path)).text())
  }
  const parts = await bareParts()
  const bare = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url)
      if (pathname === '/') return html(BARE_HTML)
      const part = parts.get(pathname.slice(1))
      if (part !== undefined) return script(part)
      return new Response(bodies.get(pathname + search), {
        headers: { 'content-type': 'application/json' },
      })
    },
  })
  const browser = await openBrowser()
  const urls = { prepd: `${prepd.url}/trade/PERP_ETH_USDC`, bare: `http://127.0.0.1:${bare.port}/` }
  const loads: Record<keyof typeof urls, Noted[]> = { prepd: [], bare: [] }
  for (let load = 0; load <= LOADS; load += 1) {
    for (const name of ['bare', 'prepd'] as const) {
      const noted = await loaded(browser, urls[name])
      // The first of each warms the browser up.
      if (load > 0) loads[name].push(noted)
    }
  }
  console.log(`\nthe trading page, medians of ${LOADS} interleaved loads with nothing kept`)
  for (const name of ['row', 'candle'] as const) {
    const [own, plain] = [loads.prepd, loads.bare].map((all) => median(all.map((one) => one[name])))
    console.log(
      `  first ${name.padEnd(6)} prepd ${own?.toFixed(0)} ms  bare ${plain?.toFixed(0)} ms  ratio ${((own ?? 0) / (plain ?? 1)).toFixed(2)}`,
    )
  }
  await browser.close()
  await bare.stop(true)
  await prepd.stop()
}

async function loaded(browser: Browser, url: string): Promise<Noted> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    // A machine without a locale has a browser without one, whose charts paint nothing.
    locale: 'en-GB',
  })
  const page = await context.newPage()
  await page.addInitScript(NOTING)
  await page.goto(url)
  let noted: Partial<Noted> = {}
  while (noted.row === undefined || noted.candle === undefined) {
    await Bun.sleep(50)
    noted = await page.evaluate<Partial<Noted>>('window.noted')
  }
  await context.close()
  return { row: noted.row, candle: noted.candle }
}

/** The bare page's scripts by their names, made as the pages are. */
async function bareParts(): Promise<ReadonlyMap<string, string>> {
  const { outputs } = await Bun.build({
    entrypoints: [new URL('./bare-page.mjs', import.meta.url).pathname],
    ...{ target: 'browser', splitting: true, minify: true },
  })
  const texts = outputs.map(async (part) => [basename(part.path), await part.text()] as const)
  return new Map(await Promise.all(texts))
}

/** A page that shares its group with no other begins in a process of its own: so does the bare one. */
const OWN_GROUP = 'cross-origin-opener-policy'

function html(text: string): Response {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    [OWN_GROUP]: PAGE_HEADERS[OWN_GROUP],
  }
  return new Response(text, { headers })
}

function script(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'text/javascript; charset=utf-8' } })
}
