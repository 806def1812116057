import { UpstreamError, type UpstreamRequest } from '../core/ports.ts'
import { createDurations, type Durations } from './durations.ts'
import { createWaitingLine, type WaitingLine } from './waiting-line.ts'

export type Lane = UpstreamRequest['lane']

export type LaneWidths = {
  /** Most calls in flight, reads and writes together. */
  readonly concurrentMax: number
  /** Slots among them that no read may take. */
  readonly writeReserved: number
  /** Most calls waiting for a slot, each lane: what they may take of memory. */
  readonly queuedMax: Readonly<Record<Lane, number>>
  /** Monotonic milliseconds. */
  readonly elapsedMs: () => number
}

/** Calls of one lane: how many are under way, and how many wait for a slot. */
export type LaneLoad = { readonly inFlight: number; readonly queued: number }

export type Lanes = {
  /** A slot that is free now and that nobody waits for: the function that gives it back; null where there is none. */
  readonly take: (lane: Lane) => (() => void) | null
  /**
   * Waits for a slot, first come first served within its lane; answers the function that gives the slot back. Throws
   * UpstreamError `saturated` (not sent) once no slot can come in time for a call that is to be over in `deadlineMs`:
   * at once where that is certain, or the queue full.
   */
  readonly enter: (lane: Lane, deadlineMs: number) => Promise<() => void>
  readonly load: (lane: Lane) => LaneLoad
}

/** Counts calls in flight so that reads, however many and however slow, always leave writes their share. */
export function createLanes(widths: LaneWidths): Lanes {
  const { concurrentMax, writeReserved, queuedMax, elapsedMs } = widths
  const lanes = { read: openLane(concurrentMax - writeReserved), write: openLane(concurrentMax) }

  function hasRoom({ inFlight, width }: OneLane): boolean {
    return lanes.read.inFlight + lanes.write.inFlight < concurrentMax && inFlight < width
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

  // One slot was freed, so at most one call can move up: a write if any waits, otherwise a read.
  function admitNext(): void {
    const next = lanes.write.line.size() > 0 ? lanes.write : lanes.read
    if (hasRoom(next)) next.line.admitFirst()
  }

  function take(name: Lane): (() => void) | null {
    const lane = lanes[name]
    return lane.line.size() === 0 && hasRoom(lane) ? slotOf(lane) : null
  }

  async function enter(name: Lane, deadlineMs: number): Promise<() => void> {
    const lane = lanes[name]
    const free = take(name)
    if (free) return free
    const queued = lane.line.size()
    const waitMaxMs = deadlineMs - leftMs(name, lane, deadlineMs)
    if (queued >= queuedMax[name] || leastWaitMs(lane) > waitMaxMs) {
      throw new UpstreamError('saturated', false)
    }
    return lane.line.wait(waitMaxMs, () => slotOf(lane))
  }

  return {
    take,
    enter,
    load: (name) => ({ inFlight: lanes[name].inFlight, queued: lanes[name].line.size() }),
  }
}

type OneLane = {
  /** Most of its calls in flight. */
  readonly width: number
  readonly line: WaitingLine
  readonly took: Durations
  inFlight: number
}

function openLane(width: number): OneLane {
  return { width, line: createWaitingLine(), took: createDurations(), inFlight: 0 }
}

/** What a call that had to wait has left of its deadline, until it is known how long calls take; a write always. */
const LEFT_SHARE = 0.5

// Whoever gets a slot is to have its answer, even if it comes as slowly as the slowest of late. A write that goes out
// too late for its answer has an outcome that nobody knows: it is left half its time.
function leftMs(name: Lane, { took }: OneLane, deadlineMs: number): number {
  const shareMs = deadlineMs * LEFT_SHARE
  return name === 'write' ? shareMs : Math.min(shareMs, took.slowestMs())
}

// Whoever stands behind so many widths waits for as many calls one after another, each as fast as the fastest of late.
function leastWaitMs({ line, width, took }: OneLane): number {
  return Math.floor(line.size() / width) * took.fastestMs()
}
