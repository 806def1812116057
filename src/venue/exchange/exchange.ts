import type { Clock, EntityStore } from '../../core/ports.ts'
import type { Genesis } from '../engine/run.ts'
import { createAttendance } from './attendance.ts'
import { createBatch } from './batch.ts'
import { type Floor, openFloor } from './floor.ts'
import { dropFormer, type FormerPrices, moveIn } from './former.ts'
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
  readonly formerPrices: FormerPrices
  /** Whether an opened floor is where it was stored until it is stepped on, rather than at now. */
  readonly isPatient?: boolean
}

/** The exchange as its entities left it. */
export function openExchange(parts: ExchangeParts): Exchange {
  const { entities, genesis, clock, formerPrices, isPatient = false } = parts
  const batch = createBatch(entities)
  const loaded = loadEntities(entities, { sequence: SEQUENCE_START })
  const { accounts, nonces, counters, former } = loaded
  const journal = createJournal(batch.entities, counters)
  let opened: Floor | null = null
  const { attend, goOn } = createAttendance()
  const hooks: (() => void)[] = []

  function open(): Floor {
    // A world that takes in older accounts is stored at once, so that no later start makes it anew.
    const started = former.length === 0 ? genesis : { ...genesis, sequenceStart: counters.sequence }
    const floor = openFloor(started, batch.entities, isPatient)
    const { engine } = floor
    const { byKey } = engine.world.exchange
    const arriving = former.filter(({ accountId }) => !byKey.has(accountId))
    if (arriving.length > 0) {
      moveIn(engine.world, entities, arriving, formerPrices)
      engine.save()
      const profiles = arriving.flatMap(({ accountId }) => accounts.get(accountId)?.profile ?? [])
      dropFormer(journal, entities, profiles)
    }
    opened = floor
    if (!isPatient) goOn(engine, clock.nowMs())
    for (const hook of hooks) hook()
    return floor
  }

  return {
    journal,
    counters,
    accounts,
    nonces,
    floor: () => opened ?? open(),
    attend,
    isOpen: () => opened !== null,
    whenOpen: (hook) => void hooks.push(hook),
    advance: (nowMs) => {
      if (opened) goOn(opened.engine, nowMs)
    },
    step: (nowMs, isOver) => !opened || goOn(opened.engine, nowMs, isOver),
    commit() {
      opened?.engine.commit()
      journal.flush()
      batch.flush()
    },
  }
}
