import { arm } from '../algo/mark.ts'
import { isAlive, isGroup, partsOf } from '../algo/tree.ts'
import type { Exchange } from '../exchange.ts'
import type { AlgoRow } from '../records/algo-rows.ts'
import type { Account, AlgoOrder, Order } from '../state.ts'

/** An account's row in a snapshot; older ones have no algo orders. */
type Row = { readonly key: string; readonly algos?: readonly AlgoRow[] }

/** Puts an account's open algo orders back, and lets those look at the mark that did. */
export function restoreAlgos(
  exchange: Exchange,
  { key, algos = [] }: Row,
  orders: ReadonlyMap<number, Order>,
): void {
  const account = exchange.byKey.get(key)
  if (!account) throw new RangeError('no such account')
  for (const row of algos) account.algos.set(row.id, algoOf(account, row, null, orders))
  for (const { id, follows } of algos) {
    const algo = account.algos.get(id)
    if (algo && follows !== null) algo.follows = account.algos.get(follows) ?? null
  }
  for (const part of [...account.algos.values()].flatMap(partsOf))
    if (isArmed(part)) arm(exchange, part)
}

/** Whether it compares marks with a trigger, or with its activation. */
function isArmed(part: AlgoOrder): boolean {
  const isTrailing = part.algoType === 'TRAILING_STOP'
  const waits = isAlive(part) && !isGroup(part) && part.triggeredAtMs === null
  return waits && (part.isActivated || isTrailing)
}

function algoOf(
  account: Account,
  row: AlgoRow,
  parent: AlgoOrder | null,
  orders: ReadonlyMap<number, Order>,
): AlgoOrder {
  const { market, parent: _parent, order, follows: _follows, children, ...terms } = row
  const exposure = account.exposures.get(market)
  if (!exposure) throw new RangeError('an algo order without an account')
  const algo: AlgoOrder = {
    ...{ ...terms, exposure, parent, children: [], follows: null },
    order: order === null ? null : (orders.get(order) ?? null),
  }
  for (const child of children) algo.children.push(algoOf(account, child, algo, orders))
  return algo
}
