import { type Engine, type EngineParts, engineSteps } from '../engine/engine.ts'
import { type AlgoKeeper, createAlgoRecords } from '../engine/records/algos.ts'
import { type CampaignKeeper, createCampaigns } from '../engine/records/campaigns.ts'
import { type ClosingKeeper, createClosings } from '../engine/records/closings.ts'
import { createEpochs, type EpochKeeper } from '../engine/records/epochs.ts'
import { createFlows, type FlowKeeper } from '../engine/records/flows.ts'
import { createFundRecords, type FundKeeper } from '../engine/records/fund.ts'
import { createHours, type HourKeeper } from '../engine/records/hours.ts'
import { createInboxes, type InboxKeeper } from '../engine/records/inbox.ts'
import { createLedgers, type LedgerKeeper } from '../engine/records/ledger.ts'
import { createRecords, type RecordKeeper } from '../engine/records/records.ts'
import { createSettlements, type SettlementKeeper } from '../engine/records/settlements.ts'
import { createStandings, type StandingKeeper } from '../engine/records/standings.ts'
import { createTurnover, type TurnoverKeeper } from '../engine/records/turnover.ts'
import { createVaultBooks, type VaultKeeper } from '../engine/records/vaults.ts'
import type { Steps } from '../steps.ts'

/** The engine, and what is kept of what happened in it. */
export type Floor = {
  readonly engine: Engine
  readonly records: RecordKeeper
  readonly algos: AlgoKeeper
  readonly settlements: SettlementKeeper
  readonly standings: StandingKeeper
  readonly flows: FlowKeeper
  readonly turnover: TurnoverKeeper
  readonly closings: ClosingKeeper
  readonly epochs: EpochKeeper
  readonly campaigns: CampaignKeeper
  readonly hours: HourKeeper
  readonly ledgers: LedgerKeeper
  readonly inboxes: InboxKeeper
  readonly fund: FundKeeper
  readonly vaults: VaultKeeper
}

/** The world that the store remembers, or a new one; a patient one is left where its snapshot was taken. */
export function* floorSteps(parts: Omit<EngineParts, 'keepers'>): Steps<Floor> {
  const kept = {
    records: createRecords(),
    algos: createAlgoRecords(),
    settlements: createSettlements(),
    standings: createStandings(),
    flows: createFlows(),
    turnover: createTurnover(),
    closings: createClosings(),
    epochs: createEpochs(),
    campaigns: createCampaigns(parts.genesis.genesisMs),
    hours: createHours(),
    ledgers: createLedgers(),
    inboxes: createInboxes(),
    fund: createFundRecords(),
    vaults: createVaultBooks(),
  }
  const keepers = Object.values(kept)
  return { engine: yield* engineSteps({ ...parts, keepers }), ...kept }
}
