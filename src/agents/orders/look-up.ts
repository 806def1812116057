import { type Row, rowsAt } from '../../core/json.ts'
import { accountRead } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { totalRows } from '../rows.ts'
import type { SignedContext } from '../tool.ts'
import { orderWithLegs } from '../views/algo-orders.ts'

const NEWEST_MAX = 100

/** The result of searching an order by its client_order_id; `row` is null if it was not found. */
export type FoundOrder = {
  readonly row: Row | null
  /** Whether the order is a stop, a trailing stop, a TP/SL or a bracket. */
  readonly isConditional: boolean
  /** Whether the search covered every order. If false, a missing order may be older than the searched orders. */
  readonly isWhole: boolean
}

/** Searches a client_order_id among the account's 100 newest orders and 100 newest conditional orders, in any state. */
export async function orderByClientId(
  context: SignedContext,
  id: string,
  symbol: string | undefined,
): Promise<FoundOrder> {
  const query = { symbol, page: 1, size: NEWEST_MAX }
  const [orders, algos] = await Promise.all([
    accountRead(context, '/v1/orders', query),
    accountRead(context, '/v1/algo/orders', query).catch(emptyIfNotFound),
  ])
  const isNamed = (row: Row) => row['client_order_id'] === id
  const algo = rowsAt(algos, 'rows').find((root) => orderWithLegs(root).some(isNamed))
  // A filled bracket also appears as an ordinary order, which has fewer details.
  const row = algo ?? rowsAt(orders, 'rows').find(isNamed) ?? null
  const isWhole = [orders, algos].every((answer) => totalRows(answer) <= NEWEST_MAX)
  return { row, isConditional: algo !== undefined, isWhole }
}

// A venue without conditional orders answers not_found; treat that as an empty list.
function emptyIfNotFound(error: unknown): object {
  if (error instanceof ClientFailure && error.code === 'not_found') return {}
  throw error
}
