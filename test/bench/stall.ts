/** The longest time the loop keeps a kept read waiting under mixed load: `bun test/bench/stall.ts [SECONDS]`. */
import { note } from './aims.ts'
import { percentile } from './measure.ts'
import { type Running, startPrepd } from './servers.ts'

const SECONDS = 60
const LOAD_EVERY_MS = 5

// biome-ignore format: one request a row
const MIXED = [
  '/api/prep/markets', '/api/prep/market-rules', '/api/prep/catalogue', '/api/prep/leaderboard?window=7d',
  '/api/prep/orderbook?symbol=PERP_ETH_USDC', '/api/prep/trades?symbol=PERP_BTC_USDC',
  '/api/prep/candles?symbol=PERP_ETH_USDC&interval=1m&limit=500', '/api/prep/funding?symbol=PERP_SOL_USDC',
  '/api/prep/op/markets.priceChanges', '/api/prep/insurance-fund', '/api/prep/whales', '/swagger/json',
] as const

/** Asks one after the other for a kept answer, beside others who ask for everything from the first moment on. */
export async function longestStall(seconds = SECONDS): Promise<void> {
  const prepd = await startPrepd({}, null)
  const endMs = performance.now() + seconds * 1000
  const waits: number[] = []
  await Promise.all([probe(prepd, endMs, waits), mixed(prepd, endMs)])
  const stoppedMs = performance.now()
  await prepd.stop()
  const longest = Math.max(...waits)
  note('stall', longest)
  console.log(
    `\nkept reads under mixed load for ${seconds} s: p99 ${percentile(waits, 0.99).toFixed(1)} ms, longest ${longest.toFixed(1)} ms; the stop took ${(performance.now() - stoppedMs).toFixed(0)} ms`,
  )
}

async function probe({ url }: Running, endMs: number, waits: number[]): Promise<void> {
  await (await fetch(`${url}/api/prep/config`)).arrayBuffer()
  while (performance.now() < endMs) {
    const startedMs = performance.now()
    await (await fetch(`${url}/api/prep/config`)).arrayBuffer()
    waits.push(performance.now() - startedMs)
    await Bun.sleep(1)
  }
}

async function mixed({ url }: Running, endMs: number): Promise<void> {
  for (let turn = 0; performance.now() < endMs; turn += 1) {
    const path = MIXED[turn % MIXED.length] ?? MIXED[0]
    await (await fetch(url + path)).arrayBuffer()
    await Bun.sleep(LOAD_EVERY_MS)
  }
}

if (import.meta.main) await longestStall(Number(process.argv[2] ?? SECONDS))
