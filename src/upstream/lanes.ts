import { UpstreamError, type UpstreamRequest } from '../core/ports.ts'

export type Lane = UpstreamRequest['lane']

export type LaneWidths = {
  /** Most calls in flight, reads and writes together. */
  readonly concurrentMax: number
  /** Slots among them that no read may take. */
  readonly writeReserved: number
  /** Most calls waiting for a slot, each lane. */
  readonly queuedMax: Readonly<Record<Lane, number>>
}

/** Calls of one lane: how many are under way, and how many wait for a slot. */
export type LaneLoad = { readonly inFlight: number; readonly queued: number }

export type Lanes = {
  /**
   * Waits for a slot, first come first served within its lane; answers the function that gives the slot back.
   * Throws UpstreamError `saturated` (not sent) when the queue is full or `waitMaxMs` have passed.
   */
  readonly enter: (lane: Lane, waitMaxMs: number) => Promise<() => void>
  readonly load: (lane: Lane) => LaneLoad
}

/** Counts calls in flight so that reads, however many and however slow, always leave writes their share. */
export function createLanes({ concurrentMax, writeReserved, queuedMax }: LaneWidths): Lanes {
  const inFlight: Record<Lane, number> = { read: 0, write: 0 }
  const waiting: Record<Lane, Set<() => void>> = { read: new Set(), write: new Set() }
  const readMax = concurrentMax - writeReserved

  function hasRoom(lane: Lane): boolean {
    if (inFlight.read + inFlight.write >= concurrentMax) return false
    return lane === 'write' || inFlight.read < readMax
  }

  function take(lane: Lane): () => void {
    inFlight[lane] += 1
    return () => {
      inFlight[lane] -= 1
      admitNext()
    }
  }

  // One slot was freed, so at most one call can move up: a write if any waits, otherwise a read.
  function admitNext(): void {
    const lane = waiting.write.size > 0 ? 'write' : 'read'
    const [first] = waiting[lane]
    if (first && hasRoom(lane)) first()
  }

  function queue(lane: Lane, waitMaxMs: number): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const giveUp = setTimeout(() => {
      waiting[lane].delete(admit)
      reject(new UpstreamError('saturated', false))
    }, waitMaxMs)
    function admit(): void {
      clearTimeout(giveUp)
      waiting[lane].delete(admit)
      resolve(take(lane))
    }
    waiting[lane].add(admit)
    return promise
  }

  async function enter(lane: Lane, waitMaxMs: number): Promise<() => void> {
    if (waiting[lane].size === 0 && hasRoom(lane)) return take(lane)
    if (waiting[lane].size >= queuedMax[lane]) throw new UpstreamError('saturated', false)
    return queue(lane, waitMaxMs)
  }

  return {
    enter,
    load: (lane) => ({ inFlight: inFlight[lane], queued: waiting[lane].size }),
  }
}
