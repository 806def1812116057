import { DAY_MS } from '../contract/durations.ts'
import { absolute, ONE, smaller } from '../core/decimals.ts'
import { isObject, type Row, rowsAt } from '../core/json.ts'
import { fromMicros, sumOrNull, toAmount, toUsdcNumber } from './amounts.ts'
import { isWholeAnswer } from './waiting.ts'

/** The rows of a period from which its PnL is computed, newest first; null if they are unreadable or incomplete. */
export type PeriodRows = {
  readonly fills: readonly Row[] | null
  readonly funding: readonly Row[] | null
  readonly liquidations: readonly Row[] | null
}

/** The reads that give the rows of the last 24 hours. */
export const DAY_READS = {
  fills: '/v1/trades?page=1&size=500',
  funding: '/v1/funding_fee/history?page=1&size=500',
  liquidations: '/v1/liquidations?page=1&size=500',
} as const satisfies Readonly<Record<keyof PeriodRows, string>>

const TIMES = {
  fills: 'executed_timestamp',
  funding: 'created_time',
  liquidations: 'timestamp',
} as const satisfies Readonly<Record<keyof PeriodRows, string>>

/** The rows of the last 24 hours in an answer to one of `DAY_READS`; null if the answer may leave rows out. */
function dayRows(answer: unknown, name: keyof PeriodRows, nowMs: number): readonly Row[] | null {
  if (!isObject(answer)) return null
  const rows = rowsAt(answer, 'rows')
  const [newest = 0, oldest = 0] = [rows.at(0), rows.at(-1)].map((row) => timeIn(row, name))
  const isPast = oldest > 0 && oldest < newest && oldest <= nowMs - DAY_MS
  return isPast || (isWholeAnswer(answer) && !isCut(rows, name))
    ? rowsOfDay(rows, name, nowMs)
    : null
}

/** Maximum fills in one answer: the venue returns only the latest 500 of the selected fills. */
export const FILLS_MAX = 500

/** Whether one answer has the maximum number of fills, so that older fills may be missing. */
function isCut(rows: readonly Row[], name: keyof PeriodRows): boolean {
  return name === 'fills' && rows.length >= FILLS_MAX
}

/** The time of a row in ms; zero for a row without a time. */
function timeIn(row: Row | undefined, name: keyof PeriodRows): number {
  return rowTimeMs(row?.[TIMES[name]])
}

/**
 * The totals of the last 24 hours, as amounts; null if unknown. Fees and funding have the sign by which they changed
 * the account; liquidations are counted.
 */
export type DayTotals = Readonly<Record<keyof PeriodRows, bigint | null>>

const PARTS = {
  fills: fillFee,
  funding: fundingChange,
  liquidations: () => ONE,
} as const satisfies Readonly<Record<keyof PeriodRows, (row: Row) => bigint | null>>

/** The total of the last 24 hours from an answer to one of `DAY_READS`; null if unknown. */
export function parseDayTotal(
  answer: unknown,
  name: keyof PeriodRows,
  nowMs: number,
): bigint | null {
  return dayTotal(dayRows(answer, name, nowMs), name, nowMs)
}

/** The totals of the last 24 hours from the answers to all of `DAY_READS`. */
export function parseDayTotals(
  answers: Readonly<Record<keyof PeriodRows, unknown>>,
  nowMs: number,
): DayTotals {
  const total = (name: keyof PeriodRows) => parseDayTotal(answers[name], name, nowMs)
  return { fills: total('fills'), funding: total('funding'), liquidations: total('liquidations') }
}

/** The total over the rows of the last 24 hours; null if the rows are unknown, or the value of a row. */
function dayTotal(
  rows: readonly Row[] | null,
  name: keyof PeriodRows,
  nowMs: number,
): bigint | null {
  return rows && sumOrNull(rowsOfDay(rows, name, nowMs), PARTS[name])
}

/** The totals of the last 24 hours from the rows of a period of 24 hours or more. */
export function dayTotals({ fills, funding, liquidations }: PeriodRows, nowMs: number): DayTotals {
  return {
    fills: dayTotal(fills, 'fills', nowMs),
    funding: dayTotal(funding, 'funding', nowMs),
    liquidations: dayTotal(liquidations, 'liquidations', nowMs),
  }
}

function rowsOfDay(rows: readonly Row[], name: keyof PeriodRows, nowMs: number): readonly Row[] {
  return rows.filter((row) => timeIn(row, name) > nowMs - DAY_MS)
}

/**
 * The PnL in USDC since a time, by cause, with the sign by which it changed the account; null if unknown. `trading` is
 * the realised PnL of fills before fees. It is unknown after a liquidation, which has no fill.
 */
export function pnlSince({ fills, funding, liquidations }: PeriodRows, fromMs: number) {
  const own = fills?.filter((row) => rowTimeMs(row['executed_timestamp']) >= fromMs)
  const paid = funding?.filter((row) => rowTimeMs(row['created_time']) >= fromMs)
  const isCounted = liquidations?.every((row) => rowTimeMs(row['timestamp']) < fromMs) ?? false
  const trading = own && isCounted ? sumOrNull(own, (row) => toAmount(row['realized_pnl'])) : null
  const fees = own ? sumOrNull(own, fillFee) : null
  const received = paid ? sumOrNull(paid, fundingChange) : null
  const isKnown = trading !== null && fees !== null && received !== null
  return {
    trading: trading === null ? null : toUsdcNumber(trading),
    fees: fees === null ? null : toUsdcNumber(fees),
    funding: received === null ? null : toUsdcNumber(received),
    net: isKnown ? toUsdcNumber(trading + fees + received) : null,
  }
}

/** The figures of the last 24 hours in an answer to `GET /v1/positions`; null if unknown. */
export type PositionsDay = ReturnType<typeof positionsDay>

/**
 * The PnL of the last 24 hours from price changes, and the fees. The total includes the PnL of closed and settled
 * positions, whose rows with fees are gone. If the rows do not add up to the total, the fees are unknown.
 */
export function positionsDay(positions: Row) {
  const prices = toAmount(positions['total_pnl_24_h'])
  const rows = rowsAt(positions, 'rows')
  const isWhole = hasTotal(rows, prices)
  const ofRows = sumOrNull(rows, ({ fee_24_h: paid }) => negated(toAmount(paid)))
  return { prices, fees: isWhole ? ofRows : null, rowFees: ofRows ?? 0n }
}

/**
 * The change of an account's value in the last 24 hours, without deposits and withdrawals, by cause. Amounts have the
 * sign by which they changed the account; null if unknown.
 */
export function dayPnl(
  { prices, fees: shown }: Pick<PositionsDay, 'prices' | 'fees'>,
  totals: DayTotals,
) {
  const fees = dayFees(shown, totals)
  const { funding } = totals
  const isKnown = prices !== null && fees !== null && funding !== null
  return { prices, fees, funding, net: isKnown ? prices + fees + funding : null }
}

/**
 * The fees of the last 24 hours, negative. They are the larger of the positions' fees and the fills' fees, because
 * settled positions are missing if their PnL adds up to zero. If the positions' fees are unknown, the fills' fees
 * count, unless there was a liquidation, which has no fill.
 */
function dayFees(shown: bigint | null, { fills, liquidations }: DayTotals): bigint | null {
  if (shown !== null) return fills === null ? shown : smaller(shown, fills)
  return liquidations === 0n ? fills : null
}

/** Whether the PnL of the rows adds up to the total. Each row may differ by one micro-USDC of rounding. */
function hasTotal(rows: readonly Row[], total: bigint | null): boolean {
  const added = sumOrNull(rows, ({ pnl_24_h: pnl }) => toAmount(pnl))
  if (added === null || total === null) return false
  return absolute(total - added) <= fromMicros(BigInt(rows.length))
}

/** The change of the balance by a fill's fee; null if the fee is unknown or in another token than USDC. */
export function fillFee({ fee, fee_asset }: Row): bigint | null {
  return fee_asset === 'USDC' ? negated(toAmount(fee)) : null
}

function negated(amount: bigint | null): bigint | null {
  return amount === null ? null : -amount
}

/** The change of the balance by a funding payment, null if unknown. The amount is unsigned; `payment_type` gives its sign. */
export function fundingChange({ funding_fee, payment_type }: Row): bigint | null {
  const amount = toAmount(funding_fee)
  if (amount === null) return null
  const size = absolute(amount)
  if (payment_type === 'Receive') return size
  return payment_type === 'Pay' ? -size : null
}

/** A row's timestamp in ms; zero if the row has no valid timestamp, so that it lies before every period. */
export function rowTimeMs(value: unknown): number {
  const ms = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0
  return Number.isFinite(ms) ? ms : 0
}
