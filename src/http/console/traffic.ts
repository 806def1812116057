import type { InstanceRow, Minute } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { MINUTE_MS } from '../../contract/durations.ts'
import { Failure } from '../../core/failure.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { repeatWhileInUse } from '../../core/loop/idle-timers.ts'
import type { TrafficStore } from '../../core/traffic.ts'
import { pushBounded } from './failures.ts'
import type { Recorder } from './recorder.ts'

type TrafficOptions = {
  readonly store: TrafficStore
  readonly recorder: Pick<Recorder, 'minute'>
  readonly monotonicMs: () => number
  /** The current state of this instance. */
  readonly instance: () => InstanceRow
  /** Called when a row could not be stored. */
  readonly failed: () => void
}

/**
 * Stores one row per minute for the last day, and at the stop a row for the rest of the minute. Rows wait in bounded
 * memory while the store fails.
 */
export function keepTraffic({ store, recorder, monotonicMs, instance, failed }: TrafficOptions) {
  const pending: Minute[] = []
  let startedAtMs = monotonicMs()
  let isUnderWay = false

  const refused = (error: unknown) => {
    failed()
    reportUnexpected('http', error, Failure)
  }

  async function keep(): Promise<void> {
    const nowMs = monotonicMs()
    const spanMs = Math.round(nowMs - startedAtMs)
    pushBounded(pending, recorder.minute(spanMs), CONSOLE_LIMITS.trafficPendingMax)
    startedAtMs = nowMs
    await store.add(instance(), pending)
    pending.length = 0
  }

  /** Stores a row if a minute has passed since the last row. The timer calls this function more often. */
  async function tick(): Promise<void> {
    if (isUnderWay || monotonicMs() - startedAtMs < MINUTE_MS) return
    isUnderWay = true
    await keep().catch(refused)
    isUnderWay = false
  }

  // Registers this instance at once instead of after the first minute.
  void store.add(instance(), []).catch(refused)
  const stopTimer = repeatWhileInUse('http', CONSOLE_LIMITS.sampleEveryMs, tick)
  return {
    tick,
    stop: async (): Promise<void> => {
      stopTimer()
      await keep().catch(refused)
      await store.leave(instance().name).catch(refused)
    },
  }
}
