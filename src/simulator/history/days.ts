import { DAY_MS } from '../../contract/durations.ts'
import { append, openDayRow } from '../base/bounded-list.ts'
import { totalAccountValue } from '../ledger/balances.ts'
import { accountMargin } from '../margin/margin.ts'
import { notionalAt } from '../state/markets.ts'
import type { Account, MarketAccount } from '../state/state.ts'
import type { EngineWorld } from '../state/world.ts'
import {
  createEngineJournal,
  createListJournal,
  createRowTable,
  type TableJournal,
} from './journal.ts'
import { isKept } from './records.ts'

/** The trades of an account on one UTC day, and the number of closing trades with a gain. */
type RankingDay = { readonly day: number; trades: number; closes: number; wins: number }

/** The leaderboard's counts besides balances and volumes, of agents and users, oldest first. */
export type RankingJournal = TableJournal<RankingDay[]>

/** The longest window of the leaderboard, with a partial day at both ends. */
const RANKING_DAYS_MAX = 32

export function createRankings(): RankingJournal {
  return createListJournal('standings', (of) => ({
    matched: ({ taker, maker, takerPnl, makerPnl, atMs }) => {
      countTrade(of(taker.marketAccount.account), takerPnl, atMs)
      countTrade(of(maker.marketAccount.account), makerPnl, atMs)
    },
  }))
}

function countTrade(days: RankingDay[], pnl: number, atMs: number): void {
  const today = openDayRow(days, Math.floor(atMs / DAY_MS), newRankingDay, RANKING_DAYS_MAX)
  today.trades += 1
  if (pnl !== 0) today.closes += 1
  if (pnl > 0) today.wins += 1
}

function newRankingDay(day: number): RankingDay {
  return { day, trades: 0, closes: 0, wins: 0 }
}

/** An account at the end of a UTC day, micro-USDC: its value, its USDC, and its total deposits and withdrawals. */
export type Closing = {
  readonly day: number
  readonly atMs: number
  readonly value: number
  readonly usdc: number
  readonly deposits: number
  readonly withdrawals: number
}

const CLOSINGS_MAX = 400

/**
 * The values of users' accounts at the ends of days, oldest first. The first settlement of a day closes the previous day,
 * because funding settles at midnight in every market.
 */
export function createClosings(): TableJournal<Closing[]> {
  const { rows: closings, of } = createRowTable<Closing[]>(() => [])
  const state = { closed: -1, closings }
  let accounts: readonly Account[] = []
  let scenes: EngineWorld['scenes'] = []
  const journal = createEngineJournal('closings', state, {
    begin: (world) => {
      accounts = world.exchange.accounts
      scenes = world.scenes
    },
    observer: {
      funded: ({ atMs }) => {
        const day = Math.floor(atMs / DAY_MS) - 1
        if (day <= state.closed) return
        state.closed = day
        for (const account of accounts)
          if (isKept(account)) {
            const value = totalAccountValue({ scenes }, account)
            append(of(account), { day, atMs, value, ...accountMark(account) }, CLOSINGS_MAX)
          }
      },
    },
  })
  return { ...journal, of }
}

/** The current USDC of an account with its positions' results, and its total deposits and withdrawals. */
export function accountMark(account: Account) {
  accountMargin(account)
  const { deposits, withdrawals, holding, used } = account
  const usdc = used.reduce((sum, { margin, pnl }) => sum + margin + pnl, holding)
  return { usdc, deposits, withdrawals }
}

/** The trades of an account in one market on one UTC day. */
export type MarketDay = {
  readonly day: number
  readonly market: number
  /** Micro-USDC. */
  volume: number
  /** Orders that filled. */
  orders: number
  /** The first trade, and the last. */
  readonly sinceMs: number
  lastMs: number
}

/** A year of ten markets per day. */
const ROWS_MAX = 4000

/** The trades of users by market and day, oldest day first. */
export function createMarketDays(): TableJournal<MarketDay[]> {
  return createListJournal('marketDays', (of) => ({
    ordered: ({ status, marketAccount, updatedAtMs }) => {
      if (status === 'FILLED' && isKept(marketAccount.account))
        openMarketDay(of(marketAccount.account), marketAccount, updatedAtMs).orders += 1
    },
    matched: ({ market, price, quantity, taker, maker, atMs }) => {
      for (const { marketAccount } of [taker, maker]) {
        if (!isKept(marketAccount.account)) continue
        const row = openMarketDay(of(marketAccount.account), marketAccount, atMs)
        row.volume += notionalAt(market.spec, price, quantity)
        row.lastMs = atMs
      }
    },
  }))
}

function openMarketDay(
  own: MarketDay[],
  { market: { number: market } }: MarketAccount,
  atMs: number,
) {
  const day = Math.floor(atMs / DAY_MS)
  const known = own.findLast((row) => row.market === market)
  if (known?.day === day) return known
  return append(own, { day, market, volume: 0, orders: 0, sinceMs: atMs, lastMs: atMs }, ROWS_MAX)
}
