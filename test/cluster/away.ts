import { expect } from 'bun:test'
import type { Instance } from './instances.ts'

/** How long an engine is away, and the figures that hold then: on a machine that does nothing else. */
const SECONDS = Number(process.env['PREPD_TEST_AWAY_SECONDS'] ?? 0)
export const AWAY_MS = SECONDS ? 1000 * SECONDS : 100
export const READ_MAX_MS = SECONDS ? 300 : 20_000
/** What a write waits for Valkey, or for PostgreSQL, and as much again for its own work. */
export const WRITE_MAX_MS = SECONDS ? 500 : 20_000
export const REFUSAL_MAX_MS = SECONDS ? 1300 : 20_000
export const BACK_MAX_MS = SECONDS ? 2000 : 20_000

/** What every hundredth read takes longer than, of reads that are asked one after the other for so long. */
export async function slowestReads(instance: Instance, forMs: number): Promise<number> {
  const tookMs: number[] = []
  const untilMs = performance.now() + forMs
  while (performance.now() < untilMs) {
    // Kept answers, and those that are loaded.
    for (const path of ['/api/prep/markets', `/api/prep/op/markets.get?symbol=PERP_BTC_USDC`]) {
      const startedMs = performance.now()
      expect((await instance.get(path)).status).toBe(200)
      tookMs.push(performance.now() - startedMs)
    }
    await Bun.sleep(2)
  }
  return tookMs.toSorted((one, other) => other - one)[Math.floor(tookMs.length / 100)] ?? 0
}

/** How many milliseconds something takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/** Notes a figure of a run that is long enough to have one. */
export async function noted(
  name: string,
  figures: Readonly<Record<string, number>>,
): Promise<void> {
  const text = Object.entries(figures).map(([what, ms]) => `${what} ${Math.round(ms)} ms`)
  if (SECONDS) await Bun.write(Bun.stdout, `${name}: ${text.join(', ')}\n`)
}
