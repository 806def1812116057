import { HOUR_MS, SECOND_MS } from '../contract/durations.ts'
import type { Clock, EntityChange, EntityStore } from '../core/ports.ts'

/** The embedded venue's time: the wall clock, or a virtual clock that commands move or run. */
export type VenueTime = {
  readonly clock: Clock
  /** The time at which this venue was created. The seeded history counts from this time. */
  readonly madeAtMs: number
  /**
   * When the seeded history ends and the world begins: a full second on a real clock, a full hour on a virtual clock.
   */
  readonly beginsAtMs: number
  /** Moves a virtual clock forward by `ms` and stores its time; null for a real clock. */
  readonly advance: ((ms: number) => void) | null
  /** Lets a virtual clock run `times` as fast as the wall clock; 0 stops it. Null for a real clock. */
  readonly run: ((times: number) => void) | null
  /** Speed relative to the wall clock: 1 for a real clock, 0 for a stopped clock. */
  readonly times: () => number
  /** Advances a running virtual clock by the time since the last call, and does not store it. */
  readonly tick: () => void
  /** Moves a virtual clock forward to the world's time, which may be later after a restart. */
  readonly reach: (atMs: number) => void
}

/** The kind of clock, the start of a new virtual clock, and the real clocks. */
export type VenueTimeOptions = {
  readonly kind: 'real' | 'virtual'
  readonly startMs: number
  readonly wall: Clock
  /** Milliseconds since an arbitrary moment of this process. */
  readonly monotonicMs: () => number
  readonly entities: EntityStore
  /** Receives the time of a virtual clock when it is opened and whenever it moves. */
  readonly timeMoved?: (nowMs: number) => void
}

/** The kind of the entities with a venue's times. Every stored venue has such entities. */
export const TIME_KIND = 'venue-time'
/** Start of the virtual clock in worlds of earlier versions, which had no setting for the start. */
const UNCHOSEN_START_MS = Date.UTC(2026, 0, 1)
/** With a real clock, a new world begins this long ago, so that its books have orders when it is first read. */
const LEAD_MS = 3 * SECOND_MS
/** Maximum step of a running clock, so that a suspended machine does not skip hours. */
const TICK_MAX_MS = 5000

type Stored = ReadonlyMap<string, number>

/** Opens the venue's time. It is stored with the world, so that a restart continues it. */
export function openVenueTime(parts: VenueTimeOptions): VenueTime {
  const { entities, wall, kind } = parts
  const stored = new Map(
    [...entities.load(TIME_KIND)].map(({ key, json }) => [key, Number(JSON.parse(json))]),
  )

  /** The entities of a new venue, until one commit writes all of these entities; null afterwards. */
  let first: EntityChange[] | null = []

  function remember(key: string, value: number): number {
    const change = { kind: TIME_KIND, key, json: JSON.stringify(value) }
    if (first) first.push(change)
    else entities.commit([change])
    return value
  }

  const rememberBeginning = (atMs: number) =>
    stored.get(`${kind}-world`) ?? remember(`${kind}-world`, atMs)

  function made(): VenueTime {
    if (kind === 'virtual') {
      const madeAtMs = hourStart(rememberStart(parts, stored, remember))
      const time = virtualTime(parts, stored, remember)
      return { ...time, madeAtMs, beginsAtMs: rememberBeginning(hourStart(time.clock.nowMs())) }
    }
    const nowMs = wall.nowMs()
    const madeAtMs = stored.get('genesis') ?? remember('genesis', hourStart(nowMs))
    return {
      ...realTime(wall),
      madeAtMs,
      beginsAtMs: rememberBeginning(Math.max(madeAtMs, nowMs - (nowMs % SECOND_MS) - LEAD_MS)),
    }
  }

  const time = made()
  if (first.length > 0) entities.commit(first)
  first = null
  return time
}

type Remember = (key: string, value: number) => number
type Moving = Omit<VenueTime, 'madeAtMs' | 'beginsAtMs'>

/** The start of a virtual clock. A store that already had a virtual clock keeps its start. */
function rememberStart({ startMs }: VenueTimeOptions, stored: Stored, remember: Remember): number {
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

function virtualTime(parts: VenueTimeOptions, stored: Stored, remember: Remember): Moving {
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
      // The remaining fraction of a millisecond counts at the next call.
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

function hourStart(atMs: number): number {
  return Math.floor(atMs / HOUR_MS) * HOUR_MS
}
