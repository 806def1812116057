import { type Row, rowsAt } from '../../core/json.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { totalRows } from '../rows.ts'
import type { SignedContext } from '../tool.ts'
import { algoParts } from '../views/algo-orders.ts'

const NEWEST_MAX = 100

/** An order of a client_order_id; null if no such order was found. */
export type FoundOrder = {
  readonly row: Row | null
  /** Whether it is a stop, a trailing stop, a TP/SL or a bracket. */
  readonly isConditional: boolean
  /** Whether every order was looked at. If false, a missing order may be an older one. */
  readonly isWhole: boolean
}

/** The newest order of a client_order_id among the newest hundred of each kind, in any state. */
export async function orderByClientId(
  context: SignedContext,
  id: string,
  symbol: string | undefined,
): Promise<FoundOrder> {
  const query = { symbol, page: 1, size: NEWEST_MAX }
  const [orders, algos] = await Promise.all([
    accountRead(context, '/v1/orders', query),
    accountRead(context, '/v1/algo/orders', query).catch(noneHere),
  ])
  const isNamed = (row: Row) => row['client_order_id'] === id
  const algo = rowsAt(algos, 'rows').find((root) => algoParts(root).some(isNamed))
  // A bracket that has filled has an order of the book too, which says less.
  const row = algo ?? rowsAt(orders, 'rows').find(isNamed) ?? null
  const isWhole = [orders, algos].every((answer) => totalRows(answer) <= NEWEST_MAX)
  return { row, isConditional: algo !== undefined, isWhole }
}

// A venue without conditional orders answers not_found: the id has no conditional order there.
function noneHere(error: unknown): object {
  if (error instanceof ClientFailure && error.code === 'not_found') return {}
  throw error
}
