import type { Meter } from '../core/observing/meter.ts'
import type { Store, World } from '../core/ports.ts'
import { createSteadyTime } from '../core/steady-time.ts'
import type { Limiter } from '../limits/limiter.ts'
import { LIMITS } from '../spec/limits.ts'
import type { WriteLedger } from './relay/write-ledger.ts'

type Parts = World & {
  readonly meter: Meter
  readonly limiter: Pick<Limiter, 'flush'>
  readonly store: Pick<Store, 'sweep'>
  readonly writes: Pick<WriteLedger, 'sweep'>
}

const FLUSH = { everyMs: 1000, rowsMax: 5000 } as const
/** As often and as much as rows can come. */
const SWEEP = { everyMs: 1000, rowsMax: 5000 } as const

/**
 * Writes rate windows behind and forgets what has expired, a bounded part each second, until it is stopped. By a wall
 * clock that has just jumped nothing is forgotten: what it calls expired may be fresh again when it is set back.
 */
export function startHousekeeping(parts: Parts): () => void {
  const { limiter, store, writes } = parts
  const steadyTime = createSteadyTime({ ...parts, holdMs: LIMITS.claimLifeMaxMs })
  const flush = task(parts, 'flush', () => limiter.flush(FLUSH.rowsMax))
  const sweepRows = task(parts, 'sweep', (nowMs: number) => store.sweep(nowMs, SWEEP.rowsMax))
  function sweep(): void {
    const nowMs = steadyTime()
    if (nowMs === null) return
    writes.sweep(nowMs)
    void sweepRows(nowMs)
  }
  const timers = [every(FLUSH.everyMs, flush), every(SWEEP.everyMs, sweep)]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

function every(ms: number, work: () => void) {
  const timer = setInterval(work, ms)
  timer.unref()
  return timer
}

// Housekeeping that fails is tried again the next time; requests do not depend on it.
function task<Given extends readonly unknown[]>(
  { log, meter }: Parts,
  what: string,
  work: (...given: Given) => unknown,
): (...given: Given) => Promise<void> {
  const durations = meter.histogram('prepd_housekeeping_duration_seconds', what)
  const failures = meter.counter('prepd_housekeeping_failures_total', what)
  let isRunning = false
  return async (...given) => {
    if (isRunning) return
    isRunning = true
    const startedMs = meter.elapsedMs()
    try {
      await work(...given)
    } catch (error) {
      failures.add()
      log.error('housekeeping_failed', {
        what,
        error: error instanceof Error ? error.name : 'unknown',
      })
    } finally {
      isRunning = false
      durations.observe((meter.elapsedMs() - startedMs) / 1000)
    }
  }
}
