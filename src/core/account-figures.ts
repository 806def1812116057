import { absolute, exactNumber, larger, mulDiv, ONE, PER_MICRO, SCALE } from './decimals.ts'
import { isObject } from './json.ts'
import type { AccountFigures } from './limit-check.ts'

const PER_VALUE = PER_MICRO * ONE

/** The figures of an account in the venue's answer to GET /v1/positions; null where one of them is not there. */
export function figuresOf(answer: unknown, askedAtMs: number): AccountFigures | null {
  if (!isObject(answer) || !Array.isArray(answer['rows'])) return null
  const value = exact(answer['account_value'])
  const result = exact(answer['total_pnl_24_h'])
  if (value === null || result === null) return null
  const notionals = new Map<string, bigint>()
  let feesMicros = 0n
  for (const row of answer['rows']) {
    const notional = isObject(row) ? notionalOf(row) : null
    if (notional === null || !isObject(row)) return null
    notionals.set(String(row['symbol']), notional)
    feesMicros += mulDiv(exact(row['fee_24_h']) ?? 0n, 1n, PER_MICRO, 'ceil')
  }
  return {
    askedAtMs,
    valueMicros: mulDiv(value, 1n, PER_MICRO, 'floor'),
    dayResultMicros: mulDiv(result, 1n, PER_MICRO, 'floor') - feesMicros,
    notionals,
  }
}

/** The larger position that the open orders of one side could lead to, at the mark; null where a figure is missing. */
function notionalOf(row: Readonly<Record<string, unknown>>): bigint | null {
  const [held, long, short, mark] = FIELDS.map((field) => exact(row[field]))
  if (held == null || long == null || short == null || mark == null) return null
  const sides = [held, held + absolute(long), held - absolute(short)].map(absolute)
  const most = sides.reduce(larger)
  return mulDiv(most, mark, PER_VALUE, 'ceil')
}

const FIELDS = ['position_qty', 'pending_long_qty', 'pending_short_qty', 'mark_price'] as const

function exact(value: unknown): bigint | null {
  return exactNumber(value, SCALE)
}
