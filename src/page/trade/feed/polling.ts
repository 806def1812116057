import { type Signal, signal } from '@preact/signals'
import { ApiFailure } from '../../common/api.ts'
import type { Exact } from '../../common/exact-json.ts'
import type { Budget } from './budget.ts'
import { NO_READING, type Reading, type Topic, type Watch } from './feed.ts'

export type LineParts = {
  readonly budget: Budget
  readonly nowMs: () => number
  readonly isHidden: () => boolean
  readonly after: (ms: number, work: () => void) => () => void
}

const BACKOFF_MAX_MS = 15_000
/** Changes that come together are asked for together. */
const NOTICE_MS = 100
/** What changes without a word is asked for this often all the same. */
const NOTICED_EVERY_MS = 20_000

type State = LineParts & {
  readonly topic: Topic
  readonly reading: Signal<Reading>
  cancel: () => void
  isStopped: boolean
  isLoading: boolean
  isDue: boolean
  setbacks: number
  /** The last answer, and the live data since; null before the first. */
  read: Exact | null
  pushed: Exact | null
  isLive: boolean
}

export type Line = ReturnType<typeof createLine>

/** One topic that is polled, unless live data is pushed to it; at rest until `start`. */
function createLine(topic: Topic, parts: LineParts) {
  const { first } = topic
  const state: State = {
    ...parts,
    topic,
    reading: signal(first ? { ...NO_READING, ...first } : NO_READING),
    cancel: () => undefined,
    isStopped: false,
    isLoading: false,
    isDue: false,
    setbacks: 0,
    read: first?.data ?? null,
    pushed: null,
    isLive: false,
  }
  return {
    topic,
    reading: state.reading,
    /** Asks now, or when what is known has grown as old as it may. */
    start: () => start(state),
    /** Asks now, or when the rate limits next allow; while an answer is awaited, right after it. */
    run: () => run(state),
    /** Asks now, as if nothing had ever gone wrong. */
    wake: () => {
      state.setbacks = 0
      run(state)
    },
    /** Shows live data: nothing is polled until `release`. */
    push: (pushed: Exact) => push(state, pushed),
    /** Something has changed: asks in a moment, and otherwise seldom, until `release`. */
    notice: () => {
      state.isLive = true
      if (state.isLoading) state.isDue = true
      else schedule(state, NOTICE_MS)
    },
    /** Live data has ended: what is shown was true at this time, and is polled again. */
    release: (atMs: number) => release(state, atMs),
    stop: () => {
      state.isStopped = true
      state.cancel()
    },
  }
}

function start(state: State): void {
  const { topic, nowMs } = state
  const ageMs = topic.first ? Math.abs(nowMs() - topic.first.atMs) : topic.everyMs
  // A document that a browser has kept, or a clock that is off: then it is asked for now.
  // Asking costs time before what is known is on the screen: it comes right after.
  schedule(state, ageMs < topic.everyMs ? topic.everyMs - ageMs : 0)
}

function schedule(state: State, ms: number | null): void {
  state.cancel()
  if (!state.isStopped && ms !== null) state.cancel = state.after(ms, () => run(state))
}

function run(state: State): void {
  const { isStopped, isLoading, topic, budget } = state
  state.isDue = isLoading
  if (isStopped || isLoading || state.isHidden()) return
  const waitMs = budget.waitMs(topic.policy, state.nowMs())
  if (waitMs > 0) schedule(state, waitMs)
  else void load(state)
}

async function load(state: State): Promise<void> {
  state.isLoading = true
  try {
    state.read = await state.topic.load()
    state.setbacks = 0
    show(state)
  } catch (error) {
    setback(state, error instanceof ApiFailure ? error : new ApiFailure('internal'))
  }
  state.isLoading = false
  schedule(state, state.isDue ? 0 : nextMs(state))
}

function show({ topic, reading, read, pushed, isLive, nowMs }: State): void {
  const joined = topic.live?.kind === 'data' ? topic.live.joined : undefined
  const data = pushed === null ? read : (joined?.(read, pushed) ?? pushed)
  reading.value = { data, atMs: nowMs(), failure: null, isLive }
}

function setback(state: State, failure: ApiFailure): void {
  const { topic, reading, budget, nowMs } = state
  state.setbacks += 1
  reading.value = { ...reading.peek(), failure }
  const { retryAfterSeconds } = failure
  if (retryAfterSeconds !== null) budget.pause(topic.policy, nowMs() + retryAfterSeconds * 1000)
}

/** When to poll next; null for not at all, because live data is pushed. */
function nextMs({ topic, budget, setbacks, isLive, pushed, reading }: State): number | null {
  const calmMs = topic.everyMs * budget.stretch(topic.policy)
  if (setbacks > 0) {
    // Where the server has said when to come back, `run` waits until then, however seldom the topic is polled.
    const hasWait = reading.peek().failure?.retryAfterSeconds != null
    return Math.min(Math.max(hasWait ? 0 : calmMs, 1000) * 2 ** (setbacks - 1), BACKOFF_MAX_MS)
  }
  if (pushed !== null) return null
  return isLive ? Math.max(calmMs, NOTICED_EVERY_MS) : calmMs
}

function push(state: State, pushed: Exact): void {
  const { topic, read } = state
  const isFirst = state.pushed === null
  state.pushed = pushed
  state.isLive = true
  const isWhole = topic.live?.kind === 'data' && !topic.live.joined
  if (isFirst && (isWhole || read !== null)) {
    state.cancel()
    state.setbacks = 0
  }
  show(state)
}

function release(state: State, atMs: number): void {
  const { reading, isLive } = state
  if (!isLive) return
  const shown = reading.peek()
  state.isLive = false
  state.pushed = null
  // Live data is part of what is shown: the next answer is joined to nothing older.
  state.read = shown.data
  reading.value = { ...shown, isLive: false, atMs: Math.max(shown.atMs, atMs) }
  run(state)
}

/** Live data for lines that would otherwise be polled. */
export type PushSource = {
  readonly follow: (line: Line) => void
  readonly leave: (line: Line) => void
}

/**
 * The only source of data for views. It asks again and again: within the rate limits, slower after failures, and not at all
 * while nobody looks.
 */
export function createPolling(parts: LineParts) {
  const lines = new Map<string, { readonly line: Line; watchers: number }>()
  let source: PushSource | null = null

  function open(topic: Topic) {
    const opened = { line: createLine(topic, parts), watchers: 0 }
    lines.set(topic.name, opened)
    opened.line.start()
    source?.follow(opened.line)
    return opened
  }

  function close({ line }: { readonly line: Line }): void {
    line.stop()
    lines.delete(line.topic.name)
    source?.leave(line)
  }

  /** Follows a topic. Two watchers of one name share what is read. */
  function watch(topic: Topic): Watch {
    const shared = lines.get(topic.name) ?? open(topic)
    const { line } = shared
    shared.watchers += 1
    let isWatching = true
    return {
      reading: line.reading,
      stop: () => {
        if (!isWatching) return
        isWatching = false
        shared.watchers -= 1
        if (shared.watchers === 0) close(shared)
      },
    }
  }

  return {
    watch,
    /** Looks at every topic whose name starts so. */
    refresh: (prefix: string) => {
      for (const [name, { line }] of lines) if (name.startsWith(prefix)) line.run()
    },
    wake: () => {
      for (const { line } of lines.values()) line.wake()
    },
    /** Takes live data from this source from now on; what it does not have is polled. */
    pushFrom: (next: PushSource) => {
      source = next
      for (const { line } of lines.values()) next.follow(line)
    },
  }
}
