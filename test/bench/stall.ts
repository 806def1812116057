/** The longest wait for a cached read while the embedded venue simulates a day at once: `bun test/bench/stall.ts`. */
import { DAY_MS } from '../../src/contract/durations.ts'
import { note } from './aims.ts'
import { percentile } from './measure.ts'
import { type Running, startPrepd } from './servers.ts'

const PATH = '/api/prep/config'

/** Asks one cached read after the other while a virtual clock is moved by a day. */
export async function longestStall(): Promise<void> {
  const prepd = await startPrepd({ VENUE_CLOCK: 'virtual', OPS_LISTEN: '127.0.0.1:0' }, null)
  await (await fetch(`${prepd.url}/api/prep/markets`)).arrayBuffer()
  const waits: number[] = []
  let isOver = false
  const day = simulateDay(prepd).finally(() => {
    isOver = true
  })
  while (!isOver) {
    waits.push(await readMs(prepd))
    await Bun.sleep(1)
  }
  const tookMs = await day
  await prepd.stop()
  const longest = Math.max(...waits)
  note('stall', longest)
  console.log(
    `\ncached reads while a day is simulated in ${tookMs.toFixed(0)} ms: p99 ${percentile(waits, 0.99).toFixed(1)} ms, longest ${longest.toFixed(1)} ms of ${waits.length}`,
  )
}

async function readMs({ url }: Running): Promise<number> {
  const startedMs = performance.now()
  await (await fetch(url + PATH)).arrayBuffer()
  return performance.now() - startedMs
}

/** Moves the clock by a day, in as many calls as that takes; answers how long it took, in milliseconds. */
async function simulateDay({ opsUrl }: Running): Promise<number> {
  const startedMs = performance.now()
  let leftMs = DAY_MS
  while (leftMs > 0) {
    const moved = await fetch(`${opsUrl}/venue/advance?ms=${leftMs}`, { method: 'POST' })
    const { leftMs: left } = Object(await moved.json())
    if (!moved.ok) throw new Error(`the clock was not moved: ${moved.status}`)
    leftMs = Number(left)
  }
  return performance.now() - startedMs
}

if (import.meta.main) await longestStall()
