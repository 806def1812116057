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
import { hasHistory } from './records.ts'

/** Counts of an account on one UTC day: trades, trades that closed a position, and closing trades with a gain. */
type RankingDay = { readonly day: number; trades: number; closes: number; wins: number }

/** The counts of the leaderboard besides balances and volumes, for users and agents; oldest day first. */
export type RankingJournal = TableJournal<RankingDay[]>

/** Longest window of the leaderboard in days. A partial day at both ends is included. */
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

/** An account at the end of a UTC day in micro-USDC: its value, its USDC, and all deposits and withdrawals so far. */
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
 * The values of users' accounts at the ends of days, oldest first. A day is closed by the first funding settlement of
 * the next day, since every market settles at midnight.
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
          if (hasHistory(account)) {
            const value = totalAccountValue({ scenes }, account)
            append(of(account), { day, atMs, value, ...accountMark(account) }, CLOSINGS_MAX)
          }
      },
    },
  })
  return { ...journal, of }
}

/** An account's current USDC with the results of its positions, and the sum of its deposits and withdrawals. */
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
  /** Volume in micro-USDC. */
  volume: number
  /** Number of orders that filled. */
  orders: number
  /** The time at which the first trade of the day happened. */
  readonly sinceMs: number
  /** The time at which the last trade of the day happened. */
  lastMs: number
}

/** Maximum number of rows per account, enough for a year with ten markets per day. */
const ROWS_MAX = 4000

/** Users' trades by day and market, oldest day first. */
export function createMarketDays(): TableJournal<MarketDay[]> {
  return createListJournal('marketDays', (of) => ({
    ordered: ({ status, marketAccount, updatedAtMs }) => {
      if (status === 'FILLED' && hasHistory(marketAccount.account))
        openMarketDay(of(marketAccount.account), marketAccount, updatedAtMs).orders += 1
    },
    matched: ({ market, price, quantity, taker, maker, atMs }) => {
      for (const { marketAccount } of [taker, maker]) {
        if (!hasHistory(marketAccount.account)) continue
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
