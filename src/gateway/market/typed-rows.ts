import type { TObject } from '@sinclair/typebox'
import { numberOf } from '../../core/json.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { WireRow } from './rows.ts'

/** Routes whose rows are made of the types that the specification names. */
export const TYPED_ROUTES = ['markets', 'candles', 'trades'] as const

/** The rows that can be made; the others are left out and counted. */
export function typedRows(
  { meter }: { readonly meter: Pick<Meter, 'counter'> },
  route: (typeof TYPED_ROUTES)[number],
  rows: readonly WireRow[],
  make: (row: WireRow) => WireRow | null,
): readonly WireRow[] {
  const made = rows.map(make).filter((row) => row !== null)
  const dropped = rows.length - made.length
  if (dropped > 0) meter.counter('prepd_venue_rows_dropped_total', route).add(dropped)
  return made
}

/**
 * The fields of a schema that a row has: numbers also where the venue wrote them as text, integers without a fraction.
 * Null where a number is none.
 */
export function typedRow({ properties }: TObject, row: WireRow): WireRow | null {
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
