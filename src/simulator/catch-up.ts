import { MINUTE_MS } from '../contract/durations.ts'
import { yieldToEventLoop } from '../core/loop/guarded.ts'
import type { EntityStore } from '../core/ports.ts'
import { beginSlice } from './control/advance.ts'
import type { Engine } from './engine/engine.ts'
import type { VenueState } from './exchange/state.ts'
import type { VenueTime } from './time.ts'

/** Advances the simulation to the venue's time in pieces. Between pieces the thread answers other requests. */
export type CatchUp = {
  /**
   * Resolves when the simulation is at the venue's time; null if it is there already. The first call builds the
   * simulation. Throws or rejects with the simulation's error. After an error, the next call tries again.
   */
  readonly ready: () => Promise<void> | null
  /** Whether a catch-up is running. */
  readonly isBehind: () => boolean
}

type CatchUpOptions = {
  readonly exchange: VenueState
  readonly entities: EntityStore
  readonly time: Pick<VenueTime, 'clock' | 'advance'>
  readonly monotonicMs: () => number
  /** Called when the simulation has reached the venue's time. */
  readonly arrived: () => void
  /** Receives errors of a catch-up, also if no caller waits for it. */
  readonly failed: (error: unknown) => void
}

/** Maximum simulated time of one piece. */
const PIECE_MS = MINUTE_MS
/** A world this far behind advances in coarse steps until it is only COARSE_TO_MS behind. */
const COARSE_FROM_MS = 10 * MINUTE_MS
const COARSE_TO_MS = 2 * MINUTE_MS

/**
 * The kind of the entity that stores the latest venue time that callers may have seen. It is used only with a real
 * clock.
 */
const SEEN_KIND = 'venue-seen'
const SEEN_AHEAD_MS = 10 * MINUTE_MS
/** When the world comes closer than this to the stored time, a later time is stored. */
const SEEN_SPARE_MS = 5 * MINUTE_MS

export function createCatchUp(parts: CatchUpOptions): CatchUp {
  const { exchange, entities, time, monotonicMs, arrived, failed } = parts
  const { clock } = time
  // Coarse steps need a real clock. A caller who moves a virtual clock wants every event.
  const mayBeCoarse = time.advance === null
  let under: Promise<void> | null = null
  let [stored] = Array.from(entities.load(SEEN_KIND), ({ json }) => Number(JSON.parse(json)))

  /**
   * Lets a world that is far behind advance in coarse steps. After a restart, all time that callers may have seen must
   * be replayed event by event. Therefore the end of that time is stored before the world reaches it, and coarse steps
   * begin after it.
   */
  function goCoarsely({ world, submit }: Engine, nowMs: number): void {
    const spareMs = (stored ?? world.nowMs) - world.nowMs
    const isFarBehind = nowMs - world.nowMs >= COARSE_FROM_MS
    if (!mayBeCoarse || spareMs > (isFarBehind ? 0 : SEEN_SPARE_MS)) return
    if (!world.scenes.some(({ flow }) => flow)) return
    if (isFarBehind) {
      submit('goCoarsely', { untilMs: nowMs - COARSE_TO_MS }, world.nowMs)
      exchange.commit()
    }
    stored = nowMs + SEEN_AHEAD_MS
    entities.commit([{ kind: SEEN_KIND, key: 'until', json: JSON.stringify(stored) }])
  }

  /** Advances by one piece. Returns whether the simulation has reached the venue's time. */
  function isThere(): boolean {
    const { engine } = exchange.simulation()
    const { world } = engine
    const nowMs = clock.nowMs()
    goCoarsely(engine, nowMs)
    const isWhole = exchange.advance(
      Math.min(nowMs, world.nowMs + PIECE_MS),
      beginSlice(monotonicMs),
    )
    return isWhole && world.nowMs >= nowMs
  }

  async function goOn(): Promise<void> {
    try {
      do await yieldToEventLoop()
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
