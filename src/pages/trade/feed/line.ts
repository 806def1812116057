import type { Exact } from '../../common/exact-json.ts'
import type { FeedTopic, TopicAnswer } from './feed.ts'
import {
  type LineState,
  NOTICE_MS,
  newState,
  nextMs,
  type PollingEnvironment,
  readTopicNow,
  schedule,
  scheduleNext,
  settleWaiting,
  showReading,
  takeAnswer,
} from './line-state.ts'

export type TopicLine = ReturnType<typeof createTopicLine>

/** Creates a topic that is polled unless live data is pushed to it. It is idle until `start`. */
export function createTopicLine(topic: FeedTopic, parts: PollingEnvironment) {
  const state = newState(topic, parts)
  return {
    topic,
    reading: state.reading,
    /** Reads now, or once the known answer is as old as the polling interval. */
    start: () => start(state),
    /** Reads as soon as the rate limits allow. Only an answer that is requested after this call counts. */
    run: () => {
      state.wantedMs = state.nowMs()
      readTopicNow(state)
    },
    /** Reads after a short delay. */
    want: () => readSoon(state),
    /** Polls at least at this interval from now on, and at once if the last answer is older. */
    speedUp: (everyMs: number) => speedUp(state, everyMs),
    /** Forgets past failures, and reads now unless the last answer is newer than the polling interval. */
    wake: () => {
      state.setbacks = 0
      const isOld = state.nowMs() - state.beganMs >= state.everyMs
      if (isOld || state.beganMs < state.wantedMs) readTopicNow(state)
      else schedule(state, state.everyMs)
    },
    /** An answer requested at `sinceMs` or later, even while the page is hidden; null if the read fails. */
    latest: (sinceMs: number) => latest(state, sinceMs),
    /** Shows rows that are newer than the last answer. */
    patch: (name: string, rows: readonly Exact[]) => void patch(state, name, rows),
    /** Takes an answer that another window has read. */
    receive: (answer: TopicAnswer) => receive(state, answer),
    /** Shows live data; polling stops until `release`. */
    push: (pushed: Exact) => push(state, pushed),
    /** Marks that live messages report changes; the topic is polled rarely until `release`. */
    follow: () => {
      state.isLive = true
    },
    /** Takes a live message. Without rows, or with rows that are only a part of the change, triggers a read. */
    notice: (name: string, rows: readonly Exact[] | null) => {
      state.isLive = true
      if (rows === null || !patch(state, name, rows)) readSoon(state)
    },
    /** Live data has ended; `atMs` is the time of the shown data. Polling starts again. */
    release: (atMs: number) => release(state, atMs),
    stop: () => {
      state.isStopped = true
      state.cancel()
      settleWaiting(state, null)
    },
  }
}

function start(state: LineState): void {
  const { topic, nowMs } = state
  const ageMs = topic.first ? Math.abs(nowMs() - topic.first.atMs) : topic.everyMs
  // A cached document or a wrong clock makes the known answer's age unusable, so the topic is read now. The read is
  // scheduled for right after the first paint, which an earlier read would delay.
  schedule(state, ageMs < topic.everyMs ? topic.everyMs - ageMs : 0)
}

function speedUp(state: LineState, everyMs: number): void {
  if (everyMs >= state.everyMs) return
  state.everyMs = everyMs
  readWithin(state, Math.max(0, state.beganMs + nextMs(state) - state.nowMs()))
}

/** Reads after a short delay. Only an answer that is requested after this call counts. */
function readSoon(state: LineState): void {
  state.wantedMs = state.nowMs()
  readWithin(state, NOTICE_MS)
}

/** Brings the next read forward to within `ms`, unless a read is running or the topic waits after a failure. */
function readWithin(state: LineState, ms: number): void {
  const { isLoading, setbacks, nowMs, dueAtMs } = state
  if (!isLoading && setbacks === 0 && nowMs() + ms < dueAtMs) schedule(state, ms)
}

function receive(state: LineState, answer: TopicAnswer): void {
  state.shared = answer
  if (state.isLoading || answer.beganMs <= state.beganMs) return
  takeAnswer(state, answer)
  scheduleNext(state)
}

function latest(state: LineState, sinceMs: number): Promise<Exact | null> {
  if (state.beganMs >= sinceMs) return Promise.resolve(state.read)
  return new Promise((resolve) => {
    state.waiting = [...state.waiting, { sinceMs, settle: resolve }]
    state.wantedMs = Math.max(state.wantedMs, sinceMs)
    readTopicNow(state)
  })
}

/** Merges live rows into the last answer. Returns whether they contain every change. */
function patch(state: LineState, topic: string, rows: readonly Exact[]): boolean {
  const patched = state.topic.live?.patched
  if (!patched || state.read === null) return false
  const { data, isAll } = patched(state.read, topic, rows)
  state.recent = [...state.recent, { topic, rows, atMs: state.nowMs() }]
  state.read = data
  showReading(state)
  return isAll
}

function push(state: LineState, pushed: Exact): void {
  const { topic, read } = state
  const isFirst = state.pushed === null
  state.pushed = pushed
  state.isLive = true
  if (isFirst && (!topic.live?.joined || read !== null)) {
    state.cancel()
    state.setbacks = 0
  }
  showReading(state)
}

function release(state: LineState, atMs: number): void {
  const { reading, isLive } = state
  if (!isLive) return
  const shown = reading.peek()
  state.isLive = false
  state.pushed = null
  // The shown data includes live data; the next answer replaces all of it.
  state.read = shown.data
  reading.value = { ...shown, isLive: false, atMs: Math.max(shown.atMs, atMs) }
  state.wantedMs = state.nowMs()
  readTopicNow(state)
}
