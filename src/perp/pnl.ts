import { DAY_MS } from '../contract/durations.ts'
import { absolute, ONE, smaller } from '../core/decimals.ts'
import { isObject, type Row, rowsAt } from '../core/json.ts'
import { fromMicros, toAmount, toUsdcNumber } from './amounts.ts'
import { isWholeAnswer } from './waiting.ts'

/** The rows of a period that PnL is made of, newest first; null if they cannot be read, or are too many. */
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

/** The rows of the last 24 hours in an answer to one of these reads; null where there may be more of them. */
function dayRows(answer: unknown, name: keyof PeriodRows, nowMs: number): readonly Row[] | null {
  if (!isObject(answer)) return null
  const rows = rowsAt(answer, 'rows')
  const [newest = 0, oldest = 0] = [rows.at(0), rows.at(-1)].map((row) => timeIn(row, name))
  const isPast = oldest > 0 && oldest < newest && oldest <= nowMs - DAY_MS
  return isPast || (isWholeAnswer(answer) && !isCut(rows, name)) ? ofDay(rows, name, nowMs) : null
}

/** The venue answers the latest of the fills that a read of trades selects, whatever their number is. */
export const FILLS_MAX = 500

/** Whether rows of one read are as many as the venue answers at most, so that its total may leave older ones out. */
function isCut(rows: readonly Row[], name: keyof PeriodRows): boolean {
  return name === 'fills' && rows.length >= FILLS_MAX
}

/** The time of a row in ms; zero for a row without a time. */
function timeIn(row: Row | undefined, name: keyof PeriodRows): number {
  return rowTimeMs(row?.[TIMES[name]])
}

/**
 * The totals of rows of the last 24 hours: fees and funding as they changed the account, and the number of liquidations, as
 * amounts; null is unknown.
 */
export type DayTotals = Readonly<Record<keyof PeriodRows, bigint | null>>

const PARTS = {
  fills: fillFee,
  funding: fundingChange,
  liquidations: () => ONE,
} as const satisfies Readonly<Record<keyof PeriodRows, (row: Row) => bigint | null>>

/** The total of the last 24 hours in an answer to one of the reads of the day; null is unknown. */
export function answeredTotal(
  answer: unknown,
  name: keyof PeriodRows,
  nowMs: number,
): bigint | null {
  return dayTotal(dayRows(answer, name, nowMs), name, nowMs)
}

/** The totals in the answers to these reads. */
export function answeredTotals(
  answers: Readonly<Record<keyof PeriodRows, unknown>>,
  nowMs: number,
): DayTotals {
  const total = (name: keyof PeriodRows) => answeredTotal(answers[name], name, nowMs)
  return { fills: total('fills'), funding: total('funding'), liquidations: total('liquidations') }
}

/** The total of those rows that are of the last 24 hours; null where they or a part of one are unknown. */
function dayTotal(
  rows: readonly Row[] | null,
  name: keyof PeriodRows,
  nowMs: number,
): bigint | null {
  return rows && partTotal(ofDay(rows, name, nowMs), PARTS[name])
}

/** The totals of the last 24 hours in the rows of a period that is no shorter. */
export function dayTotals({ fills, funding, liquidations }: PeriodRows, nowMs: number): DayTotals {
  return {
    fills: dayTotal(fills, 'fills', nowMs),
    funding: dayTotal(funding, 'funding', nowMs),
    liquidations: dayTotal(liquidations, 'liquidations', nowMs),
  }
}

function ofDay(rows: readonly Row[], name: keyof PeriodRows, nowMs: number): readonly Row[] {
  return rows.filter((row) => timeIn(row, name) > nowMs - DAY_MS)
}

/**
 * The PnL in USDC of the rows since a time, by its parts, each signed as it changed the account; null is unknown.
 * Trading is realised by fills, before fees. It is unknown after a liquidation, which has no fill.
 */
export function pnlSince({ fills, funding, liquidations }: PeriodRows, fromMs: number) {
  const own = fills?.filter((row) => rowTimeMs(row['executed_timestamp']) >= fromMs)
  const paid = funding?.filter((row) => rowTimeMs(row['created_time']) >= fromMs)
  const isCounted = liquidations?.every((row) => rowTimeMs(row['timestamp']) < fromMs) ?? false
  const trading = own && isCounted ? partTotal(own, (row) => toAmount(row['realized_pnl'])) : null
  const fees = own ? partTotal(own, fillFee) : null
  const received = paid ? partTotal(paid, fundingChange) : null
  const isKnown = trading !== null && fees !== null && received !== null
  return {
    trading: trading === null ? null : toUsdcNumber(trading),
    fees: fees === null ? null : toUsdcNumber(fees),
    funding: received === null ? null : toUsdcNumber(received),
    net: isKnown ? toUsdcNumber(trading + fees + received) : null,
  }
}

/** The figures of the last 24 hours in an answer to `GET /v1/positions`; null is unknown. */
export type PositionsDay = ReturnType<typeof positionsDay>

/**
 * The PnL of the last 24 hours by prices alone, and the fees. A position that is closed and settled has no row with its
 * fees, but its PnL is in the total. If the rows do not add up to the total, the fees are unknown.
 */
export function positionsDay(positions: Row) {
  const prices = toAmount(positions['total_pnl_24_h'])
  const rows = rowsAt(positions, 'rows')
  const isWhole = hasTotal(rows, prices)
  const ofRows = partTotal(rows, ({ fee_24_h: paid }) => negated(toAmount(paid)))
  return { prices, fees: isWhole ? ofRows : null, rowFees: ofRows ?? 0n }
}

/**
 * The change of an account's value in the last 24 hours, without deposits and withdrawals, as amounts by cause, each
 * signed as it changed the account; null is unknown.
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
 * The fees that positions show, or those of fills where they are more: positions whose PnL adds up to zero may have been
 * settled. Without fees of positions they are those of the fills, unless a liquidation, which has no fill, took some.
 */
function dayFees(shown: bigint | null, { fills, liquidations }: DayTotals): bigint | null {
  if (shown !== null) return fills === null ? shown : smaller(shown, fills)
  return liquidations === 0n ? fills : null
}

/** Whether the PnL of rows adds up to a total, except for a micro-USDC that each row may be rounded by. */
function hasTotal(rows: readonly Row[], total: bigint | null): boolean {
  const added = partTotal(rows, ({ pnl_24_h: pnl }) => toAmount(pnl))
  if (added === null || total === null) return false
  return absolute(total - added) <= fromMicros(BigInt(rows.length))
}

/** The sum of a part of each row; null if one is not known. */
export function partTotal(rows: readonly Row[], part: (row: Row) => bigint | null): bigint | null {
  let total = 0n
  for (const row of rows) {
    const value = part(row)
    if (value === null) return null
    total += value
  }
  return total
}

/** The change of the account by the fee of a fill; null for an unknown fee, or one in another token than USDC. */
export function fillFee({ fee, fee_asset }: Row): bigint | null {
  return fee_asset === 'USDC' ? negated(toAmount(fee)) : null
}

function negated(amount: bigint | null): bigint | null {
  return amount === null ? null : -amount
}

/** The change of the account by a funding payment, whose amount the venue answers without a sign; null if unknown. */
export function fundingChange({ funding_fee, payment_type }: Row): bigint | null {
  const amount = toAmount(funding_fee)
  if (amount === null) return null
  const size = absolute(amount)
  if (payment_type === 'Receive') return size
  return payment_type === 'Pay' ? -size : null
}

/** A time of a row in ms; zero, which is before every period, for a row without a time. */
export function rowTimeMs(value: unknown): number {
  const ms = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0
  return Number.isFinite(ms) ? ms : 0
}
