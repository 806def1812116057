import { LIMITS } from '../../contract/limits.ts'
import { type Row, rowsAt } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { FILLS_MAX, type PeriodRows, rowTimeMs } from '../../perp/pnl.ts'
import { accountRead, type QueryValues } from '../account-call.ts'
import { ClientFailure } from '../client/client.ts'
import { totalRows } from '../rows.ts'
import type { SignedContext } from '../tool.ts'

/** Reads the fills, funding payments and liquidations of an account since a time in ms. */
export async function periodRows(context: SignedContext, fromMs: number): Promise<PeriodRows> {
  const since = { start_t: fromMs }
  const [fills, funding, liquidations] = await Promise.all([
    allFills(context, fromMs),
    allRows(context, '/v1/funding_fee/history', since),
    allRows(context, '/v1/liquidations', since),
  ])
  return { fills, funding, liquidations }
}

/**
 * Reads every fill since a time, newest first. An answer with the venue's maximum number of fills may leave older fills
 * out, which are then read next. Null if fills are unreadable, or need too many reads.
 */
async function allFills(context: SignedContext, fromMs: number): Promise<readonly Row[] | null> {
  const fills = new Map<string, Row>()
  let untilMs = Number.POSITIVE_INFINITY
  for (let read = 1; read <= LIMITS.reportPagesMax; read += 1) {
    const end = Number.isFinite(untilMs) ? { end_t: untilMs } : {}
    const rows = await allRows(context, '/v1/trades', { start_t: fromMs, ...end })
    if (!rows) return null
    for (const row of rows) fills.set(JSON.stringify(row), row)
    if (rows.length !== FILLS_MAX) return [...fills.values()]
    // The next range includes the oldest millisecond again, whether the venue treats `end_t` as inclusive or exclusive.
    const oldestMs = rowTimeMs(rows.at(-1)?.['executed_timestamp'])
    // The next range is unknown without the oldest fill's time, and endless if one millisecond fills an answer.
    if (oldestMs === 0 || oldestMs + 1 >= untilMs) return null
    untilMs = oldestMs + 1
  }
  return null
}

/** Reads every row of a paginated list; null if it is unreadable, or has too many pages. */
export async function allRows(
  context: SignedContext,
  path: string,
  query: QueryValues,
): Promise<readonly Row[] | null> {
  const size = LIMITS.reportPageRows
  // A row that is added between two reads shifts a row to the next page. So rows are deduplicated.
  const rows = new Map<string, Row>()
  for (let page = 1; page <= LIMITS.reportPagesMax; page += 1) {
    const answer = await accountRead(context, path, { ...query, page, size }).catch(
      defaultOnFailure('mcp', null, ClientFailure),
    )
    if (answer === null) return null
    for (const row of rowsAt(answer, 'rows')) rows.set(JSON.stringify(row), row)
    if (page * size >= totalRows(answer)) return [...rows.values()]
  }
  return null
}
