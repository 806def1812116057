import type { Log, Store, World } from '../core/ports.ts'
import { createSteadyTime } from '../core/steady-time.ts'
import type { Limiter } from '../limits/limiter.ts'
import { LIMITS } from '../spec/limits.ts'
import type { WriteLedger } from './relay/write-ledger.ts'

type Parts = World & {
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
export function startHousekeeping({ limiter, log, store, writes, ...world }: Parts): () => void {
  const steadyTime = createSteadyTime({ ...world, holdMs: LIMITS.claimLifeMaxMs })
  function sweep(): void {
    const nowMs = steadyTime()
    if (nowMs === null) return
    writes.sweep(nowMs)
    attempt(log, 'sweep', () => store.sweep(nowMs, SWEEP.rowsMax))
  }
  const timers = [
    every(FLUSH.everyMs, () => attempt(log, 'flush', () => limiter.flush(FLUSH.rowsMax))),
    every(SWEEP.everyMs, sweep),
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
