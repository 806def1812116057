import { append } from '../base/bounded-list.ts'
import { isAlive, partsOf } from '../orders/conditional/tree.ts'
import type { AlgoTerms } from '../state/algo-terms.ts'
import type { AlgoOrder } from '../state/state.ts'
import { createListJournal, type TableJournal } from './journal.ts'
import { isKept } from './records.ts'

/** The finished algo orders of users, oldest first; bounded. */
export function createAlgoRecords(): TableJournal<AlgoRow[]> {
  return createListJournal('algos', (of) => ({
    algo: (root) => {
      const { account } = root.marketAccount
      if (isKept(account) && !partsOf(root).some(isAlive)) append(of(account), algoRow(root))
    },
  }))
}

/** An algo order with its legs as plain data: orders by number, units as in units.ts. */
export type AlgoRow = AlgoTerms & {
  readonly market: number
  /** Zero when there is none. */
  readonly parent: number
  readonly order: number | null
  readonly follows: number | null
  readonly children: readonly AlgoRow[]
}

export function algoRow(algo: AlgoOrder): AlgoRow {
  const { marketAccount, parent, children, order, follows, ...terms } = algo
  return {
    ...terms,
    orders: [...terms.orders],
    market: marketAccount.market.number,
    parent: parent?.id ?? 0,
    order: order?.id ?? null,
    follows: follows?.id ?? null,
    children: children.map(algoRow),
  }
}

/** A row that includes the executions of its open order. */
export function totalRow(algo: AlgoOrder): AlgoRow {
  const { order } = algo
  const row = algoRow(algo)
  return {
    ...row,
    executed: row.executed + (order?.executed ?? 0),
    executedValue: row.executedValue + (order?.executedValue ?? 0),
    fee: row.fee + (order?.fee ?? 0),
    realizedPnl: row.realizedPnl + (order?.realizedPnl ?? 0),
    children: algo.children.map(totalRow),
  }
}
