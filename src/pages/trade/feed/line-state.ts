import { type Signal, signal } from '@preact/signals'
import { ApiFailure } from '../../common/api.ts'
import type { Exact } from '../../common/exact-json.ts'
import type { Budget } from './budget.ts'
import { type FeedTopic, NO_READING, type TopicAnswer, type TopicReading } from './feed.ts'
import type { BrowserWindows } from './windows.ts'

export type PollingEnvironment = {
  readonly budget: Budget
  readonly windows: BrowserWindows
  readonly nowMs: () => number
  readonly isHidden: () => boolean
  readonly after: (ms: number, work: () => void) => () => void
}

const BACKOFF_MAX_MS = 15_000
/** Delay of a read, so that several changes lead to one read. */
export const NOTICE_MS = 100
/** Polling interval for topics that live messages update, to correct missed changes. */
const CHECKED_EVERY_MS = 45_000
/** Maximum duration of a read. Every answer includes rows that are older than this. */
const RECENT_MAX_MS = 30_000

type RecentRows = { readonly topic: string; readonly rows: readonly Exact[]; readonly atMs: number }
type Waiting = { readonly sinceMs: number; readonly settle: (data: Exact | null) => void }

/** The state of a polled topic, the first argument of all functions on it. */
export type LineState = PollingEnvironment & {
  readonly topic: FeedTopic
  readonly reading: Signal<TopicReading>
  /** The polling interval: the shortest interval of all watchers. */
  everyMs: number
  cancel: () => void
  /** The time of the next read; Infinity if no read is due. */
  dueAtMs: number
  isStopped: boolean
  isLoading: boolean
  setbacks: number
  /** The last answer. `beganMs`: the time of the request. */
  read: Exact | null
  beganMs: number
  /** An answer counts as new only if it was requested at this time or later. */
  wantedMs: number
  /** The last answer that another window has read. */
  shared: TopicAnswer | null
  /** Live rows since the start of the current read. */
  recent: readonly RecentRows[]
  waiting: readonly Waiting[]
  pushed: Exact | null
  isLive: boolean
}

/** The state of a topic before its first read. */
export function newState(topic: FeedTopic, parts: PollingEnvironment): LineState {
  const { first } = topic
  return {
    ...parts,
    topic,
    everyMs: topic.everyMs,
    reading: signal(first ? { ...NO_READING, ...first } : NO_READING),
    cancel: () => undefined,
    dueAtMs: Number.POSITIVE_INFINITY,
    isStopped: false,
    isLoading: false,
    setbacks: 0,
    read: first?.data ?? null,
    beganMs: 0,
    wantedMs: 0,
    shared: null,
    recent: [],
    waiting: [],
    pushed: null,
    isLive: false,
  }
}

export function schedule(state: LineState, ms: number): void {
  state.cancel()
  state.dueAtMs = state.nowMs() + ms
  if (!state.isStopped && ms < Number.POSITIVE_INFINITY)
    state.cancel = state.after(ms, () => readTopicNow(state))
}

export function readTopicNow(state: LineState): void {
  const { isStopped, isLoading, topic, budget, waiting } = state
  if (isStopped || isLoading || (state.isHidden() && waiting.length === 0)) return
  const waitMs = budget.waitMs(topic.policy, state.nowMs())
  if (waitMs > 0) schedule(state, waitMs)
  else void load(state)
}

async function load(state: LineState): Promise<void> {
  state.isLoading = true
  state.cancel()
  const sinceMs = Math.max(state.wantedMs, state.beganMs + 1)
  try {
    takeAnswer(state, await answered(state, sinceMs))
  } catch (error) {
    handleReadFailure(state, error instanceof ApiFailure ? error : new ApiFailure('internal'))
  }
  state.isLoading = false
  scheduleNext(state)
}

/** Reads the topic now, or takes an answer that another window has requested since `sinceMs`. */
function answered(state: LineState, sinceMs: number): Promise<TopicAnswer> {
  const { topic, windows, nowMs } = state
  const ask = async (): Promise<TopicAnswer> => {
    const beganMs = nowMs()
    return { data: await topic.load(), beganMs }
  }
  if (!topic.isShared) return ask()
  return windows.alone(topic.name, async () => {
    const { shared } = state
    if (shared && shared.beganMs >= sinceMs) return shared
    const answer = await ask()
    windows.publish(topic.name, answer)
    return answer
  })
}

export function takeAnswer(state: LineState, { data, beganMs }: TopicAnswer): void {
  state.beganMs = beganMs
  state.setbacks = 0
  const { topic, recent, nowMs } = state
  state.recent = recent.filter(({ atMs }) => atMs >= beganMs && nowMs() - atMs < RECENT_MAX_MS)
  state.read = state.recent.reduce<Exact>(
    (read, { topic: name, rows }) => topic.live?.patched?.(read, name, rows)?.data ?? read,
    data,
  )
  showReading(state)
  settleWaiting(state, state.read)
}

/** Resolves waiting callers: with an answer, the callers for whom the answer is new enough; with null, all callers. */
export function settleWaiting(state: LineState, data: Exact | null): void {
  const isDone = ({ sinceMs }: Waiting) => data === null || sinceMs <= state.beganMs
  const done = state.waiting.filter(isDone)
  state.waiting = state.waiting.filter((each) => !isDone(each))
  for (const each of done) each.settle(data)
}

export function showReading({ topic, reading, read, pushed, isLive, nowMs }: LineState): void {
  const { joined } = topic.live ?? {}
  const data = pushed === null ? read : (joined?.(read, pushed) ?? pushed)
  reading.value = { data, atMs: nowMs(), failure: null, isLive }
}

function handleReadFailure(state: LineState, failure: ApiFailure): void {
  const { topic, reading, budget, nowMs } = state
  state.setbacks += 1
  reading.value = { ...reading.peek(), failure }
  const { retryAfterSeconds } = failure
  if (retryAfterSeconds !== null) budget.pause(topic.policy, nowMs() + retryAfterSeconds * 1000)
  settleWaiting(state, null)
}

export function scheduleNext(state: LineState): void {
  const isBehind = state.setbacks === 0 && state.beganMs < state.wantedMs
  schedule(state, isBehind ? NOTICE_MS : nextMs(state))
}

/** The delay until the next poll in ms; Infinity while live data is pushed. */
export function nextMs({ everyMs, setbacks, isLive, pushed, reading }: LineState): number {
  if (setbacks > 0) {
    // If the server named a retry time, `run` waits for it, even for a rarely polled topic.
    const hasWait = reading.peek().failure?.retryAfterSeconds != null
    return Math.min(Math.max(hasWait ? 0 : everyMs, 1000) * 2 ** (setbacks - 1), BACKOFF_MAX_MS)
  }
  if (pushed !== null) return Number.POSITIVE_INFINITY
  return isLive ? Math.max(everyMs, CHECKED_EVERY_MS) : everyMs
}
