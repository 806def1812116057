import { VALKEY_LIMITS } from '../contract/engines/valkey.ts'
import { LIMITS } from '../contract/limits.ts'
import { after, every } from '../core/loop/guarded.ts'
import { everyInUse, inUse } from '../core/loop/rest.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Clock, LogFields, Store, World } from '../core/ports.ts'
import type { RateWindows } from './limits/windows.ts'
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
/** The rate at which rows can arrive at most. */
const SWEEP = { everyMs: 1000, rowsMax: 5000 } as const
/** Rows in one turn of the loop, which takes a few milliseconds, and the pause before the next. */
const SLICE = { rowsMax: 250, pauseMs: 10 } as const

/**
 * Writes rate windows behind and deletes expired rows, a bounded part each second in use, until it is stopped. After a
 * jump of the wall clock deletion waits. A row that the new time calls expired may be fresh again when the clock is set
 * back.
 */
export function startHousekeeping(parts: HousekeepingOptions): () => void {
  const { limiter, writes } = parts
  const steadyTime = createSteadyTime({ ...parts, holdMs: LIMITS.claimLifeMaxMs })
  let isOver = false
  const turns = { ...parts, isOver: () => isOver }
  const flush = inTurns(turns, 'flush', FLUSH.rowsMax, limiter.flush)
  const sweepRows = inTurns(turns, 'sweep', SWEEP.rowsMax, (rowsMax, nowMs) =>
    sweepStore(parts, nowMs, rowsMax),
  )
  function sweep(): void {
    const nowMs = steadyTime()
    if (nowMs === null) return
    writes.sweep(nowMs)
    sweepRows(nowMs)
  }
  const stops = [
    everyInUse('gateway', FLUSH.everyMs, () => flush(0)),
    everyInUse('gateway', SWEEP.everyMs, sweep),
  ]
  const { reconcile } = limiter
  const reconciling = reconcile && every('gateway', VALKEY_LIMITS.reconcileEveryMs, reconcile)
  return () => {
    isOver = true
    if (reconciling) clearInterval(reconciling)
    for (const stop of stops) stop()
  }
}

/** Deletes rows that are past at a steady time; returns how many. Spending ends by the venue's clock. */
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
/** Works on at most `rowsMax` rows; returns the number of rows done. */
type Work = (rowsMax: number, nowMs: number) => number | Promise<number>

/**
 * Does the work, a few rows per turn of the loop, until no rows are left or `rowsMax` rows are done. A call during the
 * work is ignored. A failed turn is tried again at the next call: requests do not depend on it.
 */
function inTurns({ log, meter, isOver }: Turns, what: string, rowsMax: number, work: Work) {
  const durations = meter.histogram('prepd_housekeeping_duration_seconds', what)
  const failures = meter.counter('prepd_housekeeping_failures_total', what)
  let isUnderWay = false

  function turn(leftRows: number, nowMs: number): void {
    const startedMs = meter.elapsedMs()
    const ended = (rows: number) => {
      // Rows that are left keep the thread from resting.
      if (rows > 0) inUse()
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

/** The name of an error, and the cause that PostgreSQL gave: other messages may quote a caller's text. */
function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: 'unknown' }
  const { name, message } = error.cause instanceof Error ? error.cause : error
  return name === 'PostgresError' ? { error: name, cause: message } : { error: name }
}
