import { UpstreamError, type UpstreamRequest } from '../core/ports.ts'
import { createWaitingLine, type WaitingLine } from './waiting-line.ts'

export type Lane = UpstreamRequest['lane']

/** Where a call waits: writes that only cancel or reduce wait behind each other only. */
type Queue = Lane | 'reducing'

export type LaneLimits = {
  /** Maximum of calls in flight, reads and writes together; those that reduce have `reducingReserved` more. Bun's own client queues silently above 256. */
  readonly concurrentMax: number
  /** Slots among them that no read may take. */
  readonly writeReserved: number
  /** Slots beyond these for writes that only cancel or reduce, so that none waits behind orders that hang; 0 when absent. */
  readonly reducingReserved?: number
  /** An owner may hold at most this part of the slots that are free, and always one; absent: all of them. */
  readonly shares?: number
  /** Maximum of calls that wait for a slot, each lane, which bounds their memory. */
  readonly queuedMax: Readonly<Record<Lane, number>>
  /** Monotonic milliseconds. */
  readonly elapsedMs: () => number
}

/** Calls of one lane: how many are under way, and how many wait for a slot. */
export type LaneLoad = { readonly inFlight: number; readonly queued: number }

/** A call that asks for a slot. Calls without an owner are the service's own, and have no share. */
export type Asking = { readonly queue: Queue; readonly owner?: string | undefined }

export type Lanes = {
  /** A slot that is free now and within the owner's share: the function that gives it back; null where there is none. */
  readonly take: (asking: Asking) => (() => void) | null
  /**
   * Waits for a slot, in turn with other owners; answers the function that gives the slot back. Throws UpstreamError
   * `saturated` (not sent) once no slot can come in time for a call that is to be over in `deadlineMs`: at once where that
   * is certain, or the queue is full and no owner has more calls in it.
   */
  readonly enter: (asking: Asking, deadlineMs: number) => Promise<() => void>
  /** Calls that reduce count as writes. */
  readonly load: (lane: Lane) => LaneLoad
}

/**
 * Counts calls in flight so that reads, however many and however slow, always leave writes their slots, neither takes
 * those of cancels and reductions, and no owner takes the slots of others.
 */
export function createLanes(widths: LaneLimits): Lanes {
  const { concurrentMax, writeReserved, reducingReserved = 0, shares = 0, queuedMax } = widths
  const lanes = {
    read: openLane(concurrentMax - writeReserved),
    write: openLane(concurrentMax),
    reducing: openLane(concurrentMax + reducingReserved),
  }

  function freeSlots(lane: OneLane): number {
    const { read, write, reducing } = lanes
    const reservedTaken = Math.min(reducing.inFlight, reducingReserved)
    const taken = read.inFlight + write.inFlight + reducing.inFlight - reservedTaken
    const shared = Math.min(concurrentMax - taken, lane.width - lane.inFlight)
    return lane === reducing ? shared + reducingReserved - reservedTaken : shared
  }

  function hasRoom(lane: OneLane, owner = ''): boolean {
    const free = freeSlots(lane)
    const own = owner === '' ? 0 : (lane.inFlightOf.get(owner) ?? 0)
    return free > 0 && own * shares <= free
  }

  function openSlot(lane: OneLane, owner = ''): () => void {
    const startedMs = widths.elapsedMs()
    countFor(lane, owner, 1)
    return () => {
      countFor(lane, owner, -1)
      lane.took.note(widths.elapsedMs() - startedMs)
      admitWaiting()
    }
  }

  // A call that still waits after this has no room, so a new call that has room overtakes no call that could go.
  function admitWaiting(): void {
    for (const lane of [lanes.reducing, lanes.write, lanes.read])
      while (freeSlots(lane) > 0 && lane.line.admitFirst((owner) => hasRoom(lane, owner)));
  }

  function take({ queue, owner }: Asking): (() => void) | null {
    const lane = lanes[queue]
    return hasRoom(lane, owner) ? openSlot(lane, owner) : null
  }

  async function enter(asking: Asking, deadlineMs: number): Promise<() => void> {
    const free = take(asking)
    if (free) return free
    const { queue, owner = '' } = asking
    const lane = lanes[queue]
    const waitMaxMs = deadlineMs - leftMs(queue, lane, deadlineMs)
    const isFull = lane.line.size() >= queuedMax[queue === 'read' ? 'read' : 'write']
    if (leastWaitMs(lane, owner) > waitMaxMs || (isFull && !lane.line.displaceFor(owner)))
      throw new UpstreamError('saturated', false)
    return lane.line.wait(owner, waitMaxMs, () => openSlot(lane, owner))
  }

  return {
    take,
    enter,
    load: (name) => toLoad(name === 'read' ? [lanes.read] : [lanes.write, lanes.reducing]),
  }
}

type OneLane = {
  /** Most of its calls in flight. */
  readonly width: number
  readonly line: WaitingLine
  readonly took: Durations
  /** By owner; the service's own calls are in `inFlight` only. */
  readonly inFlightOf: Map<string, number>
  inFlight: number
}

function countFor(lane: OneLane, owner: string, added: number): void {
  lane.inFlight += added
  if (owner === '') return
  const count = (lane.inFlightOf.get(owner) ?? 0) + added
  if (count > 0) lane.inFlightOf.set(owner, count)
  else lane.inFlightOf.delete(owner)
}

function toLoad(lanes: readonly OneLane[]): LaneLoad {
  const sumOf = (count: (lane: OneLane) => number) =>
    lanes.reduce((sum, lane) => sum + count(lane), 0)
  return { inFlight: sumOf(({ inFlight }) => inFlight), queued: sumOf(({ line }) => line.size()) }
}

function openLane(width: number): OneLane {
  const [line, took] = [createWaitingLine(), createDurations()]
  return { width, line, took, inFlightOf: new Map(), inFlight: 0 }
}

/** What a call that had to wait has left of its deadline, until it is known how long calls take; a write always. */
const LEFT_SHARE = 0.5

// A read keeps the time of the slowest recent call for its answer. A write that is sent too late for its answer has an
// unknown outcome: it keeps half its time.
function leftMs(name: Queue, { took }: OneLane, deadlineMs: number): number {
  const shareMs = deadlineMs * LEFT_SHARE
  return name === 'read' ? Math.min(shareMs, took.slowestMs()) : shareMs
}

// Lower bound of the wait: (calls admitted before ÷ slots) × the fastest recent call.
function leastWaitMs({ line, width, took }: OneLane, owner: string): number {
  return Math.floor(line.ahead(owner) / width) * took.fastestMs()
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
