import { type Signal, signal } from '@preact/signals'
import { ApiFailure } from '../../shared/api.ts'
import type { Budget } from './budget.ts'
import { type Feed, NO_READING, type Reading, type Topic, type Watch } from './feed.ts'

type Parts = {
  readonly budget: Budget
  readonly nowMs: () => number
  readonly isHidden: () => boolean
  readonly after: (ms: number, work: () => void) => () => void
}

type Line = {
  readonly topic: Topic
  readonly reading: Signal<Reading>
  watchers: number
  setbacks: number
  isLoading: boolean
  isDue: boolean
  cancel: () => void
}

const BACKOFF_MAX_MS = 15_000

/** A feed that asks again and again: within the rate limits, slower after failures, and not at all while nobody looks. */
export function createPolling(parts: Parts): Feed & { readonly wake: () => void } {
  const lines = new Map<string, Line>()

  function schedule(line: Line, ms: number): void {
    line.cancel()
    line.cancel = parts.after(ms, () => run(line))
  }

  function run(line: Line): void {
    if (line.isLoading) {
      line.isDue = true
      return
    }
    if (line.watchers === 0 || parts.isHidden()) return
    const waitMs = parts.budget.waitMs(line.topic.policy, parts.nowMs())
    if (waitMs > 0) schedule(line, waitMs)
    else load(line)
  }

  function load(line: Line): void {
    line.isLoading = true
    line.isDue = false
    line.topic
      .load()
      .then(
        (data) => {
          line.setbacks = 0
          line.reading.value = { data, atMs: parts.nowMs(), failure: null }
        },
        (error: unknown) => setback(line, error),
      )
      .finally(() => {
        line.isLoading = false
        schedule(line, line.isDue ? 0 : nextMs(line))
      })
  }

  function setback(line: Line, error: unknown): void {
    const failure = error instanceof ApiFailure ? error : new ApiFailure('internal', 0, '')
    line.setbacks += 1
    line.reading.value = { ...line.reading.peek(), failure }
    const { retryAfterSeconds } = failure
    if (retryAfterSeconds !== null) {
      parts.budget.pause(line.topic.policy, parts.nowMs() + retryAfterSeconds * 1000)
    }
  }

  function nextMs({ topic, setbacks }: Line): number {
    const calm = topic.everyMs * parts.budget.stretch(topic.policy)
    return setbacks === 0 ? calm : Math.min(Math.max(calm, 1000) * 2 ** (setbacks - 1), BACKOFF_MAX_MS)
  }

  function watch(topic: Topic): Watch {
    const line = lines.get(topic.name) ?? open(topic)
    lines.set(topic.name, line)
    line.watchers += 1
    let watching = true
    if (line.watchers === 1) run(line)
    return {
      reading: line.reading,
      refresh: () => run(line),
      stop: () => {
        if (!watching) return
        watching = false
        line.watchers -= 1
        if (line.watchers > 0) return
        line.cancel()
        lines.delete(topic.name)
      },
    }
  }

  const matching = (prefix: string) =>
    [...lines.values()].filter(({ topic }) => topic.name.startsWith(prefix))
  return {
    watch,
    refresh: (prefix) => {
      for (const line of matching(prefix)) run(line)
    },
    wake: () => {
      for (const line of lines.values()) {
        line.setbacks = 0
        run(line)
      }
    },
  }
}

function open(topic: Topic): Line {
  return {
    topic,
    reading: signal(NO_READING),
    watchers: 0,
    setbacks: 0,
    isLoading: false,
    isDue: false,
    cancel: () => undefined,
  }
}
