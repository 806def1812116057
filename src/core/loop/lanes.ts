import type { ProcessPart } from '../../contract/operator/process.ts'
import type { UpstreamRequest } from '../ports.ts'
import { createWaitingLine, type WaitingLine } from './waiting-line.ts'

export type Lane = UpstreamRequest['lane']

/** The queue of a call. Writes that only cancel or reduce have their own queue. */
type Queue = Lane | 'reducing'

/** The limits of the lanes. They are read at each use and may change; after an increase, call `admit`. */
export type LaneLimits = {
  /**
   * Maximum number of calls in flight, reads and writes together, plus `reducingReserved` for reductions. Bun's HTTP
   * client queues silently above 256.
   */
  readonly concurrentMax: number
  /** The slots of `concurrentMax` that are reserved for writes. */
  readonly writeReserved: number
  /** Additional slots for writes that only cancel or reduce, so that they never wait behind hanging orders. Default: 0. */
  readonly reducingReserved?: number
  /** The number of slots that may exist later, for estimating the shortest wait. Default: the current number. */
  readonly growsTo?: number
  /** An owner may hold at most 1/shares of the free slots, but always one. Absent: no limit per owner. */
  readonly shares?: number
  /**
   * The fraction of the deadline that a call must have left after waiting: for writes always, for reads until call
   * durations are known. Default: 0.5.
   */
  readonly answerShare?: number
  /** Maximum number of calls that wait for a slot, per lane. The maximum bounds the memory of waiting calls. */
  readonly queuedMax: Readonly<Record<Lane, number>>
  /** Monotonic milliseconds. */
  readonly elapsedMs: () => number
}

/** The numbers of one lane's calls that are in flight and that wait for a slot. */
export type LaneLoad = { readonly inFlight: number; readonly queued: number }

/** A call that needs a slot. A call without an owner is the service's own, and has no share limit. */
export type SlotRequest = { readonly queue: Queue; readonly owner?: string | undefined }

export type Lanes = {
  /** Takes a free slot within the owner's share. Returns the function that releases it; null if there is no such slot. */
  readonly take: (asking: SlotRequest) => (() => void) | null
  /**
   * Waits for a slot, in turn with other owners. Returns the function that releases it. Throws the error that `refused`
   * makes
   * - as soon as it is certain that no slot becomes free before `deadlineMs`,
   * - at once if the queue is full and this owner already has the most calls in it.
   */
  readonly enter: (asking: SlotRequest, deadlineMs: number) => Promise<() => void>
  /** Admits waiting calls after the number of slots has increased. */
  readonly admit: () => void
  /** The load of a lane; reductions count as writes. */
  readonly load: (lane: Lane) => LaneLoad
}

/**
 * Limits the concurrency of calls so that
 * - reads always leave writes their slots,
 * - reads and writes always leave cancels and reductions their slots,
 * - waiting reductions and other writes take turns in their shared slots, because anyone can send a reduction,
 * - no owner takes more than its share.
 *
 * `refused` makes the error of a call that gets no slot. Errors of timers are reported for `part`.
 */
export function createLanes(part: ProcessPart, widths: LaneLimits, refused: () => Error): Lanes {
  const { shares = 0, queuedMax } = widths
  const open = (width: () => number) => openLane(width, createWaitingLine(part, refused))
  const lanes: AllLanes = {
    read: open(() => widths.concurrentMax - widths.writeReserved),
    write: open(() => widths.concurrentMax),
    reducing: open(() => widths.concurrentMax + (widths.reducingReserved ?? 0)),
  }
  const admitWrite = createWriteTurns(lanes, widths)

  function hasRoom(lane: OneLane, owner = ''): boolean {
    const free = freeSlots(lane, lanes, widths)
    const own = owner === '' ? 0 : (lane.inFlightOf.get(owner) ?? 0)
    return free > 0 && own * shares <= free
  }

  function openSlot(lane: OneLane, owner = ''): () => void {
    const startedMs = widths.elapsedMs()
    addInFlight(lane, owner, 1)
    return () => {
      addInFlight(lane, owner, -1)
      lane.took.note(widths.elapsedMs() - startedMs)
      admitWaiting()
    }
  }

  // An owner without room has calls in flight, so the search skips at most as many owners as there are slots. Calls
  // that still wait afterwards have no room. Therefore a new call with room never overtakes a waiting call that has
  // room.
  function admitWaiting(): void {
    while (admitWrite(admitFirst));
    while (admitFirst(lanes.read));
  }

  function admitFirst(lane: OneLane): boolean {
    return hasRoom(lane) && lane.line.admitFirst((owner) => hasRoom(lane, owner))
  }

  function take({ queue, owner }: SlotRequest): (() => void) | null {
    const lane = lanes[queue]
    return hasRoom(lane, owner) ? openSlot(lane, owner) : null
  }

  async function enter(asking: SlotRequest, deadlineMs: number): Promise<() => void> {
    const free = take(asking)
    if (free) return free
    const { queue, owner = '' } = asking
    const lane = lanes[queue]
    const waitMaxMs = deadlineMs - neededAfterWaitMs(queue, lane, deadlineMs * answerShare(widths))
    const isFull = lane.line.size() >= queuedMax[queue === 'read' ? 'read' : 'write']
    if (leastWaitMs(lane, owner, widths) > waitMaxMs || (isFull && !lane.line.displaceFor(owner)))
      throw refused()
    return lane.line.wait(owner, waitMaxMs, () => openSlot(lane, owner))
  }

  const load: Lanes['load'] = (name) =>
    toLoad(name === 'read' ? [lanes.read] : [lanes.write, lanes.reducing])
  return { take, enter, admit: admitWaiting, load }
}

type AllLanes = Readonly<Record<Queue, OneLane>>

/**
 * Admits the next waiting write with room: in reserved slots a reduction, in shared slots reductions and other writes
 * by turns.
 */
function createWriteTurns({ reducing, write }: AllLanes, widths: LaneLimits) {
  let lastShared = write
  return (admitFirst: (lane: OneLane) => boolean): boolean => {
    const isReserved = reducing.inFlight < (widths.reducingReserved ?? 0)
    const turns = isReserved || lastShared === write ? [reducing, write] : [write, reducing]
    const admitted = turns.find((lane) => admitFirst(lane))
    if (admitted && !isReserved) lastShared = admitted
    return admitted !== undefined
  }
}

function freeSlots(
  lane: OneLane,
  { read, write, reducing }: AllLanes,
  { concurrentMax, reducingReserved = 0 }: LaneLimits,
): number {
  const reservedTaken = Math.min(reducing.inFlight, reducingReserved)
  const taken = read.inFlight + write.inFlight + reducing.inFlight - reservedTaken
  const shared = Math.min(concurrentMax - taken, lane.width() - lane.inFlight)
  return lane === reducing ? shared + reducingReserved - reservedTaken : shared
}

type OneLane = {
  /** Maximum number of the lane's calls in flight. */
  readonly width: () => number
  readonly line: WaitingLine
  readonly took: Durations
  /** The calls in flight per owner; the service's own calls count only in `inFlight`. */
  readonly inFlightOf: Map<string, number>
  inFlight: number
}

function addInFlight(lane: OneLane, owner: string, added: number): void {
  lane.inFlight += added
  if (owner === '') return
  const count = (lane.inFlightOf.get(owner) ?? 0) + added
  if (count > 0) lane.inFlightOf.set(owner, count)
  else lane.inFlightOf.delete(owner)
}

function toLoad(lanes: readonly OneLane[]): LaneLoad {
  const laneTotal = (count: (lane: OneLane) => number) =>
    lanes.reduce((sum, lane) => sum + count(lane), 0)
  return {
    inFlight: laneTotal(({ inFlight }) => inFlight),
    queued: laneTotal(({ line }) => line.size()),
  }
}

function openLane(width: () => number, line: WaitingLine): OneLane {
  return { width, line, took: createDurations(), inFlightOf: new Map(), inFlight: 0 }
}

const answerShare = ({ answerShare: share = 0.5 }: LaneLimits): number => share

// The time that a call needs after its wait. A read needs the duration of the slowest recent call. A write needs its
// share of the deadline, because its outcome would be unknown if the answer came too late.
function neededAfterWaitMs(name: Queue, { took }: OneLane, shareMs: number): number {
  return name === 'read' ? Math.min(shareMs, took.slowestMs()) : shareMs
}

// Lower bound of the wait: (calls admitted before ÷ slots) × the fastest recent call.
function leastWaitMs(
  { line, width, took }: OneLane,
  owner: string,
  { growsTo = 0 }: LaneLimits,
): number {
  return Math.floor(line.ahead(owner) / Math.max(width(), growsTo)) * took.fastestMs()
}

/** The durations of recent calls. */
type Durations = {
  readonly note: (tookMs: number) => void
  /** The shortest recent duration; 0 before the first call. */
  readonly fastestMs: () => number
  /** The longest recent duration; Infinity before the first call. */
  readonly slowestMs: () => number
}

/** Number of remembered durations: more than a single stall of the event loop can distort. */
const DURATIONS_KEPT = 512

function createDurations(): Durations {
  const last: number[] = []
  let next = 0
  return {
    note: (tookMs) => {
      last[next] = tookMs
      next = (next + 1) % DURATIONS_KEPT
    },
    fastestMs: () => (last.length === 0 ? 0 : Math.min(...last)),
    slowestMs: () => (last.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...last)),
  }
}
