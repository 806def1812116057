import type { Clock } from '../../core/ports.ts'
import { CONSOLE_LIMITS } from '../../spec/console/figures.ts'
import type { Recorder } from './recorder.ts'

/** Measures how late timers run, and ends the recorder's periods, until it is stopped. */
export function startSampler(recorder: Recorder, stopwatch: Clock): () => void {
  const { loopProbeMs, sampleEveryMs } = CONSOLE_LIMITS
  let [dueMs, worstMs] = [stopwatch.nowMs() + loopProbeMs, 0]
  const probe = setInterval(() => {
    const nowMs = stopwatch.nowMs()
    worstMs = Math.max(worstMs, nowMs - dueMs)
    dueMs = nowMs + loopProbeMs
  }, loopProbeMs)
  const sample = setInterval(() => {
    recorder.sample(worstMs, process.memoryUsage.rss())
    worstMs = 0
  }, sampleEveryMs)
  for (const timer of [probe, sample]) timer.unref()
  return () => {
    clearInterval(probe)
    clearInterval(sample)
  }
}
