import { after } from '../core/loop/guarded.ts'
import { UpstreamError, type UpstreamRequest } from '../core/ports.ts'

export type Lane = UpstreamRequest['lane']

/** Where a call waits: cancels are writes that wait behind cancels only. */
type Queue = Lane | 'cancel'

export type LaneLimits = {
  /** Most calls in flight that are no cancels, reads and writes together; cancels use what is free of it. Bun's own client queues silently above 256. */
  readonly concurrentMax: number
  /** Slots among them that no read may take. */
  readonly writeReserved: number
  /** Slots beyond these for cancels alone, so that none waits behind orders that hang; 0 when absent. */
  readonly cancelReserved?: number
  /** Most calls waiting for a slot, each lane, which bounds their memory. */
  readonly queuedMax: Readonly<Record<Lane, number>>
  /** Monotonic milliseconds. */
  readonly elapsedMs: () => number
}

/** Calls of one lane: how many are under way, and how many wait for a slot. */
export type LaneLoad = { readonly inFlight: number; readonly queued: number }

export type Lanes = {
  /** A slot that is free now and that nobody waits for: the function that gives it back; null where there is none. */
  readonly take: (queue: Queue) => (() => void) | null
  /**
   * Waits for a slot, first come first served within its queue; answers the function that gives the slot back. Throws
   * UpstreamError `saturated` (not sent) once no slot can come in time for a call that is to be over in `deadlineMs`:
   * at once where that is certain, or the queue full.
   */
  readonly enter: (queue: Queue, deadlineMs: number) => Promise<() => void>
  /** Cancels count as writes. */
  readonly load: (lane: Lane) => LaneLoad
}

/**
 * Counts calls in flight so that reads, however many and however slow, always leave writes their share, and neither
 * takes that of cancels.
 */
export function createLanes(widths: LaneLimits): Lanes {
  const { concurrentMax, writeReserved, cancelReserved = 0, queuedMax, elapsedMs } = widths
  const lanes = {
    read: openLane(concurrentMax - writeReserved),
    write: openLane(concurrentMax),
    cancel: openLane(concurrentMax + cancelReserved),
  }

  function hasRoom(lane: OneLane): boolean {
    const { read, write, cancel } = lanes
    if (lane === cancel && cancel.inFlight < cancelReserved) return true
    const ownOfCancels = Math.min(cancel.inFlight, cancelReserved)
    const shared = read.inFlight + write.inFlight + cancel.inFlight - ownOfCancels
    return shared < concurrentMax && lane.inFlight < lane.width
  }

  function slotOf(lane: OneLane): () => void {
    const startedMs = elapsedMs()
    lane.inFlight += 1
    return () => {
      lane.inFlight -= 1
      lane.took.note(elapsedMs() - startedMs)
      admitNext()
    }
  }

  // One slot was freed, so at most one call can move up: a cancel if any waits, then a write, otherwise a read.
  function admitNext(): void {
    const waits = ({ line }: OneLane) => line.size() > 0
    const next = [lanes.cancel, lanes.write].find(waits) ?? lanes.read
    if (hasRoom(next)) next.line.admitFirst()
  }

  function take(name: Queue): (() => void) | null {
    const lane = lanes[name]
    return lane.line.size() === 0 && hasRoom(lane) ? slotOf(lane) : null
  }

  async function enter(name: Queue, deadlineMs: number): Promise<() => void> {
    const lane = lanes[name]
    const free = take(name)
    if (free) return free
    const queued = lane.line.size()
    const waitMaxMs = deadlineMs - leftMs(name, lane, deadlineMs)
    if (queued >= queuedMax[name === 'cancel' ? 'write' : name] || leastWaitMs(lane) > waitMaxMs) {
      throw new UpstreamError('saturated', false)
    }
    return lane.line.wait(waitMaxMs, () => slotOf(lane))
  }

  return {
    take,
    enter,
    load: (name) => toLoad(name === 'read' ? [lanes.read] : [lanes.write, lanes.cancel]),
  }
}

type OneLane = {
  /** Most of its calls in flight. */
  readonly width: number
  readonly line: WaitingLine
  readonly took: Durations
  inFlight: number
}

function toLoad(lanes: readonly OneLane[]): LaneLoad {
  const sumOf = (count: (lane: OneLane) => number) =>
    lanes.reduce((sum, lane) => sum + count(lane), 0)
  return { inFlight: sumOf(({ inFlight }) => inFlight), queued: sumOf(({ line }) => line.size()) }
}

function openLane(width: number): OneLane {
  return { width, line: createWaitingLine(), took: createDurations(), inFlight: 0 }
}

/** What a call that had to wait has left of its deadline, until it is known how long calls take; a write always. */
const LEFT_SHARE = 0.5

// Whoever gets a slot is to have its answer, even if it comes as slowly as the slowest of late. A write that goes out
// too late for its answer has an outcome that nobody knows: it is left half its time.
function leftMs(name: Queue, { took }: OneLane, deadlineMs: number): number {
  const shareMs = deadlineMs * LEFT_SHARE
  return name === 'read' ? Math.min(shareMs, took.slowestMs()) : shareMs
}

// Whoever stands behind so many widths waits for as many calls one after another, each as fast as the fastest of late.
function leastWaitMs({ line, width, took }: OneLane): number {
  return Math.floor(line.size() / width) * took.fastestMs()
}

/** Calls that wait for a slot, first come first served. */
type WaitingLine = {
  readonly size: () => number
  /**
   * Waits to be the first and admitted; answers what `admit` then answers, at once. Throws UpstreamError `saturated`
   * (not sent) when `waitMaxMs` have passed.
   */
  readonly wait: <Slot>(waitMaxMs: number, admit: () => Slot) => Promise<Slot>
  /** Admits the first, if any waits. */
  readonly admitFirst: () => void
}

function createWaitingLine(): WaitingLine {
  const waiting = new Set<() => void>()

  function wait<Slot>(waitMaxMs: number, admit: () => Slot): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const giveUp = after('upstream', waitMaxMs, () => {
      waiting.delete(enter)
      reject(new UpstreamError('saturated', false))
    })
    function enter(): void {
      clearTimeout(giveUp)
      waiting.delete(enter)
      resolve(admit())
    }
    waiting.add(enter)
    return promise
  }

  function admitFirst(): void {
    const [first] = waiting
    first?.()
  }

  return { size: () => waiting.size, wait, admitFirst }
}

/** How long the last calls took. */
type Durations = {
  readonly note: (tookMs: number) => void
  /** Of the fastest of them; 0 before the first. */
  readonly fastestMs: () => number
  /** Of the slowest of them; Infinity before the first. */
  readonly slowestMs: () => number
}

/** So many calls are looked back on: more than one stall of the loop slows down. */
const REMEMBERED = 512

function createDurations(): Durations {
  const last: number[] = []
  let next = 0
  return {
    note: (tookMs) => {
      last[next] = tookMs
      next = (next + 1) % REMEMBERED
    },
    fastestMs: () => (last.length === 0 ? 0 : Math.min(...last)),
    slowestMs: () => (last.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...last)),
  }
}
