import type { EntityStore } from '../../core/ports.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { createRecords, type RecordKeeper } from '../engine/records/records.ts'
import { createSettlements, type SettlementKeeper } from '../engine/records/settlements.ts'
import { createStandings, type StandingKeeper } from '../engine/records/standings.ts'
import type { Genesis } from '../engine/run.ts'

/** The engine, and what is kept of what happened in it. */
export type Floor = {
  readonly engine: Engine
  readonly records: RecordKeeper
  readonly settlements: SettlementKeeper
  readonly standings: StandingKeeper
}

/** The world that the store remembers, or a new one; a patient one is left where its snapshot was taken. */
export function openFloor(genesis: Genesis, entities: EntityStore, isPatient: boolean): Floor {
  const kept = {
    records: createRecords(),
    settlements: createSettlements(),
    standings: createStandings(),
  }
  const keepers = Object.values(kept)
  return { engine: openEngine({ genesis, entities, keepers, isPatient }), ...kept }
}
