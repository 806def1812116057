import { algoSubtree, isAlive } from '../orders/conditional/tree.ts'
import type { AlgoTerms } from '../state/algo-terms.ts'
import type { AlgoOrder } from '../state/state.ts'
import { createListJournal, type TableJournal } from './journal.ts'
import { type PastRows, type RowKind, textNumber } from './past-rows.ts'
import { hasHistory } from './records.ts'

/** Users' latest finished algo orders, oldest first. Earlier algo orders are in the store. */
export function createAlgoRecords(past: PastRows): TableJournal<AlgoRow[]> {
  return createListJournal('algos', (of) => ({
    algo: (root) => {
      const { account } = root.marketAccount
      if (!hasHistory(account) || algoSubtree(root).some(isAlive)) return
      past.keep(ALGO_ROWS, { account, rows: of(account) }, algoRow(root))
    },
  }))
}

/** The history of an account's finished algo orders, each with its legs. */
export const ALGO_ROWS: RowKind<AlgoRow, AlgoFacet> = {
  name: 'algos',
  head: ({ id, createdAtMs: atMs, updatedAtMs, clientOrderId, orderTag }) => ({
    ...{ id, atMs, updatedAtMs },
    reference: textNumber(clientOrderId),
    tag: textNumber(orderTag),
  }),
  facet: (row) => {
    const { market, side, type, status, algoType } = row
    return {
      market,
      side,
      type,
      status,
      algoType,
      isTriggered: isTriggered(row),
      legs: legIds(row),
    }
  },
}

type AlgoFacet = Pick<AlgoRow, 'market' | 'side' | 'type' | 'status' | 'algoType'> & {
  readonly isTriggered: boolean
  /** The client ids of the algo order's legs. */
  readonly legs: readonly string[]
}

/** Whether the trigger of the order or of one of its legs has been reached. */
export function isTriggered({ triggeredAtMs, children }: AlgoRow): boolean {
  return triggeredAtMs !== null || children.some(isTriggered)
}

function legIds({ children }: AlgoRow): string[] {
  return children.flatMap((leg) => [
    ...(leg.clientOrderId === null ? [] : [leg.clientOrderId]),
    ...legIds(leg),
  ])
}

/** An algo order with its legs as plain data. An order is given by its number. `units.ts` defines the units. */
export type AlgoRow = AlgoTerms & {
  readonly market: number
  /** The id of the algo order's parent; 0 for a root. */
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

/** A row whose sums include the executions of its open order. */
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
