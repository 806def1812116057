import { turn } from '../core/loop/guarded.ts'
import type { Clock } from '../core/ports.ts'
import { MINUTE_MS } from '../spec/durations.ts'
import type { VenueState } from './exchange/state.ts'

/** Lets the world go on to the venue's time in pieces, between which this thread answers what needs no world. */
export type CatchUp = {
  /**
   * Settles when the world is at now; null when it is there. Builds a simulation that nobody has asked for yet. Throws, or
   * rejects, with what went wrong in the world; the next call tries again.
   */
  readonly ready: () => Promise<void> | null
  /** Whether it is under way. */
  readonly isBehind: () => boolean
}

type CatchUpParts = {
  readonly exchange: VenueState
  readonly clock: Clock
  /** The world has come to now. */
  readonly arrived: () => void
  /** Receives an error on the way, whether or not a caller waits. */
  readonly failed: (error: unknown) => void
}

/** So much simulated time takes some ten milliseconds, which is what others wait at most. */
const PIECE_MS = MINUTE_MS

export function createCatchUp({ exchange, clock, arrived, failed }: CatchUpParts): CatchUp {
  let under: Promise<void> | null = null

  /** Goes on by one piece; answers whether the world is at now. */
  function isThere(): boolean {
    const { world } = exchange.simulation().engine
    const nowMs = clock.nowMs()
    exchange.advance(Math.min(nowMs, world.nowMs + PIECE_MS))
    return world.nowMs >= nowMs
  }

  async function goOn(): Promise<void> {
    try {
      do await turn()
      while (!isThere())
    } finally {
      under = null
    }
    arrived()
  }

  return {
    isBehind: () => under !== null,
    ready: () => {
      if (under) return under
      if (isThere()) {
        arrived()
        return null
      }
      under = goOn()
      under.catch(failed)
      return under
    },
  }
}
