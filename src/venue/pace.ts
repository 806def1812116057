import type { Clock } from '../core/ports.ts'
import { SLICE_MS } from './base/time-budget.ts'
import type { VenueState } from './exchange/state.ts'

/** Lets the world go on to now, a slice at a time: whoever asks something of it waits, and nobody else. */
export type Pace = {
  /**
   * Settles when the world is at now; null when it is there. A world that nobody has asked for is built first, unless
   * `asked` is false. Throws, or rejects, with what went wrong in the world; the next call tries again.
   */
  readonly ready: (asked?: boolean) => Promise<void> | null
  /** Whether it is under way. */
  readonly isBehind: () => boolean
}

export type PaceParts = {
  readonly exchange: VenueState
  readonly clock: Clock
  /** Milliseconds since some moment of this process. */
  readonly monotonicMs: () => number
  /** Lets everybody else have a turn. */
  readonly pause: () => Promise<void>
  /** The world has come to now. */
  readonly arrived: () => void
  /** Called with an error on the way, whether or not a caller waits. */
  readonly failed: (error: unknown) => void
}

export function createPace(parts: PaceParts): Pace {
  const { exchange, clock, monotonicMs, pause, arrived, failed } = parts
  let under: Promise<void> | null = null

  function isThere(toMs: number): boolean {
    const startedMs = monotonicMs()
    const isOver = () => monotonicMs() - startedMs >= SLICE_MS
    return exchange.open(isOver) && exchange.step(toMs, isOver)
  }

  async function goOn(): Promise<void> {
    try {
      do await pause()
      while (!isThere(clock.nowMs()))
    } finally {
      under = null
    }
    arrived()
  }

  return {
    isBehind: () => under !== null,
    ready: (asked = true) => {
      if (under) return under
      if (!asked && !exchange.isOpen()) return null
      // A world that is being stored stands still: that goes on in turns of its own.
      if (!exchange.isSaving() && isThere(clock.nowMs())) {
        arrived()
        if (!exchange.isSaving()) return null
      }
      under = goOn()
      under.catch(failed)
      return under
    },
  }
}
