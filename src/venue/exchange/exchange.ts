import type { Clock, EntityStore } from '../../core/ports.ts'
import type { Genesis } from '../engine/run.ts'
import { createBatch } from './batch.ts'
import { type Floor, openFloor } from './floor.ts'
import { dropFormer, type FormerPrices, moveIn } from './former.ts'
import { createJournal } from './journal.ts'
import { loadEntities } from './restore.ts'
import type { Agenda, Exchange } from './state.ts'

/** The first number is one above this; smaller numbers are left for what is seeded. */
const SEQUENCE_START = 1_000_000

export type ExchangeParts = {
  readonly entities: EntityStore
  readonly genesis: Genesis
  /** The venue's time. */
  readonly clock: Clock
  readonly formerPrices: FormerPrices
}

/** The exchange as its entities left it. */
export function openExchange({ entities, genesis, clock, formerPrices }: ExchangeParts): Exchange {
  const batch = createBatch(entities)
  const loaded = loadEntities(entities, { sequence: SEQUENCE_START })
  const { accounts, nonces, counters, former } = loaded
  const journal = createJournal(batch.entities, counters)
  let opened: Floor | null = null
  let agenda: Agenda = NO_AGENDA
  let isPerforming = false

  function open(): Floor {
    // A world that takes in older accounts is stored at once, so that no later start makes it anew.
    const started = former.length === 0 ? genesis : { ...genesis, sequenceStart: counters.sequence }
    const floor = openFloor(started, batch.entities)
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
    goOn(floor, clock.nowMs())
    return floor
  }

  /** While a line of the agenda is performed the world stays at its time. */
  function goOn({ engine }: Floor, nowMs: number): void {
    if (isPerforming) return
    for (let at = agenda.nextMs(); at !== null && at <= nowMs; at = agenda.nextMs()) {
      engine.advance(at)
      isPerforming = true
      agenda.perform()
      isPerforming = false
    }
    engine.advance(nowMs)
  }

  return {
    journal,
    counters,
    accounts,
    nonces,
    floor: () => opened ?? open(),
    attend: (next) => {
      agenda = next
    },
    advance: (nowMs) => {
      if (opened) goOn(opened, nowMs)
    },
    commit() {
      opened?.engine.commit()
      journal.flush()
      batch.flush()
    },
  }
}

const NO_AGENDA: Agenda = { nextMs: () => null, perform: () => undefined }
