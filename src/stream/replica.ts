import { Failure } from '../core/failure.ts'
import type { FeedMessage, FeedSink } from '../core/feed.ts'
import { type Log, UpstreamError } from '../core/ports.ts'
import { STREAM_LIMITS } from '../spec/stream/limits.ts'
import type { Recipe, RecipeParts } from './recipe.ts'
import type { Source } from './topic.ts'

type Parts = Pick<RecipeParts, 'feed' | 'clock'> & {
  readonly topic: string
  readonly recipe: Recipe
  readonly log: Log
}

type State = Parts & {
  /** Topics of the venue that are subscribed at the moment. */
  readonly open: Set<string>
  generation: number
  lostAtMs: number | null
  /** What came while the whole is being read; null once it has been. */
  buffer: FeedMessage[] | null
  /** Counts the reads, so that one that was overtaken is not taken for the last. */
  attempt: number
  retryMs: number
  retry: Timer | undefined
  isClosed: boolean
}

const RETRY_MS = { min: 250, max: 15_000 } as const

/**
 * Keeps a recipe's state: subscribes, then reads the whole by request, then applies what came meanwhile and since. A
 * message that does not follow, and a connection that was lost, begin anew. Reads that fail are tried again.
 */
export function createReplica(parts: Parts): Source {
  const { recipe, feed, clock } = parts
  const state: State = {
    ...parts,
    open: new Set(),
    generation: 0,
    lostAtMs: clock.nowMs(),
    buffer: [],
    attempt: 0,
    retryMs: RETRY_MS.min,
    retry: undefined,
    isClosed: false,
  }
  const ends = recipe.topics.map((name) => feed.subscribe(name, sinkOf(state, name)))
  const refresher = recipe.refresh && setInterval(() => refresh(state), recipe.refresh.everyMs)
  refresher?.unref()
  return {
    generation: () => state.generation,
    whole: recipe.whole,
    take: () => (state.buffer ? undefined : recipe.take()),
    lostAtMs: () => state.lostAtMs,
    close: () => {
      state.isClosed = true
      suspend(state)
      clearInterval(refresher)
      for (const end of ends) end()
    },
  }
}

function sinkOf(state: State, name: string): FeedSink {
  const { open, recipe, clock } = state
  return {
    message: (message) => receive(state, message),
    opened: () => {
      open.add(name)
      if (open.size === recipe.topics.length) begin(state)
    },
    lost: () => {
      open.delete(name)
      state.lostAtMs ??= clock.nowMs()
      suspend(state)
    },
  }
}

function receive(state: State, message: FeedMessage): void {
  const { buffer, recipe, log, topic } = state
  if (buffer) {
    buffer.push(message)
    if (buffer.length > STREAM_LIMITS.feedBufferedMessages) buffer.shift()
  } else if (!recipe.apply(message)) {
    log.info('stream_gap', { topic })
    begin(state)
  }
}

function suspend(state: State): void {
  state.attempt += 1
  state.buffer = []
  clearTimeout(state.retry)
}

function begin(state: State): void {
  suspend(state)
  load(state, state.attempt).catch((error: unknown) => {
    // A bug of ours in one topic must not take the others along.
    const name = error instanceof Error ? error.name : typeof error
    state.log.error('stream_topic_failed', { topic: state.topic, error: name })
  })
}

async function load(state: State, attempt: number): Promise<void> {
  const isCurrent = () => attempt === state.attempt && !state.isClosed
  try {
    await state.recipe.load()
    if (!isCurrent()) return
    const missed = state.buffer ?? []
    state.buffer = null
    if (!missed.every(state.recipe.apply)) throw new RangeError('gap')
    state.generation += 1
    state.retryMs = RETRY_MS.min
    state.lostAtMs = null
  } catch (error) {
    if (isCurrent()) retry(state, error)
  }
}

function retry(state: State, error: unknown): void {
  const isExpected =
    error instanceof Failure || error instanceof UpstreamError || error instanceof RangeError
  if (!isExpected) throw error
  state.lostAtMs ??= state.clock.nowMs()
  state.buffer = []
  state.retry = setTimeout(() => begin(state), state.retryMs)
  state.retryMs = Math.min(state.retryMs * 2, RETRY_MS.max)
}

function refresh({ buffer, recipe, isClosed }: State): void {
  // What could not be read again is read the next time; until then it is as old as it is.
  if (!buffer && !isClosed) recipe.refresh?.run().catch(() => undefined)
}
