import { LIMITS } from '../../contract/limits.ts'
import { type Row, rowsAt } from '../../core/json.ts'
import { orElse } from '../../core/loop/guarded.ts'
import { FILLS_MAX, type PeriodRows } from '../../perp/pnl.ts'
import { accountRead, type Query } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { totalOf } from '../rows.ts'
import type { SignedContext } from '../tool.ts'

/** Reads the fills, funding payments and liquidations of an account since a time in ms. */
export async function periodRows(context: SignedContext, fromMs: number): Promise<PeriodRows> {
  const since = { start_t: fromMs }
  const [fills, funding, liquidations] = await Promise.all([
    allRows(context, '/v1/trades', since),
    allRows(context, '/v1/funding_fee/history', since),
    allRows(context, '/v1/liquidations', since),
  ])
  // Exactly as many as the venue answers at most: older ones may be missing.
  return { fills: fills?.length === FILLS_MAX ? null : fills, funding, liquidations }
}

/** Every row of a paged list; null where it cannot be read, or has more rows than are read for one answer. */
export async function allRows(
  context: SignedContext,
  path: string,
  query: Query,
): Promise<readonly Row[] | null> {
  const size = LIMITS.reportPageRows
  // A row that comes in between two pages shifts one of them into the next page: each counts once.
  const rows = new Map<string, Row>()
  for (let page = 1; page <= LIMITS.reportPagesMax; page += 1) {
    const answer = await accountRead(context, path, { ...query, page, size }).catch(
      orElse('mcp', null, ClientFailure),
    )
    if (answer === null) return null
    for (const row of rowsAt(answer, 'rows')) rows.set(JSON.stringify(row), row)
    if (page * size >= totalOf(answer)) return [...rows.values()]
  }
  return null
}
