import { VALKEY_LIMITS } from '../contract/engines/valkey.ts'
import { LIMITS } from '../contract/limits.ts'
import { after, every } from '../core/loop/guarded.ts'
import { markInUse, repeatWhileInUse } from '../core/loop/idle-timers.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Clock, LogFields, Store, World } from '../core/ports.ts'
import type { RateWindows } from './limits/limiter.ts'
import type { WriteLedger } from './relay/write-ledger.ts'
import { createSteadyTime } from './steady-time.ts'

type HousekeepingOptions = World & {
  readonly meter: Meter
  readonly limiter: Pick<RateWindows, 'flush' | 'reconcile'>
  readonly store: Pick<Store, 'sweep' | 'spending'>
  /** The clock that ages spending. */
  readonly venueClock: Clock
  readonly writes: Pick<WriteLedger, 'sweep'>
}

const FLUSH = { everyMs: 1000, rowsMax: 5000 } as const
/** Rows are deleted at least as fast as they can arrive. */
const SWEEP = { everyMs: 1000, rowsMax: 5000 } as const
/** Rows deleted per turn of the event loop, which takes a few milliseconds, and the pause before the next turn. */
const SLICE = { rowsMax: 250, pauseMs: 10 } as const

/**
 * Starts to write rate windows to the store and to delete expired rows, a bounded number each second while requests
 * arrive. Returns a function that stops both. After a jump of the wall clock, deletion waits: rows that look expired
 * may be valid once the clock is corrected.
 */
export function startHousekeeping(parts: HousekeepingOptions): () => void {
  const { limiter, writes } = parts
  const steadyTime = createSteadyTime({ ...parts, holdMs: LIMITS.claimLifeMaxMs })
  let isOver = false
  const turns = { ...parts, isOver: () => isOver }
  const flush = createSlicedWork(turns, 'flush', FLUSH.rowsMax, limiter.flush)
  const sweepRows = createSlicedWork(turns, 'sweep', SWEEP.rowsMax, (rowsMax, nowMs) =>
    sweepStore(parts, nowMs, rowsMax),
  )
  function sweep(): void {
    const nowMs = steadyTime()
    if (nowMs === null) return
    writes.sweep(nowMs)
    sweepRows(nowMs)
  }
  const stops = [
    repeatWhileInUse('gateway', FLUSH.everyMs, () => flush(0)),
    repeatWhileInUse('gateway', SWEEP.everyMs, sweep),
  ]
  const { reconcile } = limiter
  const reconciling = reconcile && every('gateway', VALKEY_LIMITS.reconcileEveryMs, reconcile)
  return () => {
    isOver = true
    if (reconciling) clearInterval(reconciling)
    for (const stop of stops) stop()
  }
}

/** Deletes rows that have expired by the steady time. Returns their number. Spending expires by the venue's clock. */
async function sweepStore(
  { clock, venueClock, store }: HousekeepingOptions,
  nowMs: number,
  rowsMax: number,
): Promise<number> {
  const jumpedMs = clock.nowMs() - nowMs
  const swept = await store.sweep(nowMs, rowsMax)
  return swept + (await store.spending.prune(venueClock.nowMs() - jumpedMs, rowsMax))
}

type Turns = Pick<HousekeepingOptions, 'log' | 'meter'> & { readonly isOver: () => boolean }
/** Processes at most `rowsMax` rows. Returns the number of processed rows. */
type Work = (rowsMax: number, nowMs: number) => number | Promise<number>

/**
 * Returns a function that does the work in slices of a few rows, until no rows are left or `rowsMax` rows are done. A
 * call during the work is ignored. A failed slice is retried at the next call, because no request depends on the work.
 */
function createSlicedWork(
  { log, meter, isOver }: Turns,
  what: string,
  rowsMax: number,
  work: Work,
) {
  const durations = meter.histogram('prepd_housekeeping_duration_seconds', what)
  const failures = meter.counter('prepd_housekeeping_failures_total', what)
  let isUnderWay = false

  function turn(leftRows: number, nowMs: number): void {
    const startedMs = meter.elapsedMs()
    const ended = (rows: number) => {
      // Remaining rows keep the housekeeping active.
      if (rows > 0) markInUse()
      durations.observe((meter.elapsedMs() - startedMs) / 1000)
      isUnderWay = rows > 0 && leftRows > SLICE.rowsMax
      if (!isUnderWay) return
      const next = () => isOver() || turn(leftRows - SLICE.rowsMax, nowMs)
      after('gateway', SLICE.pauseMs, next).unref()
    }
    const failed = (error: unknown) => {
      failures.add()
      log.error('housekeeping_failed', { what, ...errorFields(error) })
      ended(0)
    }
    try {
      const done = work(SLICE.rowsMax, nowMs)
      if (typeof done === 'number') ended(done)
      else done.then(ended, failed)
    } catch (error) {
      failed(error)
    }
  }

  return (nowMs: number): void => {
    if (isUnderWay) return
    isUnderWay = true
    turn(rowsMax, nowMs)
  }
}

/** The log fields of an error: its name, and PostgreSQL's cause. Other messages are left out, since they may quote a caller. */
function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: 'unknown' }
  const { name, message } = error.cause instanceof Error ? error.cause : error
  return name === 'PostgresError' ? { error: name, cause: message } : { error: name }
}
