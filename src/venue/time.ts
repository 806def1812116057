import type { Clock, EntityChange, EntityStore } from '../core/ports.ts'
import { HOUR_MS } from '../spec/durations.ts'

/** The embedded venue's own time: that of the wall, or one that stands still until a command moves or runs it. */
export type VenueTime = {
  readonly clock: Clock
  /** When this venue was made: the seeded history begins here. */
  readonly madeAtMs: number
  /** Where its history ends and its world begins, on the hour: later than made for a venue older than its world. */
  readonly beginsAtMs: number
  /** Moves a virtual clock forward; null for a real one, which nobody can move. */
  readonly advance: ((ms: number) => void) | null
  /** Lets a virtual clock run so many times as fast as the wall's; zero stops it. Null for a real one. */
  readonly run: ((times: number) => void) | null
  /** How many times as fast as the wall's it runs: one for a real clock, zero for one that stands still. */
  readonly times: () => number
  /** Moves a running virtual clock on by what has passed since it was last called. */
  readonly tick: () => void
  /** Puts a virtual clock that is behind a moment there: a running one is not stored at every step. */
  readonly reach: (atMs: number) => void
}

/** Where a virtual clock of a store without a time of its own begins, and what measures what passes meanwhile. */
export type VenueTimeParts = {
  readonly kind: 'real' | 'virtual'
  readonly startMs: number
  readonly wall: Clock
  /** Milliseconds since some moment of this process. */
  readonly monotonicMs: () => number
  readonly entities: EntityStore
  /** Receives the time of a virtual clock at its opening and whenever it moves. */
  readonly timeMoved?: (nowMs: number) => void
}

/** The kind of the entities that hold a venue's times; every stored venue has some. */
export const TIME_KIND = 'venue-time'
/** The start of virtual clocks in worlds that were made before it could be chosen. */
const UNCHOSEN_START_MS = Date.UTC(2026, 0, 1)
/** A machine that slept does not wake hours later on the venue's clock. */
const TICK_MAX_MS = 5000

type Stored = ReadonlyMap<string, number>

/** Opens the venue's time and remembers it with the world, so that a restart goes on where it stopped. */
export function openVenueTime(parts: VenueTimeParts): VenueTime {
  const { entities, wall, kind } = parts
  const stored = new Map(
    [...entities.load(TIME_KIND)].map(({ key, json }) => [key, Number(JSON.parse(json))]),
  )

  /** What a new venue is remembered by, in one commit; null once it is made. */
  let first: EntityChange[] | null = []

  function remember(key: string, value: number): number {
    const change = { kind: TIME_KIND, key, json: JSON.stringify(value) }
    if (first) first.push(change)
    else entities.commit([change])
    return value
  }

  const initialStateOf = (nowMs: number) =>
    stored.get(`${kind}-world`) ?? remember(`${kind}-world`, hourOf(nowMs))

  function made(): VenueTime {
    if (kind === 'virtual') {
      const madeAtMs = hourOf(startOf(parts, stored, remember))
      const time = virtualTime(parts, stored, remember)
      return { ...time, madeAtMs, beginsAtMs: initialStateOf(time.clock.nowMs()) }
    }
    const madeAtMs = stored.get('genesis') ?? remember('genesis', hourOf(wall.nowMs()))
    return { ...realTime(wall), madeAtMs, beginsAtMs: initialStateOf(wall.nowMs()) }
  }

  const time = made()
  if (first.length > 0) entities.commit(first)
  first = null
  return time
}

type Remember = (key: string, value: number) => number
type Moving = Omit<VenueTime, 'madeAtMs' | 'beginsAtMs'>

/** A store that a virtual clock has run on keeps the start it had. */
function startOf({ startMs }: VenueTimeParts, stored: Stored, remember: Remember): number {
  const isOlder = stored.has('virtual-world') || stored.has('virtual')
  return (
    stored.get('virtual-start') ??
    (isOlder ? UNCHOSEN_START_MS : remember('virtual-start', startMs))
  )
}

function realTime(wall: Clock): Moving {
  const nothing = (): void => undefined
  return { clock: wall, advance: null, run: null, times: () => 1, tick: nothing, reach: nothing }
}

function virtualTime(parts: VenueTimeParts, stored: Stored, remember: Remember): Moving {
  const { monotonicMs, timeMoved } = parts
  const startMs = stored.get('virtual-start') ?? parts.startMs
  let nowMs = stored.get('virtual') ?? (stored.has('virtual-world') ? UNCHOSEN_START_MS : startMs)
  let times = stored.get('virtual-times') ?? 0
  let tickedMs = monotonicMs()

  function set(atMs: number): void {
    nowMs = atMs
    timeMoved?.(nowMs)
  }

  set(nowMs)
  return {
    clock: { nowMs: () => nowMs },
    times: () => times,
    advance: (ms) => {
      set(remember('virtual', nowMs + Math.max(0, Math.floor(ms))))
    },
    run: (faster) => {
      remember('virtual', nowMs)
      times = remember('virtual-times', Math.max(0, faster))
      tickedMs = monotonicMs()
    },
    tick: () => {
      const passedMs = Math.min(monotonicMs() - tickedMs, TICK_MAX_MS)
      // What is no whole millisecond yet is left for the next time.
      const stepMs = Math.floor(passedMs * times)
      if (times === 0 || stepMs <= 0) return
      tickedMs = monotonicMs()
      set(nowMs + stepMs)
    },
    reach: (atMs) => {
      set(Math.max(nowMs, atMs))
    },
  }
}

function hourOf(atMs: number): number {
  return Math.floor(atMs / HOUR_MS) * HOUR_MS
}
