import { VENUE_SYMBOLS } from '../../contract/market/symbols.ts'
import { formatDecimal, parseDecimal } from '../../core/decimals.ts'
import { isObject, type Row, SpelledNumber, toFloat } from '../../core/json.ts'
import type { UpstreamResponse } from '../../core/ports.ts'
import { acceptedPayload } from '../../upstream/wire/envelope.ts'
import { type DecimalRows, decimalRows, type RowShape } from '../scrub/decimal-rows.ts'

/** Whether a row is about a shared market. Symbols of builders' own markets have a suffix. */
export function isShared(row: Row): boolean {
  return typeof row['symbol'] === 'string' && VENUE_SYMBOLS.shared.test(row['symbol'])
}

/** Whether a market can be traded. A venue that sends no status lists active markets only. */
export function isActive(row: Row): boolean {
  return row['status'] === undefined || row['status'] === 'ACTIVE'
}

/** The list of rows in a venue's payload, as sent; undefined for a payload without a list. */
export function listIn(payload: unknown): readonly unknown[] | undefined {
  const rows: unknown = isObject(payload) ? payload['rows'] : undefined
  return Array.isArray(rows) ? rows : undefined
}

/** The change over a day in percent, with four decimals; 0 if the open was zero or a value is unknown. */
export function changePercent(open: unknown, close: unknown): number {
  const from = toFloat(open) ?? 0
  const to = toFloat(close)
  return from === 0 || to === undefined ? 0 : Number((((to - from) / from) * 100).toFixed(4))
}

/** Decimals of the smallest amounts. */
const EXPONENT_SCALE = 18

const PLAIN = /^-?\d{1,64}(?:\.\d{1,64})?$/

/**
 * A number from the venue (JSON number or text) as decimal text with all its digits and without an exponent. Null for
 * other values, and for text longer than any amount.
 */
export function decimalText(value: unknown): string | null {
  if (typeof value !== 'string' && !isNumber(value)) return null
  const text = String(value)
  if (PLAIN.test(text)) return text
  const exact = parseDecimal(text, EXPONENT_SCALE)
  return exact === null ? null : formatDecimal(exact, EXPONENT_SCALE)
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof SpelledNumber
}

/** The payload of a read with some of its lists emptied (`payload`), and the rows of these lists (`lists`). */
type PlainRows = {
  readonly payload: Readonly<Record<string, unknown>>
  readonly lists: readonly DecimalRows[]
}

/**
 * Cuts the rows of the named lists out of a read's text, so that they are neither parsed nor serialised again. Null
 * unless all rows have the expected shape and the lists are in the sequence of `names`.
 */
export function plainRows(
  response: UpstreamResponse,
  names: readonly string[],
  shape: RowShape,
): PlainRows | null {
  const { body } = response
  const lists: DecimalRows[] = []
  let rest = ''
  let copied = 0
  for (const name of names) {
    const opening = `"${name}":[`
    const start = body.indexOf(opening, copied) + opening.length
    const rows = start < opening.length ? null : decimalRows(body, start, shape)
    if (!rows) return null
    lists.push(rows)
    rest += body.slice(copied, start)
    copied = start + rows.text.length
  }
  rest += body.slice(copied)
  const payload = acceptedPayload({ ...response, body: rest })
  return isObject(payload) && names.every((name) => isCut(name, rest, payload))
    ? { payload, lists }
    : null
}

/** Whether the emptied list is the payload's member of that name: its only occurrence, in a text without escapes. */
function isCut(name: string, rest: string, payload: Readonly<Record<string, unknown>>): boolean {
  const list = payload[name]
  const key = `"${name}"`
  return (
    Array.isArray(list) &&
    list.length === 0 &&
    rest.indexOf(key) === rest.lastIndexOf(key) &&
    !rest.includes('\\')
  )
}
