/**
 * How much the trading page's heap grows, and what it does at a stretch, while an account trades a little and gets every
 * message: bun test/bench/heap.ts [MINUTES = 30]. Fails above either aim, which is meant for a quiet machine.
 */
import type { CDPSession, Page } from 'playwright-core'
import { openBrowser, openPage } from '../pages/browser.ts'
import { fillIn, list, openThrowAway, placeResting, ticket } from '../pages/fixture.ts'
import { startPrepd } from './servers.ts'

const MINUTES = Number(process.argv[2] ?? 30)
const WARM_MINUTES = 5
const MINUTE_MS = 60_000
const MB = 1024 * 1024
const AIMS = { heapTimes: 1.2, taskMs: 100 } as const

/** What a heap snapshot counts that is the browser's: compiled code, shapes of objects, and what lies behind the DOM. */
const OF_BROWSER: ReadonlySet<string> = new Set(['code', 'native', 'object shape', 'synthetic'])

/** Notes every task of the page that takes 50 ms or more, from its beginning. */
const NOTING = `{
  window.longTasks = []
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) longTasks.push([startTime, duration])
  }).observe({ type: 'longtask', buffered: true })
}`

type Task = readonly [startMs: number, durationMs: number]

const prepd = await startPrepd({}, null)
const browser = await openBrowser()
const { page, frames, complaints } = await openPage(browser)
const session = await page.context().newCDPSession(page)
await page.addInitScript(NOTING)
await page.goto(`${prepd.url}/trade/PERP_ETH_USDC`)
await openThrowAway(page)
await page.getByLabel('Show what is signed first').uncheck()
let messages = 0
await tradeForMinute()
const ownAtFirst = await ownBytes(session)
// Lists have their rows, and the browser has compiled what runs often: its code counts as heap.
for (let minute = 1; minute < Math.min(WARM_MINUTES, MINUTES); minute += 1) await tradeForMinute()
const first = await heapBytes(session)
let last = first
console.log(`heap: ${(first / MB).toFixed(2)} MB at first`)
const tasks: Task[] = []
await tasksSince(page)
for (let minute = 1; minute <= MINUTES; minute += 1) {
  await tradeForMinute()
  tasks.push(...(await tasksSince(page)))
  last = await heapBytes(session)
  // Collecting garbage on demand is the bench's own task.
  await tasksSince(page)
  const longest = Math.max(0, ...tasks.map(([, ms]) => ms))
  console.log(
    `  after ${minute} min ${(last / MB).toFixed(2)} MB, ${(last / first).toFixed(3)} times; ${messages} messages; ${tasks.length} tasks of 50 ms or more, the longest ${longest.toFixed(0)} ms`,
  )
}
const own = (await ownBytes(session)) / ownAtFirst
const long = tasks.filter(([, ms]) => ms > AIMS.taskMs)
const isMet = last / first <= AIMS.heapTimes && long.length === 0 && complaints.length === 0
console.log(
  `${isMet ? 'met' : 'missed'}: heap ${(last / first).toFixed(3)} of at most ${AIMS.heapTimes} times; the page’s own objects ${own.toFixed(3)} times those after the first minute; ${long.length} tasks over ${AIMS.taskMs} ms${long.map(([at, ms]) => `, ${ms.toFixed(0)} ms at ${(at / 1000).toFixed(0)} s`).join('')}; ${complaints.length} complaints`,
)
for (const complaint of complaints.slice(0, 10)) console.log(`  ${complaint}`)
await browser.close()
await prepd.stop()
process.exitCode = isMet ? 0 : 1

async function tradeForMinute(): Promise<void> {
  const untilMs = performance.now() + MINUTE_MS
  await trade(page)
  await rest(untilMs - performance.now())
}

/** Buys and sells at the market, and places and cancels an order that rests. */
async function trade(on: Page): Promise<void> {
  for (const side of ['BUY', 'SELL']) {
    await on.locator(`.ticket [data-name=${side}]`).click()
    await fillIn(on, 'MARKET', '0.5', '0.05')
    await ticket.submit(on).click()
    await rest(2000)
  }
  await on.locator('.ticket [data-name=BUY]').click()
  await placeResting(on, '0.05')
  await list(on, 'orders').click()
  await on.getByRole('button', { name: 'Cancel all' }).click()
  await rest(2000)
  await list(on, 'positions').click()
}

/** Waits, and forgets the messages that have come: they are only counted. */
async function rest(ms: number): Promise<void> {
  await Bun.sleep(Math.max(0, ms))
  messages += frames.splice(0).length
}

/** The long tasks since the last look. */
function tasksSince(on: Page): Promise<readonly Task[]> {
  return on.evaluate('longTasks.splice(0)')
}

/** The heap in use once everything that nobody holds is gone. */
async function heapBytes(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  await devtools.send('HeapProfiler.collectGarbage')
  return (await devtools.send('Runtime.getHeapUsage')).usedSize
}

/** The bytes of the page's own objects, arrays, closures, numbers and strings. */
async function ownBytes(devtools: CDPSession): Promise<number> {
  const chunks: string[] = []
  const keep = ({ chunk }: { chunk: string }) => void chunks.push(chunk)
  devtools.on('HeapProfiler.addHeapSnapshotChunk', keep)
  await devtools.send('HeapProfiler.takeHeapSnapshot')
  devtools.off('HeapProfiler.addHeapSnapshotChunk', keep)
  const { snapshot, nodes }: Snapshot = JSON.parse(chunks.join(''))
  const { node_fields: fields, node_types: types } = snapshot.meta
  const [typeAt, sizeAt] = [fields.indexOf('type'), fields.indexOf('self_size')]
  let bytes = 0
  for (let at = 0; at < nodes.length; at += fields.length) {
    const name = types[0][nodes[at + typeAt] ?? 0] ?? ''
    if (!OF_BROWSER.has(name)) bytes += nodes[at + sizeAt] ?? 0
  }
  return bytes
}

type Snapshot = {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[]
      readonly node_types: readonly [readonly string[]]
    }
  }
  readonly nodes: readonly number[]
}
