import { append } from '../base/bounded-list.ts'
import type { Liquidation, Match, Observer } from '../state/observer.ts'
import { type Account, isOpen } from '../state/state.ts'
import {
  type ClosedRow,
  closedRow,
  type FundingRow,
  fundingRow,
  type LiquidationRow,
  liquidationRow,
  type OrderRow,
  storedOrderRow,
  storedTradeRow,
  type TradeRow,
} from './account-rows.ts'
import { createFundingSettlements } from './funding-settlements.ts'
import { createEngineJournal, createRowTable, type EngineJournal } from './journal.ts'
import type { PastRows } from './past-rows.ts'
import { CLOSED_ROWS, FUNDING_ROWS, LIQUIDATION_ROWS, ORDER_ROWS, TRADE_ROWS } from './row-kinds.ts'

/**
 * The latest rows of an account's histories, oldest first; earlier rows are stored. Totals do not depend on these rows.
 */
export type Records = {
  readonly orders: OrderRow[]
  readonly trades: TradeRow[]
  readonly fundings: FundingRow[]
  readonly closed: ClosedRow[]
}

/** The histories of users' accounts, and all liquidations of the venue. */
export type RecordJournal = EngineJournal & {
  readonly of: (account: Account) => Records
  /** The latest liquidations of all accounts, oldest first. */
  readonly liquidations: readonly LiquidationRow[]
  /** The latest liquidations in which the account was liquidated or took over a position, oldest first. */
  readonly ownLiquidations: (account: Account) => LiquidationRow[]
  /** Returns a function that adds to a funding row the settlement that happened after the row left memory. */
  readonly settledFunding: (account: Account) => (row: FundingRow, ordinal: number) => FundingRow
}

/** Maximum number of liquidations that are kept for all accounts together. */
const LIQUIDATIONS_MAX = 2000

export function createRecords(past: PastRows): RecordJournal {
  const { rows: records, of } = createRowTable<Records>(() => ({
    ...{ orders: [], trades: [], fundings: [], closed: [] },
  }))
  const liquidations: LiquidationRow[] = []
  const own = createRowTable<LiquidationRow[]>(() => [])
  const settlements = createFundingSettlements(past)

  function keepTrade(match: Match, isTaker: boolean): void {
    const { account } = (isTaker ? match.taker : match.maker).marketAccount
    if (hasHistory(account))
      past.keep(TRADE_ROWS, { account, rows: of(account).trades }, storedTradeRow(match, isTaker))
  }

  const observer: Observer = {
    ordered: (order) => {
      const { account } = order.marketAccount
      if (hasHistory(account) && !isOpen(order))
        past.keep(ORDER_ROWS, { account, rows: of(account).orders }, storedOrderRow(order))
    },
    matched: (match) => {
      keepTrade(match, true)
      keepTrade(match, false)
    },
    closed: (marketAccount, life, side, atMs) => {
      const { account, market, isolated } = marketAccount
      if (!hasHistory(account)) return
      const row = closedRow(marketAccount, life, side, atMs)
      const { closed: rows, fundings } = of(account)
      past.keep(CLOSED_ROWS, { account, rows }, row)
      if (isolated)
        settlements.settle(account, fundings, { markets: [market.number], isolated, atMs })
    },
    funded: (settlement) => {
      for (const charge of settlement.charges) {
        const { account } = charge.marketAccount
        if (!hasHistory(account)) continue
        const { fundings: rows } = of(account)
        past.keep(FUNDING_ROWS, { account, rows }, fundingRow(settlement, charge))
      }
    },
    settled: ({ account, parts, atMs }) => {
      if (!hasHistory(account)) return
      const markets = parts.map(({ market }) => market.number)
      settlements.settle(account, of(account).fundings, { markets, isolated: false, atMs })
    },
    liquidated: (liquidation) => {
      const row = append(liquidations, liquidationRow(liquidation), LIQUIDATIONS_MAX)
      for (const account of liquidationParties(liquidation))
        if (hasHistory(account))
          past.keep(LIQUIDATION_ROWS, { account, rows: own.of(account) }, row)
    },
  }
  const state = { records, liquidations, own: own.rows, settlements: settlements.rows }
  return {
    ...createEngineJournal('records', state, { observer }),
    ...{ of, liquidations, ownLiquidations: own.of, settledFunding: settlements.settled },
  }
}

/** The account that was liquidated, and the accounts that took over its positions. */
function liquidationParties({ account, takeovers }: Liquidation): ReadonlySet<Account> {
  return new Set([account, ...takeovers.map(({ to }) => to)])
}

/** Whether the histories of an account are kept. They are kept for users, not for agents. */
export function hasHistory({ kind }: Account): boolean {
  return kind === 'user'
}
