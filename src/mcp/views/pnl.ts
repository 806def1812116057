import { ClientFailure } from '../../client/client.ts'
import { absolute } from '../../core/decimals.ts'
import { type Row, rowsAt } from '../../core/json.ts'
import { orElse } from '../../core/loop/guarded.ts'
import { toAmount, toUsdcNumber } from '../../perp/amounts.ts'
import { LIMITS } from '../../spec/limits.ts'
import { accountRead, type Query } from '../account-call.ts'
import { figure, totalOf } from '../rows.ts'
import type { SignedContext } from '../tool.ts'

/** The rows of a period that PnL is made of, newest first; null where they cannot be read, or are too many. */
export type PeriodRows = Awaited<ReturnType<typeof periodRows>>

/** Reads the fills, funding payments and liquidations of an account since a time in ms. */
export async function periodRows(context: SignedContext, fromMs: number) {
  const since = { start_t: fromMs }
  const [fills, funding, liquidations] = await Promise.all([
    allRows(context, '/v1/trades', since),
    allRows(context, '/v1/funding_fee/history', since),
    allRows(context, '/v1/liquidations', since),
  ])
  return { fills, funding, liquidations }
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

/**
 * The PnL in USDC that the rows since a time add up to, by its parts, each signed as it changed the account; null is unknown.
 * Trading is realised by fills, before fees: a liquidation has none, so that it is unknown after one.
 */
export function pnlSince({ fills, funding, liquidations }: PeriodRows, fromMs: number) {
  const own = fills?.filter((row) => figure(row, 'executed_timestamp') >= fromMs)
  const paid = funding?.filter((row) => figure(row, 'created_time') >= fromMs)
  const isCounted = liquidations?.every((row) => figure(row, 'timestamp') < fromMs) ?? false
  const trading = own && isCounted ? sum(own, (row) => toAmount(row['realized_pnl'])) : null
  const fees = own ? sum(own, feeOf) : null
  const received = paid ? sum(paid, fundingOf) : null
  const isKnown = trading !== null && fees !== null && received !== null
  return {
    trading: trading === null ? null : toUsdcNumber(trading),
    fees: fees === null ? null : toUsdcNumber(fees),
    funding: received === null ? null : toUsdcNumber(received),
    net: isKnown ? toUsdcNumber(trading + fees + received) : null,
  }
}

function sum(rows: readonly Row[], part: (row: Row) => bigint | null): bigint | null {
  let total = 0n
  for (const row of rows) {
    const value = part(row)
    if (value === null) return null
    total += value
  }
  return total
}

function feeOf({ fee, fee_asset }: Row): bigint | null {
  const amount = toAmount(fee)
  return amount === null || fee_asset !== 'USDC' ? null : -amount
}

/** The venue answers amounts without a sign. */
function fundingOf({ funding_fee, payment_type }: Row): bigint | null {
  const amount = toAmount(funding_fee)
  if (amount === null) return null
  const size = absolute(amount)
  if (payment_type === 'Receive') return size
  return payment_type === 'Pay' ? -size : null
}
