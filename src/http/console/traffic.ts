import type { InstanceRow, Minute } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { MINUTE_MS } from '../../contract/durations.ts'
import { Failure } from '../../core/failure.ts'
import { expected } from '../../core/loop/guarded.ts'
import { everyInUse } from '../../core/loop/rest.ts'
import type { TrafficStore } from '../../core/traffic.ts'
import { pushBounded } from './failures.ts'
import type { Recorder } from './recorder.ts'

type Parts = {
  readonly store: TrafficStore
  readonly recorder: Pick<Recorder, 'minute'>
  readonly monotonicMs: () => number
  /** This instance as it is now. */
  readonly instance: () => InstanceRow
  /** Takes note of a row that the store did not take. */
  readonly failed: () => void
}

/**
 * Stores a row of the last day each minute, until it is stopped; then what is left of the minute. Rows that the store
 * cannot take wait in memory.
 */
export function keepTraffic({ store, recorder, monotonicMs, instance, failed }: Parts) {
  const pending: Minute[] = []
  let startedAtMs = monotonicMs()
  let isUnderWay = false

  const refused = (error: unknown) => {
    failed()
    expected('http', error, Failure)
  }

  async function keep(): Promise<void> {
    const nowMs = monotonicMs()
    const spanMs = Math.round(nowMs - startedAtMs)
    pushBounded(pending, recorder.minute(spanMs), CONSOLE_LIMITS.trafficPendingMax)
    startedAtMs = nowMs
    await store.add(instance(), pending)
    pending.length = 0
  }

  /** Does nothing before the minute is over: at rest it is called more often. */
  async function tick(): Promise<void> {
    if (isUnderWay || monotonicMs() - startedAtMs < MINUTE_MS) return
    isUnderWay = true
    await keep().catch(refused)
    isUnderWay = false
  }

  // A new instance is in the list at once.
  void store.add(instance(), []).catch(refused)
  const stopTimer = everyInUse('http', CONSOLE_LIMITS.sampleEveryMs, tick)
  return {
    tick,
    stop: async (): Promise<void> => {
      stopTimer()
      await keep().catch(refused)
      await store.leave(instance().name).catch(refused)
    },
  }
}
