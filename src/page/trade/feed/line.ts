import { type Signal, signal } from '@preact/signals'
import { ApiFailure } from '../../common/api.ts'
import type { Budget } from './budget.ts'
import { NO_READING, type Reading, type Topic } from './feed.ts'

export type LineParts = {
  readonly budget: Budget
  readonly nowMs: () => number
  readonly isHidden: () => boolean
  readonly after: (ms: number, work: () => void) => () => void
}

/** One topic that is asked for again and again. */
export type Line = {
  readonly topic: Topic
  readonly reading: Signal<Reading>
  /** Asks now, or when the rate limits next allow; while an answer is awaited, right after it. */
  readonly run: () => void
  /** Asks now, as if nothing had ever gone wrong. */
  readonly wake: () => void
  readonly stop: () => void
}

const BACKOFF_MAX_MS = 15_000

/** A line at rest: `run` starts it. */
export function createLine(topic: Topic, parts: LineParts): Line {
  const reading = signal(NO_READING)
  let cancel: () => void = () => undefined
  let [isStopped, isLoading, isDue, setbacks] = [false, false, false, 0]

  function schedule(ms: number): void {
    cancel()
    if (!isStopped) cancel = parts.after(ms, run)
  }

  function run(): void {
    isDue = isLoading
    if (isStopped || isLoading || parts.isHidden()) return
    const waitMs = parts.budget.waitMs(topic.policy, parts.nowMs())
    if (waitMs > 0) schedule(waitMs)
    else void load()
  }

  async function load(): Promise<void> {
    isLoading = true
    try {
      const data = await topic.load()
      setbacks = 0
      reading.value = { data, atMs: parts.nowMs(), failure: null }
    } catch (error) {
      setback(error instanceof ApiFailure ? error : new ApiFailure('internal', 0, ''))
    }
    isLoading = false
    schedule(isDue ? 0 : nextMs())
  }

  function setback(failure: ApiFailure): void {
    setbacks += 1
    reading.value = { ...reading.peek(), failure }
    const { retryAfterSeconds } = failure
    if (retryAfterSeconds === null) return
    parts.budget.pause(topic.policy, parts.nowMs() + retryAfterSeconds * 1000)
  }

  function nextMs(): number {
    const calmMs = topic.everyMs * parts.budget.stretch(topic.policy)
    if (setbacks === 0) return calmMs
    return Math.min(Math.max(calmMs, 1000) * 2 ** (setbacks - 1), BACKOFF_MAX_MS)
  }

  function wake(): void {
    setbacks = 0
    run()
  }

  function stop(): void {
    isStopped = true
    cancel()
  }

  return { topic, reading, run, wake, stop }
}
