import type { ConsoleFigures, Minute, Sample } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { repeatWhileInUse } from '../../core/loop/idle-timers.ts'
import type { Clock } from '../../core/ports.ts'
import { createFailures, type Failures, pushBounded } from './failures.ts'
import {
  countInto,
  createMinuteSum,
  createMinutes,
  createOperationTally,
  createTally,
  newDurations,
  type PublicAnswer,
  percentile,
} from './tally.ts'

type Part = 'operations' | 'refusals' | 'writes' | 'upstream' | 'errors' | 'codes' | 'samples'

/** Counts what the operator's console shows, in bounded memory. */
export type Recorder = {
  readonly answered: (answer: PublicAnswer) => void
  /** Counts a relayed write by its outcome. */
  readonly written: (outcome: string) => void
  /** Counts a call to the venue. `fault` is null if it succeeded. */
  readonly called: (tookMs: number, fault: string | null) => void
  /** Ends the current sampling period and keeps its sample. */
  readonly sample: (loopDelayMs: number, residentBytes: number) => void
  /** Returns the sums since the previous call as one row that covers `spanMs`, and begins the next row. */
  readonly minute: (spanMs: number) => Minute
  readonly failures: Pick<Failures, 'ofCode' | 'faults'>
  /** All figures, with the samples that are newer than a time. */
  readonly figures: (sinceMs: number) => Pick<ConsoleFigures, Part>
}

/** Creates an empty recorder. Names come from fixed tables, so memory is bounded. */
export function createRecorder(clock: Clock): Recorder {
  const [operations, upstream] = [createOperationTally(), createMinutes()]
  const minute = createMinuteSum(clock)
  const [refusals, writes, faults] = [createTally(), createTally(), createTally()]
  const failures = createFailures(clock)
  const samples: Sample[] = []
  const period = { requests: 0, failed: 0, histogram: newDurations() }
  // Reading the clock costs more than counting a hot read, so hot reads use the time at which the period began.
  let periodFromMs = clock.nowMs()
  let calls = 0

  function answered(answer: PublicAnswer): void {
    const { operation, code, tookMs, refusedBy, requestId } = answer
    const nowMs = requestId === null ? periodFromMs : clock.nowMs()
    operations.add(answer, nowMs)
    if (refusedBy !== null) refusals.bump(refusedBy)
    period.requests += 1
    countInto(period.histogram, tookMs)
    if (code === null) return
    period.failed += 1
    failures.add({ atMs: nowMs, code, operation, requestId: requestId ?? '' })
  }

  function called(tookMs: number, fault: string | null): void {
    calls += 1
    upstream.add(tookMs, clock.nowMs())
    if (fault !== null) faults.bump(fault)
  }

  function sample(loopDelayMs: number, residentBytes: number): void {
    const { requests, failed, histogram } = period
    const p99Ms = rounded(percentile(histogram, 0.99) ?? 0)
    periodFromMs = clock.nowMs()
    const measured = [p99Ms, rounded(loopDelayMs), residentBytes] as const
    const row = [periodFromMs, requests, failed, ...measured] as const
    pushBounded(samples, row, CONSOLE_LIMITS.samplesMax)
    minute.add(row, histogram)
    Object.assign(period, { requests: 0, failed: 0 })
    histogram.fill(0)
  }

  function figures(sinceMs: number): ReturnType<Recorder['figures']> {
    const nowMs = clock.nowMs()
    return {
      operations: operations.figures(nowMs),
      refusals: refusals.counts(),
      writes: writes.counts(),
      upstream: { total: calls, faults: faults.counts(), ...upstream.latency(nowMs) },
      errors: failures.newest(),
      codes: failures.counts(),
      samples: samples.filter(([atMs]) => atMs > sinceMs),
    }
  }

  return { answered, written: writes.bump, called, sample, failures, figures, minute: minute.end }
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100
}

/**
 * Starts a timer that ends the recorder's periods and measures how late timers run. Returns a function that stops the
 * timer.
 */
export function startSampler(
  recorder: Recorder,
  stopwatch: Clock,
  sampled: () => void,
): () => void {
  const { loopProbeMs, sampleEveryMs } = CONSOLE_LIMITS
  let [dueMs, worstMs] = [stopwatch.nowMs() + loopProbeMs, 0]
  let residentBytes = 0
  const stopProbe = repeatWhileInUse('http', loopProbeMs, (nextMs) => {
    const nowMs = stopwatch.nowMs()
    worstMs = Math.max(worstMs, nowMs - dueMs)
    dueMs = nowMs + nextMs
  })
  const stopSampling = repeatWhileInUse('http', sampleEveryMs, () => {
    residentBytes = residentNow() ?? residentBytes
    recorder.sample(worstMs, residentBytes)
    worstMs = 0
    sampled()
  })
  return () => {
    stopProbe()
    stopSampling()
  }
}

/** Resident memory in bytes; null if no file descriptor is free for reading it. */
function residentNow(): number | null {
  try {
    return process.memoryUsage.rss()
  } catch (error) {
    reportUnexpected('http', error, 'system')
    return null
  }
}
