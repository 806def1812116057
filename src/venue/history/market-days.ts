import { DAY_MS } from '../../spec/durations.ts'
import { append } from '../base/bounded-list.ts'
import { notionalOf } from '../state/markets.ts'
import type { Account, MarketAccount } from '../state/state.ts'
import { createJournal, createRowTable, type Journal } from './journal.ts'
import { isKept } from './records.ts'

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

/** The trades of users by market and day. */
export type MarketDayJournal = Journal & {
  /** Oldest day first. */
  readonly of: (account: Account) => readonly MarketDay[]
}

/** A year of ten markets a day. */
const ROWS_MAX = 4000

export function createMarketDays(): MarketDayJournal {
  const { rows, of } = createRowTable<MarketDay[]>(() => [])

  function rowOf({ account, market: { number: market } }: MarketAccount, atMs: number): MarketDay {
    const own = of(account)
    const day = Math.floor(atMs / DAY_MS)
    const known = own.findLast((row) => row.market === market)
    if (known?.day === day) return known
    return append(own, { day, market, volume: 0, orders: 0, sinceMs: atMs, lastMs: atMs }, ROWS_MAX)
  }

  const journal = createJournal('marketDays', rows, {
    observer: {
      ordered: ({ status, marketAccount, updatedAtMs }) => {
        if (status === 'FILLED' && isKept(marketAccount.account))
          rowOf(marketAccount, updatedAtMs).orders += 1
      },
      matched: ({ market, price, quantity, taker, maker, atMs }) => {
        for (const { marketAccount } of [taker, maker]) {
          if (!isKept(marketAccount.account)) continue
          const row = rowOf(marketAccount, atMs)
          row.volume += notionalOf(market.spec, price, quantity)
          row.lastMs = atMs
        }
      },
    },
  })
  return { ...journal, of }
}
