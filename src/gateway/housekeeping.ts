import type { Clock, Log, Store } from '../core/ports.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { WriteLedger } from './relay/write-ledger.ts'

type Parts = {
  readonly clock: Clock
  readonly log: Log
  readonly limiter: Pick<Limiter, 'flush'>
  readonly store: Pick<Store, 'sweep'>
  readonly writes: Pick<WriteLedger, 'sweep'>
}

const FLUSH = { everyMs: 1000, rowsMax: 5000 } as const
/** As often and as much as rows can come. */
const SWEEP = { everyMs: 1000, rowsMax: 5000 } as const

/** Writes rate windows behind and forgets what has expired, a bounded part each second, until it is stopped. */
export function startHousekeeping({ clock, limiter, log, store, writes }: Parts): () => void {
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
