import { DAY_MS } from '../../spec/durations.ts'
import { append } from '../base/bounded-list.ts'
import { notionalOf } from '../state/markets.ts'
import type { MarketAccount } from '../state/state.ts'
import { createTableJournal, type TableJournal } from './journal.ts'
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

/** The trades of users by market and day, oldest day first. */
export type MarketDayJournal = TableJournal<MarketDay[]>

/** A year of ten markets a day. */
const ROWS_MAX = 4000

export function createMarketDays(): MarketDayJournal {
  return createTableJournal<MarketDay[]>(
    'marketDays',
    () => [],
    (of) => ({
      ordered: ({ status, marketAccount, updatedAtMs }) => {
        if (status === 'FILLED' && isKept(marketAccount.account))
          rowOf(of(marketAccount.account), marketAccount, updatedAtMs).orders += 1
      },
      matched: ({ market, price, quantity, taker, maker, atMs }) => {
        for (const { marketAccount } of [taker, maker]) {
          if (!isKept(marketAccount.account)) continue
          const row = rowOf(of(marketAccount.account), marketAccount, atMs)
          row.volume += notionalOf(market.spec, price, quantity)
          row.lastMs = atMs
        }
      },
    }),
  )
}

function rowOf(own: MarketDay[], { market: { number: market } }: MarketAccount, atMs: number) {
  const day = Math.floor(atMs / DAY_MS)
  const known = own.findLast((row) => row.market === market)
  if (known?.day === day) return known
  return append(own, { day, market, volume: 0, orders: 0, sinceMs: atMs, lastMs: atMs }, ROWS_MAX)
}
