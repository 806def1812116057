import { note } from './aims.ts'
import { bytesWritten, cpuMicros, latencies } from './measure.ts'
import { CORES, freePort, type Running, startPrepd, startRole } from './servers.ts'

const READS = 300
const MISSES = 2000
/** What is kept is written once a second. */
const SETTLE_MS = 2500

/** What reads cost that go to a live venue: another prepd serves its embedded one to this. */
export async function uncachedReads(): Promise<void> {
  const listen = `127.0.0.1:${freePort()}`
  const venue = await startPrepd({ VENUE_LISTEN: listen }, CORES.load)
  const prepd = await startPrepd({ VENUE: `http://${listen}` })
  const ask = (path: string) => fetch(prepd.url + path)
  const symbols = ['BTC', 'ETH', 'SOL'].map((base) => `PERP_${base}_USDC`)
  const book = await costOf(prepd, () => ask('/api/prep/orderbook?symbol=PERP_ETH_USDC'))
  const candles = await costOf(prepd, (index) => {
    const symbol = symbols[index % symbols.length]
    const limit = 500 - (Math.floor(index / symbols.length) % 100)
    return ask(`/api/prep/candles?symbol=${symbol}&interval=1m&limit=${limit}`)
  })
  note('book', book)
  note('candles', candles)
  console.log(
    `\nfrom a live venue: an order book costs ${book.toFixed(0)} us cpu, up to 500 candles ${candles.toFixed(0)} us`,
  )
  await Promise.all([prepd.stop(), venue.stop()])
}

async function costOf(
  { pid }: Running,
  call: (index: number) => Promise<Response>,
): Promise<number> {
  await latencies(READS, call)
  const before = cpuMicros(pid)
  await latencies(READS, call)
  return (cpuMicros(pid) - before) / READS
}

/** What the disk has written for each answer that is kept, of callers of their own. */
export async function keptMisses(): Promise<void> {
  const venue = await startRole('venue', CORES.load)
  const prepd = await startPrepd({ VENUE: venue.url, TRUSTED_PROXIES: '127.0.0.0/8' })
  await fill(prepd, 1)
  await Bun.sleep(SETTLE_MS)
  const before = bytesWritten(prepd.pid)
  await fill(prepd, MISSES)
  await Bun.sleep(SETTLE_MS)
  const kB = (bytesWritten(prepd.pid) - before) / MISSES / 1000
  note('diskOfMiss', kB)
  console.log(`\nkept misses: ${kB.toFixed(1)} kB on the disk each`)
  await Promise.all([prepd.stop(), venue.stop()])
}

const BATCH = 64

/** Asks for so many different answers, each once, each for a caller of its own. */
export async function fill({ url }: Running, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const length = Math.min(BATCH, count - from)
    await Promise.all(Array.from({ length }, (_, offset) => keptOf(url, from + offset)))
  }
}

async function keptOf(url: string, n: number): Promise<void> {
  const forwarded = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  const response = await fetch(`${url}/api/prep/op/charts.symbols?group=g${n}`, {
    headers: { 'x-forwarded-for': forwarded },
  })
  await response.arrayBuffer()
}
