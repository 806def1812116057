import { type Engine, type EngineParts, openEngine } from '../engine/engine.ts'
import { type AlgoJournal, createAlgoRecords } from '../history/algos.ts'
import {
  type ClosingJournal,
  createClosings,
  createMarketDays,
  createRankings,
  type MarketDayJournal,
  type RankingJournal,
} from '../history/days.ts'
import { createFlows, type FlowJournal } from '../history/flows.ts'
import {
  createFundRecords,
  createSettlements,
  type FundJournal,
  type SettlementJournal,
} from '../history/fund.ts'
import { createInboxes, type InboxJournal } from '../history/inbox.ts'
import { createLedgers, type LedgerJournal } from '../history/ledger.ts'
import { createRecords, type RecordJournal } from '../history/records.ts'
import {
  createHours,
  createTurnover,
  type HourJournal,
  type TurnoverJournal,
} from '../history/turnover.ts'

/** The engine with its journals. */
export type Simulation = {
  readonly engine: Engine
  readonly records: RecordJournal
  readonly algos: AlgoJournal
  readonly settlements: SettlementJournal
  readonly rankings: RankingJournal
  readonly flows: FlowJournal
  readonly turnover: TurnoverJournal
  readonly closings: ClosingJournal
  readonly marketDays: MarketDayJournal
  readonly hours: HourJournal
  readonly ledgers: LedgerJournal
  readonly inboxes: InboxJournal
  readonly fund: FundJournal
}

/** Opens the stored world as of its last request, or a new one. */
export function openSimulation(parts: Omit<EngineParts, 'journals'>): Simulation {
  const kept = {
    records: createRecords(),
    algos: createAlgoRecords(),
    settlements: createSettlements(),
    rankings: createRankings(),
    flows: createFlows(),
    turnover: createTurnover(),
    closings: createClosings(),
    marketDays: createMarketDays(),
    hours: createHours(),
    ledgers: createLedgers(),
    inboxes: createInboxes(),
    fund: createFundRecords(),
  }
  const journals = Object.values(kept)
  return { engine: openEngine({ ...parts, journals }), ...kept }
}
