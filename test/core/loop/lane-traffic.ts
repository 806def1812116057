import { createLanes, type Lane, type LaneLimits } from '../../../src/core/loop/lanes.ts'
import { UpstreamError } from '../../../src/core/ports.ts'

export const WIDTHS = { concurrentMax: 4, writeReserved: 1, queuedMax: { read: 3, write: 2 } }
export type Queue = Lane | 'reducing'
export const LONG_MS = 60_000

/** Lets every promise that can settle do so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Enters a lane and reports what became of it, in the order it happened. */
export function traffic(widths: Omit<LaneLimits, 'elapsedMs'> = WIDTHS) {
  let nowMs = 0
  const lanes = createLanes(
    'upstream',
    { ...widths, elapsedMs: () => nowMs },
    () => new UpstreamError('saturated', false),
  )
  const inside: {
    readonly name: string
    readonly lane: Queue
    readonly leave: () => void
  }[] = []
  const refused: string[] = []

  function enter(lane: Queue, name = '', deadlineMs = LONG_MS, owner?: string): Promise<void> {
    return lanes.enter({ queue: lane, owner }, deadlineMs).then(
      (leave) => void inside.push({ name, lane, leave }),
      (error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error
        refused.push(`${name} ${error.fault} ${error.sent}`)
      },
    )
  }
  /** Calls that take so long each, one after another. */
  async function pass(lane: Lane, tookMs: number, count: number): Promise<void> {
    for (let call = 0; call < count; call += 1) {
      const leave = await lanes.enter({ queue: lane }, LONG_MS)
      nowMs += tookMs
      leave()
    }
  }
  return { enter, inside, refused, pass, load: lanes.load }
}
