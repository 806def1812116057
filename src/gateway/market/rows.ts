import type { TObject } from '@sinclair/typebox'
import { formatDecimal, parseDecimal } from '../../core/decimals.ts'
import { isObject, numberOf, type Row, SpelledNumber } from '../../core/json.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { UpstreamResponse } from '../../core/ports.ts'
import { type DecimalRows, decimalRows, type RowShape } from '../../scrub/decimal-rows.ts'
import { VENUE_SYMBOLS } from '../../spec/market/symbols.ts'
import { acceptedPayload } from '../../wire/envelope.ts'

/** Whether a row is of a shared market, not one that carries a builder's suffix. */
export function isShared(row: Row): boolean {
  return typeof row['symbol'] === 'string' && VENUE_SYMBOLS.shared.test(row['symbol'])
}

/** Whether a market can be traded; a venue that says nothing of status lists active markets only. */
export function isActive(row: Row): boolean {
  return row['status'] === undefined || row['status'] === 'ACTIVE'
}

/** The change over a day in percent, four decimals; zero when the open was zero. */
export function changePercent(open: unknown, close: unknown): number {
  const from = numberOf(open) ?? 0
  const to = numberOf(close) ?? 0
  return from === 0 ? 0 : Number((((to - from) / from) * 100).toFixed(4))
}

/** The highest leverage a market's initial margin rate allows: its reciprocal, rounded. */
export function maxLeverage(baseImr: unknown): number {
  const rate = numberOf(baseImr) ?? 0
  return rate > 0 ? Math.round(1 / rate) : 0
}

/** The steps of `"1,2,3,5"` as numbers. */
export function leverageSteps(list: unknown): readonly number[] {
  const text = typeof list === 'string' ? list : ''
  return text
    .split(',')
    .map((step) => Number(step.trim()))
    .filter((step) => Number.isFinite(step) && step > 0)
}

/** As small as amounts are anywhere. */
const EXPONENT_SCALE = 18

const PLAIN = /^-?\d{1,64}(?:\.\d{1,64})?$/

/**
 * A number that the venue sent, as JSON number or as text: its own spelling, but without an exponent. Null when it is
 * neither, or longer than any amount.
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

/** A read's `data` with some of its lists empty, and the rows of these. */
type PlainRows = {
  readonly payload: Readonly<Record<string, unknown>>
  readonly lists: readonly DecimalRows[]
}

/**
 * Cuts the rows of the named lists of a read's `data` out of its text, where all are of one shape: they need be neither
 * parsed nor written again. Null for any other answer, and for lists in another order.
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

/** Whether the list of that name that was found is the payload's own: the only one, spelled without escapes. */
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

/** Routes whose rows are made of the types that the specification names. */
export const TYPED_ROUTES = ['markets', 'candles', 'trades'] as const

/** The rows that can be made; the others are left out and counted. */
export function typedRows(
  { meter }: { readonly meter: Pick<Meter, 'counter'> },
  route: (typeof TYPED_ROUTES)[number],
  rows: readonly Row[],
  make: (row: Row) => Row | null,
): readonly Row[] {
  const made = rows.map(make).filter((row) => row !== null)
  const dropped = rows.length - made.length
  if (dropped > 0) meter.counter('prepd_venue_rows_dropped_total', route).add(dropped)
  return made
}

/**
 * The fields of a schema that a row has: numbers also where the venue wrote them as text, integers without a fraction.
 * Null where a number is none.
 */
export function typedRow({ properties }: TObject, row: Row): Row | null {
  const typed: Record<string, unknown> = {}
  for (const [name, { type }] of Object.entries(properties)) {
    const value = row[name]
    if (value === undefined) continue
    const made = type === 'integer' ? integerOf(value) : type === 'number' ? amountOf(value) : value
    if (made === undefined) return null
    typed[name] = made
  }
  return typed
}

/** An integer out of a number or its text, a fraction cut off; undefined where it is none. */
export function integerOf(value: unknown): number | undefined {
  const number = numberOf(amountOf(value))
  const integer = number === undefined ? undefined : Math.trunc(number)
  return Number.isSafeInteger(integer) ? integer : undefined
}

const NUMBER = /^-?\d{1,64}(?:\.\d{1,64})?(?:[eE][+-]?\d{1,3})?$/

/** A number as the venue spelled it, or out of its text; undefined where it is none. */
function amountOf(value: unknown): unknown {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
  return numberOf(number) === undefined ? undefined : number
}
