import type { Keeper } from '../engine.ts'
import type { Account } from '../state.ts'
import {
  type ClosedRow,
  closedRow,
  type FundingRow,
  isKept,
  type LiquidationRow,
  liquidationRow,
  type OrderRow,
  orderRow,
  type TradeRow,
  tradeRow,
} from './rows.ts'

/** What an account has been through, oldest first. Old rows go; no total is made of these. */
export type Records = {
  readonly orders: OrderRow[]
  readonly trades: TradeRow[]
  readonly fundings: FundingRow[]
  readonly closed: ClosedRow[]
}

/** The histories of users' accounts, and every liquidation of the venue. */
export type RecordKeeper = Keeper & {
  readonly of: (account: Account) => Records
  /** Newest last. */
  readonly liquidations: readonly LiquidationRow[]
}

/** How many rows of each history are kept. */
const KEPT_MAX = {
  orders: 1000,
  trades: 500,
  fundings: 500,
  closed: 500,
  liquidations: 2000,
} as const

/** Keeps histories, beginning with none. */
export function createRecords(): RecordKeeper {
  const records = new Map<number, Records>()
  const liquidations: LiquidationRow[] = []

  function of({ number }: Account): Records {
    const known = records.get(number)
    if (known) return known
    const fresh: Records = { orders: [], trades: [], fundings: [], closed: [] }
    records.set(number, fresh)
    return fresh
  }

  return {
    name: 'records',
    of,
    liquidations,
    observer: {
      ordered: (order) => {
        const { account } = order.exposure
        if (isKept(account) && (order.status === 'FILLED' || order.status === 'CANCELLED'))
          keep(of(account).orders, orderRow(order), KEPT_MAX.orders)
      },
      matched: (match) => {
        const { taker, maker } = match
        if (isKept(taker.exposure.account))
          keep(of(taker.exposure.account).trades, tradeRow(match, true), KEPT_MAX.trades)
        if (isKept(maker.exposure.account))
          keep(of(maker.exposure.account).trades, tradeRow(match, false), KEPT_MAX.trades)
      },
      closed: (exposure, life, side, atMs) => {
        if (isKept(exposure.account))
          keep(of(exposure.account).closed, closedRow(exposure, life, side, atMs), KEPT_MAX.closed)
      },
      funded: ({ market, atMs, rate, mark, charges }) => {
        for (const { exposure, fee } of charges)
          if (isKept(exposure.account)) {
            const row = {
              market: market.number,
              rate,
              mark,
              fee,
              isolated: exposure.isolated,
              atMs,
            }
            keep(of(exposure.account).fundings, row, KEPT_MAX.fundings)
          }
      },
      liquidated: (liquidation) =>
        keep(liquidations, liquidationRow(liquidation), KEPT_MAX.liquidations),
    },
    save: () => ({ records: [...records], liquidations }),
    load: (_world, saved) => {
      // Only `save` above has written it.
      const kept = saved as ReturnType<RecordKeeper['save']> & Saved
      for (const [number, rows] of kept.records) records.set(number, rows)
      liquidations.push(...kept.liquidations)
    },
  }
}

type Saved = {
  readonly records: readonly (readonly [number, Records])[]
  readonly liquidations: readonly LiquidationRow[]
}

function keep<Row>(rows: Row[], row: Row, max: number): void {
  rows.push(row)
  if (rows.length > max) rows.splice(0, rows.length - max)
}
