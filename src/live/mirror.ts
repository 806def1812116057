import { STREAM_LIMITS } from '../contract/stream/limits.ts'
import type { ResetCause, StreamName } from '../contract/stream/topics.ts'
import { Failure } from '../core/failure.ts'
import type { FeedMessage, FeedSink } from '../core/feed.ts'
import { crashFields } from '../core/log.ts'
import { after, detached, every } from '../core/loop/guarded.ts'
import type { Meter } from '../core/observing/meter.ts'
import { type Log, UpstreamError } from '../core/ports.ts'
import { MalformedMessage } from '../upstream/wire/live-messages.ts'
import type { Projection, ProjectionSources } from './projections/projection.ts'
import type { TopicSource } from './topic.ts'

type MirrorOptions = Pick<ProjectionSources, 'feed' | 'clock'> & {
  readonly projection: Projection
  readonly faults: TopicFaults
}

type State = MirrorOptions & {
  /** Currently subscribed topics of the venue. */
  readonly open: Set<string>
  generation: number
  lostAtMs: number | null
  /** Messages that arrive during the read of the whole state; null after the read. */
  buffer: FeedMessage[] | null
  /** Number of the latest read. Results of earlier reads are ignored. */
  attempt: number
  /** The delay before the next read: after a failed read, and after an error in the state. */
  retryMs: number
  resetMs: number
  /** The time of the last error in the state. */
  resetAtMs: number
  retry: Timer | undefined
  isClosed: boolean
}

const RETRY_MS = { min: 250, max: 15_000 } as const

/**
 * Keeps a projection's state: subscribes, reads the whole state, then applies the messages since the read began. After
 * a lost connection, an unexpected error, or an out-of-sequence or malformed message, the mirror begins again. Failed
 * reads are retried with a delay that doubles up to 15 s.
 */
export function createMirror(parts: MirrorOptions): TopicSource {
  const { projection, feed, clock } = parts
  const state: State = {
    ...parts,
    open: new Set(),
    generation: 0,
    lostAtMs: clock.nowMs(),
    buffer: [],
    attempt: 0,
    retryMs: RETRY_MS.min,
    resetMs: RETRY_MS.min,
    resetAtMs: 0,
    retry: undefined,
    isClosed: false,
  }
  const ends = projection.topics.map((name) => feed.subscribe(name, mirrorSink(state, name)))
  const refresher =
    projection.refresh && every('stream', projection.refresh.everyMs, () => refresh(state))
  return {
    generation: () => state.generation,
    snapshot: projection.snapshot,
    drainDelta: () => (state.buffer ? undefined : projection.drainDelta()),
    lostAtMs: () => state.lostAtMs,
    reset: (error) => reset(state, error),
    close: () => {
      state.isClosed = true
      suspend(state)
      clearInterval(refresher)
      for (const end of ends) end()
    },
  }
}

function mirrorSink(state: State, name: string): FeedSink {
  const { open, projection, clock } = state
  return {
    message: (message) => receive(state, message),
    opened: () => {
      open.add(name)
      if (open.size === projection.topics.length) begin(state)
    },
    lost: () => {
      open.delete(name)
      state.lostAtMs ??= clock.nowMs()
      suspend(state)
    },
  }
}

function receive(state: State, message: FeedMessage): void {
  const { buffer, projection, faults } = state
  if (buffer) {
    buffer.push(message)
    if (buffer.length > STREAM_LIMITS.feedBufferedMessages) buffer.shift()
    return
  }
  try {
    if (projection.apply(message)) return
  } catch (error) {
    reset(state, error)
    return
  }
  faults.reset()
  begin(state)
}

/** Counts an error that makes the state unreliable, and reads the whole state again after a delay. */
function reset(state: State, error: unknown): void {
  if (state.isClosed) return
  state.faults.reset(error)
  const nowMs = state.clock.nowMs()
  // Only time resets the delay. After a successful read, the next message may again be malformed.
  const isLongAgo = nowMs - state.resetAtMs > 2 * RETRY_MS.max
  const waitMs = isLongAgo ? RETRY_MS.min : state.resetMs
  state.resetAtMs = nowMs
  state.resetMs = doubledWaitMs(waitMs)
  scheduleBegin(state, waitMs)
}

function suspend(state: State): void {
  state.attempt += 1
  state.buffer = []
  clearTimeout(state.retry)
}

function begin(state: State): void {
  suspend(state)
  detached('stream', load(state, state.attempt))
}

/** Reads the whole state and applies buffered messages. Never rejects. */
async function load(state: State, attempt: number): Promise<void> {
  const isCurrent = () => attempt === state.attempt && !state.isClosed
  try {
    await state.projection.load()
    if (!isCurrent()) return
    const missed = state.buffer ?? []
    if (!missed.every(state.projection.apply)) throw new RangeError('gap')
    state.buffer = null
    state.generation += 1
    state.retryMs = RETRY_MS.min
    state.lostAtMs = null
  } catch (error) {
    if (!isCurrent()) return
    if (isExpected(error)) retry(state)
    else reset(state, error)
  }
}

function isExpected(error: unknown): boolean {
  return error instanceof Failure || error instanceof UpstreamError || error instanceof RangeError
}

function retry(state: State): void {
  scheduleBegin(state, state.retryMs)
  state.retryMs = doubledWaitMs(state.retryMs)
}

function scheduleBegin(state: State, waitMs: number): void {
  suspend(state)
  state.lostAtMs ??= state.clock.nowMs()
  state.retry = after('stream', waitMs, () => {
    // Without all subscriptions the read waits; the last subscription starts it.
    if (state.open.size === state.projection.topics.length) begin(state)
  })
}

function doubledWaitMs(waitMs: number): number {
  return Math.min(waitMs * 2, RETRY_MS.max)
}

// A failed refresh is repeated at the next interval; until then the state keeps its age.
function refresh(state: State): void {
  const { buffer, projection, isClosed } = state
  if (buffer || isClosed) return
  projection.refresh?.run().catch((error: unknown) => {
    if (!isExpected(error)) reset(state, error)
  })
}

/** Counts the faults of one live topic. */
type TopicFaults = {
  /** The number of rows that were dropped as malformed. */
  readonly dropped: (rows: number) => void
  /** Counts a restart because of an error; without an error, because of an out-of-sequence message. */
  readonly reset: (error?: unknown) => void
}

export type FaultsByTopic = (name: StreamName) => TopicFaults

/** Counts the faults of each topic, and logs every reset. */
export function createFaults(meter: Pick<Meter, 'counter'>, log: Log): FaultsByTopic {
  return (topic) => ({
    dropped: meter.counter('prepd_stream_rows_dropped_total', topic).add,
    reset: (error) => {
      const cause = resetCause(error)
      meter.counter('prepd_stream_resets_total', topic, cause).add()
      const level = cause === 'unexpected' ? 'error' : 'warn'
      log[level]('stream_reset', { topic, cause, ...(error !== undefined && crashFields(error)) })
    },
  })
}

function resetCause(error: unknown): ResetCause {
  if (error === undefined) return 'gap'
  return error instanceof MalformedMessage ? 'malformed' : 'unexpected'
}
