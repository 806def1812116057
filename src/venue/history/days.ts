import { DAY_MS } from '../../spec/durations.ts'
import { append, dayOf } from '../base/bounded-list.ts'
import { accountValueOf } from '../ledger/balances.ts'
import { marginOf } from '../margin/margin.ts'
import type { Account } from '../state/state.ts'
import type { World } from '../state/world.ts'
import { createJournal, createRowTable, createTableJournal, type TableJournal } from './journal.ts'
import { isKept } from './records.ts'

/** How often an account traded on one UTC day, and how often it closed something with a gain. */
export type RankingDay = { readonly day: number; trades: number; closes: number; wins: number }

/** The leaderboard's counts beyond balances and volumes, of agents and users alike, oldest first. */
export type RankingJournal = TableJournal<RankingDay[]>

/** The longest window of the leaderboard, and a day cut at either end. */
const RANKING_DAYS_MAX = 32

export function createRankings(): RankingJournal {
  return createTableJournal<RankingDay[]>(
    'standings',
    () => [],
    (of) => ({
      matched: ({ taker, maker, takerPnl, makerPnl, atMs }) => {
        countTrade(of(taker.marketAccount.account), takerPnl, atMs)
        countTrade(of(maker.marketAccount.account), makerPnl, atMs)
      },
    }),
  )
}

function countTrade(days: RankingDay[], pnl: number, atMs: number): void {
  const today = dayOf(days, Math.floor(atMs / DAY_MS), newRankingDay, RANKING_DAYS_MAX)
  today.trades += 1
  if (pnl !== 0) today.closes += 1
  if (pnl > 0) today.wins += 1
}

function newRankingDay(day: number): RankingDay {
  return { day, trades: 0, closes: 0, wins: 0 }
}

/** An account at the end of a UTC day, micro-USDC: its value, its USDC alone, and all that ever came in and left. */
export type Closing = {
  readonly day: number
  readonly atMs: number
  readonly value: number
  readonly usdc: number
  readonly deposits: number
  readonly withdrawals: number
}

/** The values of users' accounts at the ends of days, oldest first. */
export type ClosingJournal = TableJournal<Closing[]>

const CLOSINGS_MAX = 400

/** Funding settles at midnight in every market: the first settlement of a day closes the one before. */
export function createClosings(): ClosingJournal {
  const { rows: closings, of } = createRowTable<Closing[]>(() => [])
  const state = { closed: -1, closings }
  let accounts: readonly Account[] = []
  let scenes: World['scenes'] = []
  const journal = createJournal('closings', state, {
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
            const value = accountValueOf({ scenes }, account)
            append(of(account), { day, atMs, value, ...markOf(account) }, CLOSINGS_MAX)
          }
      },
    },
  })
  return { ...journal, of }
}

/** The USDC of an account now, with the results of its positions, and all that ever came in and left. */
export function markOf(account: Account) {
  marginOf(account)
  const { deposits, withdrawals, holding, used } = account
  const usdc = used.reduce((sum, { margin, pnl }) => sum + margin + pnl, holding)
  return { usdc, deposits, withdrawals }
}
