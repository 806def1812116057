import type { Log } from '../core/ports.ts'
import type { Deps } from './deps.ts'

const FLUSH = { everyMs: 1000, rowsMax: 5000 } as const
/** As often and as much as rows can come. */
const SWEEP = { everyMs: 1000, rowsMax: 5000 } as const

/** Writes rate windows behind and forgets what has expired, a bounded part each second, until it is stopped. */
export function startHousekeeping(deps: Deps): () => void {
  const { clock, limiter, log, store, writes } = deps
  const timers = [
    every(FLUSH.everyMs, () => attempt(log, 'flush', () => limiter.flush(FLUSH.rowsMax))),
    every(SWEEP.everyMs, () => {
      writes.sweep()
      attempt(log, 'sweep', () => store.sweep(clock.nowMs(), SWEEP.rowsMax))
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
function attempt(log: Log, what: string, work: () => unknown): void {
  try {
    work()
  } catch (error) {
    log.error('housekeeping_failed', {
      what,
      error: error instanceof Error ? error.name : 'unknown',
    })
  }
}
