import { accountRead } from '../account-call.ts'
import { type Row, rowsAt } from '../rows.ts'
import type { SignedContext } from '../tool.ts'

const NEWEST_MAX = 100

/** The newest order of a client_order_id among the newest hundred, whatever became of it; null when there is none. */
export async function orderByClientId(
  context: SignedContext,
  id: string,
  symbol: string | undefined,
  path = '/v1/orders',
): Promise<Row | null> {
  const answer = await accountRead(context, path, { symbol, page: 1, size: NEWEST_MAX })
  return rowsAt(answer, 'rows').find((row) => row['client_order_id'] === id) ?? null
}
