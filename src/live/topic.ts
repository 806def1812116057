import { STREAM_LIMITS } from '../contract/stream/limits.ts'
import type { StreamMessageType } from '../contract/stream/messages.ts'
import type { Clock } from '../core/ports.ts'
import type { Frame } from '../gateway/scrub/frame.ts'
import type { Scrub } from '../gateway/scrub/scrub.ts'
import type { EventIds } from './event-ids.ts'
import type { TopicChange } from './projections/projection.ts'
import type { Publish } from './sink.ts'

/** The source of a topic's state. */
export type TopicSource = {
  /** Number of times the state was built; 0 before the first. A new number begins a new epoch. */
  readonly generation: () => number
  readonly snapshot: () => unknown
  readonly drainDelta: () => TopicChange | undefined
  /** Since when data has been missing; null while data arrives. */
  readonly lostAtMs: () => number | null
  /** Rebuilds the state after an error that makes it unreliable. */
  readonly reset: (error: unknown) => void
  readonly close: () => void
}

/**
 * The position from which a caller resumes: a message of an epoch (`epoch`, `seq`), or the number of a message among
 * all messages of the hub (`place`). Null: without a position.
 */
export type Since =
  | { readonly epoch: string; readonly seq: number }
  | { readonly place: number }
  | null

/** The dependencies that the hub gives to each of its topics. */
export type TopicOptions = {
  readonly scrub: Scrub
  readonly clock: Clock
  /** The venue's clock. Messages carry its time. */
  readonly venueClock: Clock
  readonly publish: Publish
  readonly eventIds: EventIds
}

/** The first messages for a caller: the missed messages, or a snapshot. */
export type FirstMessages = { readonly missed: readonly Kept[] } | { readonly whole: Frame }

/**
 * One topic: its epoch, its messages in order, and the catch-up for a new subscriber. An error resets only this topic.
 */
export type Topic = {
  /** Sends due messages. `isDue` is false between the topic's publication times; then no changes are sent. */
  readonly turn: (isDue: boolean) => void
  /** Whether a catch-up is available. */
  readonly isReady: () => boolean
  /** The catch-up for a subscriber; null if creating it fails, which resets the topic. */
  readonly catchUp: (since: Since) => FirstMessages | null
  /** Sends a message at once. */
  readonly emit: (type: StreamMessageType, data: unknown) => void
  readonly close: () => void
}

/** A requested topic, with the function that opens it and the group of its subscribers. */
export type HeldTopic = {
  readonly topic: string
  readonly group: string
  readonly intervalMs: number
  /** Whether a new subscriber triggers a publication before the interval ends. */
  readonly isEarly: boolean
  readonly open: (parts: TopicOptions) => Topic
}

type TopicIdentity = {
  readonly name: string
  /** The group of the topic's subscribers. */
  readonly group: string
  readonly source: TopicSource
  readonly audience: 'public' | 'private'
}

type State = TopicOptions &
  TopicIdentity & {
    readonly ring: Ring
    generation: number
    /** '' before the first epoch. */
    epoch: string
    seq: number
    snapshot: { readonly seq: number; readonly frame: Frame } | null
    staleSentMs: number
  }

/** Creates a topic over its source. `seq` increases by one per message; a new epoch begins with a snapshot. */
export function createTopic(parts: TopicOptions, own: TopicIdentity): Topic {
  const state: State = {
    ...parts,
    ...own,
    ring: createRing(),
    generation: 0,
    epoch: '',
    seq: 0,
    snapshot: null,
    staleSentMs: 0,
  }
  function orReset<Made>(make: () => Made): Made | null {
    try {
      return make()
    } catch (error) {
      state.epoch = ''
      own.source.reset(error)
      return null
    }
  }
  return {
    turn: (isDue) => orReset(() => updateTopic(state, isDue)),
    isReady: () => state.epoch !== '',
    catchUp: (since) =>
      orReset(() => {
        const missed = missedSince(state, since)
        return missed ? { missed } : { whole: snapshotNow(state) }
      }),
    emit: (type, data) => orReset(() => emit(state, type, data)),
    close: own.source.close,
  }
}

function updateTopic(state: State, isDue: boolean): void {
  const { source } = state
  if (source.generation() !== state.generation) {
    begin(state)
    return
  }
  if (state.epoch === '') return
  emitStale(state)
  const change = isDue ? source.drainDelta() : undefined
  if (change) emit(state, change.type, change.data)
}

function begin(state: State): void {
  const { source, eventIds, ring } = state
  state.generation = source.generation()
  state.epoch = eventIds.epoch()
  state.seq = 0
  state.snapshot = null
  ring.clear()
  // Discards pending changes, which the snapshot contains.
  source.drainDelta()
  emit(state, openingType(state), source.snapshot())
}

function emit(state: State, type: StreamMessageType, data: unknown): void {
  const { group, eventIds, ring, publish, clock } = state
  state.seq += 1
  const frame = topicFrame(state, type, data)
  const { place, id } = eventIds.next()
  ring.push({ seq: state.seq, place, atMs: clock.nowMs(), frame })
  publish(group, frame, id)
}

function emitStale(state: State): void {
  const lostAtMs = state.source.lostAtMs()
  if (lostAtMs === null) return
  const nowMs = state.clock.nowMs()
  if (nowMs - Math.max(lostAtMs, state.staleSentMs) < STREAM_LIMITS.staleMs) return
  state.staleSentMs = nowMs
  emit(state, 'stale', { ageMs: nowMs - lostAtMs })
}

function snapshotNow(state: State): Frame {
  if (state.snapshot?.seq !== state.seq) {
    const frame = topicFrame(state, openingType(state), state.source.snapshot())
    state.snapshot = { seq: state.seq, frame }
  }
  return state.snapshot.frame
}

function missedSince({ ring, epoch }: State, since: Since): readonly Kept[] | null {
  if (since === null) return null
  if ('place' in since) return ring.afterPlace(since.place)
  return since.epoch === epoch ? ring.after(since.seq) : null
}

function openingType({ audience }: State): 'snapshot' | 'resync' {
  return audience === 'public' ? 'snapshot' : 'resync'
}

function topicFrame(state: State, type: StreamMessageType, data: unknown): Frame {
  const { scrub, venueClock, name, epoch, seq, audience } = state
  const head = { topic: name, type, epoch, seq, ts: venueClock.nowMs() }
  const policy = name === 'status' ? ({ audience, prose: name } as const) : { audience }
  return scrub.frame(head, data ?? null, policy)
}

/**
 * One message of a topic. `place` counts the messages of the whole hub, `seq` the messages of the topic in its epoch.
 */
type Kept = {
  readonly seq: number
  readonly place: number
  readonly atMs: number
  readonly frame: Frame
}

/** The last messages of a topic's epoch, for clients that reconnect soon. */
type Ring = {
  readonly push: (kept: Kept) => void
  /** The messages after a message of this epoch; null if some were evicted. */
  readonly after: (seq: number) => readonly Kept[] | null
  /** The messages after a number of the hub; null if some were evicted. */
  readonly afterPlace: (place: number) => readonly Kept[] | null
  readonly clear: () => void
}

const { ringMessages, ringMs, ringBytes } = STREAM_LIMITS

/** A ring bounded in messages, age and characters. */
function createRing(): Ring {
  let kept: Kept[] = []
  let chars = 0
  let droppedPlace = 0

  function dropOldest(): void {
    const oldest = kept.shift()
    if (!oldest) return
    chars -= oldest.frame.text.length
    droppedPlace = oldest.place
  }

  return {
    push: (entry) => {
      kept.push(entry)
      chars += entry.frame.text.length
      while (exceedsRing(kept, chars, entry.atMs)) dropOldest()
    },
    after: (seq) => {
      const first = kept[0]?.seq
      const last = kept.at(-1)?.seq
      if (first === undefined || last === undefined || seq < first - 1 || seq > last) return null
      return kept.filter((entry) => entry.seq > seq)
    },
    afterPlace: (place) =>
      place < droppedPlace || kept.length === 0
        ? null
        : kept.filter((entry) => entry.place > place),
    clear: () => {
      kept = []
      chars = 0
      droppedPlace = 0
    },
  }
}

function exceedsRing(kept: readonly Kept[], chars: number, nowMs: number): boolean {
  const oldestMs = kept[0]?.atMs ?? nowMs
  return kept.length > ringMessages || chars > ringBytes || nowMs - oldestMs > ringMs
}
