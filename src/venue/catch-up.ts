import { turn } from '../core/loop/guarded.ts'
import type { Clock } from '../core/ports.ts'
import { MINUTE_MS } from '../spec/durations.ts'
import type { VenueState } from './exchange/state.ts'

/** Advances the simulation to the venue's time in pieces, between which the thread answers other requests. */
export type CatchUp = {
  /**
   * Settles when the simulation is at the venue's time; null when it is there already. Builds it on the first call.
   * Throws or rejects with the simulation's error; the next call tries again.
   */
  readonly ready: () => Promise<void> | null
  /** Whether a catch-up is running. */
  readonly isBehind: () => boolean
}

type CatchUpParts = {
  readonly exchange: VenueState
  readonly clock: Clock
  /** Called when the simulation has reached the venue's time. */
  readonly arrived: () => void
  /** Receives errors of a catch-up, also without a waiting caller. */
  readonly failed: (error: unknown) => void
}

/** The simulated time of one piece: some ten milliseconds of work, the longest delay for other requests. */
const PIECE_MS = MINUTE_MS

export function createCatchUp({ exchange, clock, arrived, failed }: CatchUpParts): CatchUp {
  let under: Promise<void> | null = null

  /** Advances by one piece. Returns whether the simulation has reached the venue's time. */
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
