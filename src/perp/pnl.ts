import { absolute } from '../core/decimals.ts'
import { type Row, rowsAt } from '../core/json.ts'
import { DAY_MS } from '../spec/durations.ts'
import { fromMicros, toAmount, toUsdcNumber } from './amounts.ts'

/** The rows of a period that PnL is made of, newest first; null if they cannot be read, or are too many. */
export type PeriodRows = {
  readonly fills: readonly Row[] | null
  readonly funding: readonly Row[] | null
  readonly liquidations: readonly Row[] | null
}

/**
 * The PnL in USDC that the rows since a time add up to, by its parts, each signed as it changed the account; null is unknown.
 * Trading is realised by fills, before fees: a liquidation has none, so that it is unknown after one.
 */
export function pnlSince({ fills, funding, liquidations }: PeriodRows, fromMs: number) {
  const own = fills?.filter((row) => toMs(row['executed_timestamp']) >= fromMs)
  const paid = funding?.filter((row) => toMs(row['created_time']) >= fromMs)
  const isCounted = liquidations?.every((row) => toMs(row['timestamp']) < fromMs) ?? false
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

/**
 * What the last 24 hours changed an account's value by, money moved in or out aside, as amounts by their causes, each
 * signed as it changed the account; null is unknown. `positions` is the answer of `GET /v1/positions`, whose own PnL is
 * that of prices alone; `funding` are rows of `GET /v1/funding_fee/history`. A position that is closed and settled has
 * no row to read its fees from, but its PnL is in the total: fees are unknown where the rows do not add up to the total.
 */
export function dayPnl(positions: Row, funding: readonly Row[] | null, nowMs: number) {
  const day = funding?.filter((row) => toMs(row['created_time']) > nowMs - DAY_MS)
  const prices = toAmount(positions['total_pnl_24_h'])
  const rows = rowsAt(positions, 'rows')
  const isWhole = hasTotal(rows, prices)
  const fees = isWhole ? sum(rows, ({ fee_24_h: paid }) => negated(toAmount(paid))) : null
  const received = day ? sum(day, fundingOf) : null
  const isKnown = prices !== null && fees !== null && received !== null
  return { prices, fees, funding: received, net: isKnown ? prices + fees + received : null }
}

/** Whether the PnL of rows adds up to a total, except for a micro-USDC that each row may be rounded by. */
function hasTotal(rows: readonly Row[], total: bigint | null): boolean {
  const added = sum(rows, ({ pnl_24_h: pnl }) => toAmount(pnl))
  if (added === null || total === null) return false
  return absolute(total - added) <= fromMicros(BigInt(rows.length))
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
  return fee_asset === 'USDC' ? negated(toAmount(fee)) : null
}

function negated(amount: bigint | null): bigint | null {
  return amount === null ? null : -amount
}

/** The venue answers amounts without a sign. */
function fundingOf({ funding_fee, payment_type }: Row): bigint | null {
  const amount = toAmount(funding_fee)
  if (amount === null) return null
  const size = absolute(amount)
  if (payment_type === 'Receive') return size
  return payment_type === 'Pay' ? -size : null
}

/** A time of a row in ms; zero, which is before every period, if it has none. */
function toMs(value: unknown): number {
  const ms = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0
  return Number.isFinite(ms) ? ms : 0
}
