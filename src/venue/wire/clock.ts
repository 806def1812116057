import type { Clock, EntityStore } from '../../core/ports.ts'
import { HOUR_MS } from '../../spec/durations.ts'

/** The embedded venue's own time: that of the wall, or one that stands still until it is told to move. */
export type VenueTime = {
  readonly clock: Clock
  /** When this venue was made: the seeded history is told from here. */
  readonly madeAtMs: number
  /** Where its history ends and its world begins, on the hour: later than made for a venue older than its world. */
  readonly genesisMs: number
  /** Moves a virtual clock forward; null for a real one, which nobody can move. */
  readonly advance: ((ms: number) => void) | null
}

const KIND = 'venue-time'
/** Where a virtual clock starts: 2026-01-01T00:00:00Z, the same for everyone with the same seed. */
const VIRTUAL_START_MS = Date.UTC(2026, 0, 1)

/** Opens the venue's time and remembers it with the world, so that a restart goes on where it stopped. */
export function openVenueTime(
  kind: 'real' | 'virtual',
  wall: Clock,
  entities: EntityStore,
): VenueTime {
  const stored = new Map(
    [...entities.load(KIND)].map(({ key, json }) => [key, Number(JSON.parse(json))]),
  )

  function remember(key: string, ms: number): number {
    entities.commit([{ kind: KIND, key, json: JSON.stringify(ms) }])
    return ms
  }

  const isVirtual = kind === 'virtual'
  let nowMs = stored.get('virtual') ?? VIRTUAL_START_MS
  const clock = isVirtual ? { nowMs: () => nowMs } : wall
  const hourMs = Math.floor(clock.nowMs() / HOUR_MS) * HOUR_MS
  const madeAtMs = isVirtual
    ? VIRTUAL_START_MS
    : (stored.get('genesis') ?? remember('genesis', hourMs))
  const world = `${kind}-world`
  const genesisMs = stored.get(world) ?? remember(world, hourMs)
  const advance = (ms: number) => {
    nowMs = remember('virtual', nowMs + Math.max(0, Math.floor(ms)))
  }
  return { clock, madeAtMs, genesisMs, advance: isVirtual ? advance : null }
}
