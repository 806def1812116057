import { type EngineOptions, openEngine } from '../engine/engine.ts'
import { createAlgoRecords } from '../history/algos.ts'
import { createClosings, createMarketDays, createRankings } from '../history/days.ts'
import { createFlows } from '../history/flows.ts'
import { createFundRecords, createSettlements } from '../history/fund.ts'
import { createInboxes } from '../history/inbox.ts'
import { createLedgers } from '../history/ledger.ts'
import { createPastRows } from '../history/past-rows.ts'
import { createRecords } from '../history/records.ts'
import { createRowLists } from '../history/row-list.ts'
import { createHours, createTurnover } from '../history/turnover.ts'

/** An engine with its journals. */
export type Simulation = ReturnType<typeof openSimulation>

/** Opens the stored world as of its last request. An empty store gives a new world. */
export function openSimulation(parts: Omit<EngineOptions, 'journals'>) {
  const past = createPastRows()
  const lists = createRowLists(past, parts.entities)
  const kept = {
    past,
    records: createRecords(past),
    algos: createAlgoRecords(past),
    settlements: createSettlements(),
    rankings: createRankings(),
    flows: createFlows(),
    turnover: createTurnover(),
    closings: createClosings(),
    marketDays: createMarketDays(),
    hours: createHours(),
    ledgers: createLedgers(past),
    inboxes: createInboxes(),
    fund: createFundRecords(),
  } as const
  const journals = Object.values(kept)
  return { engine: openEngine({ ...parts, journals }), lists, ...kept } as const
}
