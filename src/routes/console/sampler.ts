import { every, expected } from '../../core/loop/guarded.ts'
import type { Clock } from '../../core/ports.ts'
import { CONSOLE_LIMITS } from '../../spec/console/figures.ts'
import type { Recorder } from './recorder.ts'

/** Measures how late timers run, and ends the recorder's periods, until it is stopped. */
export function startSampler(recorder: Recorder, stopwatch: Clock): () => void {
  const { loopProbeMs, sampleEveryMs } = CONSOLE_LIMITS
  let [dueMs, worstMs] = [stopwatch.nowMs() + loopProbeMs, 0]
  let residentBytes = 0
  const probe = every('http', loopProbeMs, () => {
    const nowMs = stopwatch.nowMs()
    worstMs = Math.max(worstMs, nowMs - dueMs)
    dueMs = nowMs + loopProbeMs
  })
  const sample = every('http', sampleEveryMs, () => {
    residentBytes = residentNow() ?? residentBytes
    recorder.sample(worstMs, residentBytes)
    worstMs = 0
  })
  return () => {
    clearInterval(probe)
    clearInterval(sample)
  }
}

/** Null where no file descriptor is left to read it with. */
function residentNow(): number | null {
  try {
    return process.memoryUsage.rss()
  } catch (error) {
    expected('http', error, 'system')
    return null
  }
}
