import type { TObject, TSchema } from '@sinclair/typebox'
import { Failure } from '../../core/failure.ts'
import { isObject, type Row, SpelledNumber, toFloat } from '../../core/json.ts'
import type { Meter } from '../../core/observing/meter.ts'

/** Routes whose answers are converted to the types of the specification. */
export const TYPED_ROUTES = [
  ...(['markets', 'marketRules', 'orderbook', 'candles', 'trades', 'funding', 'config'] as const),
  ...([
    'marketSessions',
    'tokens',
    'depositChains',
    'liquidations',
    'leaderboard',
    'whales',
  ] as const),
] as const

type TypedRoute = (typeof TYPED_ROUTES)[number]

type Counting = { readonly meter: Pick<Meter, 'counter'> }

/**
 * The required members of a route's rows: a row without such a member is left out. Any other missing member is just
 * omitted.
 */
const REQUIRED_MEMBERS: Readonly<Partial<Record<TypedRoute, readonly string[]>>> = {
  markets: ['symbol', 'mark_price'],
  marketRules: ['symbol', 'maxLeverage', 'info'],
  trades: ['side', 'executed_price', 'executed_quantity', 'executed_timestamp'],
  funding: ['symbol'],
  tokens: ['token'],
  depositChains: ['chainId', 'name'],
  leaderboard: ['volume', 'pnl', 'notional'],
  whales: ['volume', 'pnl', 'notional'],
}

/**
 * Converts the rows of a venue's list to the types of their schema. A row that cannot be converted exactly is left out
 * and counted. Throws Failure upstream_unavailable, which is never cached, for a value other than a list, or if all
 * rows are left out.
 */
export function typedRows(
  deps: Counting,
  route: TypedRoute,
  schema: TObject,
  rows: unknown,
): readonly Row[] {
  return usableRows(deps, route, rows, (row, drop) => {
    const made = typedValue(schema, row, drop)
    return isObject(made) && REQUIRED_MEMBERS[route]?.every((name) => name in made) !== false
      ? made
      : null
  })
}

/** Converts the venue's value to a row; null if that fails. Call `drop` for each nested row that is left out. */
type ToRow<T> = (row: unknown, drop: () => void) => T | null

/** The rows of a venue's list, converted by `make`. Throws Failure upstream_unavailable as `typedRows`. */
export function usableRows<T>(
  deps: Counting,
  route: TypedRoute,
  rows: unknown,
  make: ToRow<T>,
): readonly T[] {
  if (!Array.isArray(rows)) throw new Failure('upstream_unavailable')
  const kept = convertibleRows(deps, route, rows, make)
  if (rows.length > 0 && kept.length === 0) throw new Failure('upstream_unavailable')
  return kept
}

/** The rows that `make` can convert; the list may be empty. Other rows are left out and counted. */
export function convertibleRows<T>(
  { meter }: Counting,
  route: TypedRoute,
  rows: readonly unknown[],
  make: ToRow<T>,
): readonly T[] {
  let dropped = 0
  const drop = () => {
    dropped += 1
  }
  const made = rows.map((row) => make(row, drop)).filter((row) => row !== null)
  dropped += rows.length - made.length
  if (dropped > 0) meter.counter('prepd_venue_rows_dropped_total', route).add(dropped)
  return made
}

/** Converts an object to the types of its schema. Throws Failure upstream_unavailable if that fails. */
export function typedObject(
  deps: Counting,
  route: TypedRoute,
  schema: TObject,
  value: unknown,
): Row {
  const [object = {}] = typedRows(deps, route, schema, [value])
  return object
}

/** Converts a value to a schema's type; undefined if that is not exactly possible. */
function typedValue(schema: TSchema, value: unknown, drop: () => void): unknown {
  switch (schema['type']) {
    case 'integer':
      return toInteger(value)
    case 'number':
      return toVenueNumber(value)
    case 'string':
      return toText(schema, value)
    case 'array':
      return Array.isArray(value) ? typedItems(schema['items'], value, drop) : undefined
    case 'object':
      return isObject(value) ? typedMembers(schema['properties'], value, drop) : undefined
    default:
      return value
  }
}

function typedItems(items: TSchema, list: readonly unknown[], drop: () => void): unknown {
  return list.flatMap((item) => {
    const made = typedValue(items, item, drop)
    if (made === undefined) drop()
    return made === undefined ? [] : [made]
  })
}

/** Converts the present members of a schema; undefined if one cannot be converted. */
function typedMembers(
  properties: Readonly<Record<string, TSchema>>,
  object: Row,
  drop: () => void,
): Row | undefined {
  const typed: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const value = object[name]
    if (value === undefined) continue
    const made = typedValue(schema, value, drop)
    if (made === undefined) return undefined
    typed[name] = made
  }
  return typed
}

/** The integer part of a number or of its text; undefined for any other value. */
export function toInteger(value: unknown): number | undefined {
  const number = toFloat(toVenueNumber(value))
  const integer = number === undefined ? undefined : Math.trunc(number)
  return Number.isSafeInteger(integer) ? integer : undefined
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d{0,63})(?:\.\d{1,64})?(?:[eE][+-]?\d{1,3})?$/

/** A number with all its digits, from the venue's number or text; undefined for any other value. */
export function toVenueNumber(value: unknown): unknown {
  const number = typeof value === 'string' && JSON_NUMBER.test(value) ? exactNumber(value) : value
  return toFloat(number) === undefined ? undefined : number
}

function exactNumber(text: string): number | SpelledNumber {
  const number = Number(text)
  return String(number) === text ? number : new SpelledNumber(text)
}

function toText({ pattern }: TSchema, value: unknown): string | undefined {
  const isText = typeof value === 'string' || toFloat(value) !== undefined
  const text = isText ? String(value) : undefined
  const fits = text !== undefined && (typeof pattern !== 'string' || RegExp(pattern).test(text))
  return fits ? text : undefined
}
