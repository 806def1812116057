/** How much the trading page's heap grows while it gets every message: bun test/bench/heap.ts [MINUTES = 30]. */
import type { CDPSession } from 'playwright-core'
import { openBrowser } from '../page/browser.ts'
import { startPrepd } from './servers.ts'

const MINUTES = Number(process.argv[2] ?? 30)
const MINUTE_MS = 60_000
const MB = 1024 * 1024

const prepd = await startPrepd({}, null)
const browser = await openBrowser()
const page = await browser.newPage()
const session = await page.context().newCDPSession(page)
let sent = 0
page.on('websocket', (socket) => {
  socket.on('framereceived', () => {
    sent += 1
  })
})
await page.goto(`${prepd.url}/trade/PERP_ETH_USDC`)
// What is loaded later is there, and every topic has had its first message.
await Bun.sleep(Math.min(MINUTE_MS, (MINUTES * MINUTE_MS) / 4))
const first = await heapBytes(session)
console.log(`heap: ${(first / MB).toFixed(2)} MB at first`)
for (let minute = 1; minute <= MINUTES; minute += 1) {
  await Bun.sleep(MINUTE_MS)
  const now = await heapBytes(session)
  console.log(
    `  after ${minute} min ${(now / MB).toFixed(2)} MB, ${(now / first).toFixed(3)} times; ${sent} messages`,
  )
}
await browser.close()
await prepd.stop()

/** The heap in use once everything that nobody holds is gone. */
async function heapBytes(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  await devtools.send('HeapProfiler.collectGarbage')
  return (await devtools.send('Runtime.getHeapUsage')).usedSize
}
