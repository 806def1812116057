import type { Meter } from '../core/meter.ts'
import type { Clock, Log, Store } from '../core/ports.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { WriteLedger } from './relay/write-ledger.ts'

type Parts = {
  readonly clock: Clock
  readonly log: Log
  readonly meter: Meter
  readonly limiter: Pick<Limiter, 'flush'>
  readonly store: Pick<Store, 'sweep'>
  readonly writes: Pick<WriteLedger, 'sweep'>
}

const FLUSH = { everyMs: 1000, rowsMax: 5000 } as const
/** As often and as much as rows can come. */
const SWEEP = { everyMs: 1000, rowsMax: 5000 } as const

/** Writes rate windows behind and forgets what has expired, a bounded part each second, until it is stopped. */
export function startHousekeeping(parts: Parts): () => void {
  const { clock, limiter, store, writes } = parts
  const flush = task(parts, 'flush', () => limiter.flush(FLUSH.rowsMax))
  const sweep = task(parts, 'sweep', () => store.sweep(clock.nowMs(), SWEEP.rowsMax))
  const timers = [
    every(FLUSH.everyMs, flush),
    every(SWEEP.everyMs, () => {
      writes.sweep()
      sweep()
    }),
  ]
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
function task({ log, meter }: Parts, what: string, work: () => unknown): () => void {
  const durations = meter.histogram('prepd_housekeeping_duration_seconds', what)
  const failures = meter.counter('prepd_housekeeping_failures_total', what)
  return () => {
    const startedMs = meter.elapsedMs()
    try {
      work()
    } catch (error) {
      failures.add()
      log.error('housekeeping_failed', {
        what,
        error: error instanceof Error ? error.name : 'unknown',
      })
    } finally {
      durations.observe((meter.elapsedMs() - startedMs) / 1000)
    }
  }
}
