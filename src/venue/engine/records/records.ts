import type { Keeper } from '../keeper.ts'
import type { Account } from '../state.ts'
import { keep } from './kept.ts'
import {
  type ClosedRow,
  closedRow,
  type FundingRow,
  fundingRow,
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

/** How many rows of the longer histories are kept. */
const KEPT_MAX = { orders: 1000, liquidations: 2000 } as const

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
          keep(of(taker.exposure.account).trades, tradeRow(match, true))
        if (isKept(maker.exposure.account))
          keep(of(maker.exposure.account).trades, tradeRow(match, false))
      },
      closed: (exposure, life, side, atMs) => {
        if (!isKept(exposure.account)) return
        const { closed, fundings } = of(exposure.account)
        keep(closed, closedRow(exposure, life, side, atMs))
        if (exposure.isolated) settleFundings(fundings, exposure.market.number, true, atMs)
      },
      funded: (settlement) => {
        for (const charge of settlement.charges)
          if (isKept(charge.exposure.account))
            keep(of(charge.exposure.account).fundings, fundingRow(settlement, charge))
      },
      settled: ({ account, parts, atMs }) => {
        if (!isKept(account)) return
        const { fundings } = of(account)
        for (const { market } of parts) settleFundings(fundings, market.number, false, atMs)
      },
      liquidated: (liquidation) =>
        void keep(liquidations, liquidationRow(liquidation), KEPT_MAX.liquidations),
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

/** What was charged so far has become balance: with a settlement, or with the end of an isolated position. */
function settleFundings(rows: FundingRow[], market: number, isolated: boolean, atMs: number): void {
  for (const [at, row] of rows.entries())
    if (row.market === market && row.isolated === isolated && row.settledAtMs === undefined)
      rows[at] = { ...row, settledAtMs: atMs }
}
