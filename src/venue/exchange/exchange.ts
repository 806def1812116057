import type { Clock, EntityStore } from '../../core/ports.ts'
import { type Genesis, type IsOver, NEVER_OVER } from '../engine/run.ts'
import { createMaking } from '../steps.ts'
import { createAttendance } from './attendance.ts'
import { createBatch } from './batch.ts'
import { type Floor, floorSteps } from './floor.ts'
import { createJournal } from './journal.ts'
import { loadEntities } from './restore.ts'
import type { Exchange } from './state.ts'

/** The first number is one above this; smaller numbers are left for what is seeded. */
const SEQUENCE_START = 1_000_000

export type ExchangeParts = {
  readonly entities: EntityStore
  readonly genesis: Genesis
  /** The venue's time. */
  readonly clock: Clock
  /** Whether an opened floor is where it was stored until it is stepped on, rather than at now. */
  readonly isPatient?: boolean
  /** Told of what went wrong with storing the world in slices: it is tried again. */
  readonly failed?: (error: unknown) => void
}

/** The exchange as its entities left it. */
export function openExchange(parts: ExchangeParts): Exchange {
  const { entities, clock, isPatient = false } = parts
  const batch = createBatch(entities)
  const initial = { sequence: SEQUENCE_START, draws: 0 }
  const { accounts, nonces, counters } = loadEntities(entities, initial)
  const journal = createJournal(batch.entities, counters)
  let opened: Floor | null = null
  const { attend, goOn } = createAttendance()
  const hooks: (() => void)[] = []

  const making = createMaking(() =>
    floorSteps({ ...parts, entities: batch.entities, direct: entities }),
  )

  function open(isOver: IsOver): Floor | null {
    if (opened) return opened
    opened = making.goOn(isOver)
    if (!opened) return null
    if (!isPatient) goOn(opened.engine, clock.nowMs())
    for (const hook of hooks) hook()
    return opened
  }

  return {
    journal,
    counters,
    accounts,
    nonces,
    floor: () => atOnce(open),
    attend,
    isOpen: () => opened !== null,
    open: (isOver) => open(isOver) !== null,
    whenOpen: (hook) => void hooks.push(hook),
    advance: (nowMs) => void (opened && goOn(opened.engine, nowMs)),
    step: (nowMs, isOver) => !opened || goOn(opened.engine, nowMs, isOver),
    isSaving: () => opened?.engine.isSaving() ?? false,
    commit() {
      opened?.engine.commit()
      journal.flush()
      batch.flush()
      opened?.engine.saveWhenDue()
    },
  }
}

function atOnce(open: (isOver: IsOver) => Floor | null): Floor {
  const floor = open(NEVER_OVER)
  if (!floor) throw new RangeError('a floor that is never done')
  return floor
}
