import type { ConsoleReason, Sample } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { MINUTE_MS } from '../../contract/durations.ts'
import type { RecentFigures } from '../../operator/notify/conditions.ts'
import type { Judge } from '../../operator/notify/judge.ts'
import type { Recorder } from './recorder.ts'

/** The conditions that hold, worst first. */
export function consoleReasons(
  judge: Pick<Judge, 'look'>,
  nowMs: number,
  missing: string | null,
): readonly ConsoleReason[] {
  return judge
    .look(nowMs, missing)
    .filter(({ holds }) => holds)
    .map(({ condition: { level, title, action, at, tile }, figure }) => {
      return { level, title, figure, action, at, ...(tile && { tile }) }
    })
    .toSorted((a, b) => Number(b.level === 'page') - Number(a.level === 'page'))
}

/** The figures of the recorder for the last minute. */
export function lastMinuteFigures(
  { figures, failures }: Pick<Recorder, 'figures' | 'failures'>,
  nowMs: number,
): RecentFigures {
  const { samples, upstream } = figures(nowMs - MINUTE_MS - 1)
  const sum = (count: (sample: Sample) => number) =>
    samples.reduce((total, sample) => total + count(sample), 0)
  const requests = sum(([, count]) => count)
  const failed = sum(([, , count]) => count)
  return {
    failedShare: requests < CONSOLE_LIMITS.judgedRequestsMin ? null : failed / requests,
    slowestMs: sustainedValue(samples.map(([, , , p99Ms]) => p99Ms)),
    loopDelayMs: sustainedValue(samples.map(([, , , , delayMs]) => delayMs)),
    venueSlowestMs: upstream.p99Ms,
    faults: failures.faults(),
  }
}

/** The value that at least `slowPeriods` of the periods reached; null if there are fewer periods. */
function sustainedValue(values: readonly number[]): number | null {
  return values.toSorted((a, b) => b - a)[CONSOLE_LIMITS.slowPeriods - 1] ?? null
}
