import { LIMITS } from '../contract/limits.ts'
import { invalidParameter } from './failure.ts'

/** A decoded query string: all values of each name, in order. `null` is an undecodable value. */
export type Query = ReadonlyMap<string, readonly (string | null)[]>

/** The bounds and the default (`fallback`) of a count. */
export type Clamp = { readonly min: number; readonly max: number; readonly fallback: number }

/**
 * Parses a raw search string (`?a=b&c=d`, the question mark optional) by the WHATWG form encoding, but strict about
 * escapes. `+` is a space; repeated names are kept. A malformed or overlong value fails only when it is read by name,
 * so that unknown parameters are ignored. Throws invalid_request for a search string over the limit.
 */
export function parseQuery(search: string): Query {
  if (search.length > LIMITS.queryMaxChars) throw invalidParameter('query', 'too_long')
  const values = new Map<string, (string | null)[]>()
  for (const pair of search.replace(/^\?/, '').split('&')) {
    const equals = pair.indexOf('=')
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals))
    if (!name) continue
    const value = equals < 0 ? '' : decoded(pair.slice(equals + 1))
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return values
}

/**
 * The value of a parameter; undefined if absent or empty. Throws invalid_request, naming it, if it is repeated,
 * malformed or too long.
 */
export function optionalValue(
  query: Query,
  name: string,
  maxChars: number = LIMITS.queryValueMaxChars,
): string | undefined {
  const value = singleValue(query, name)
  if (value === null)
    throw invalidParameter(name, isRepeated(query, name) ? 'repeated' : 'malformed')
  if (isOverlong(value, maxChars)) throw invalidParameter(name, 'too_long')
  return value
}

/**
 * The value of a required parameter. Throws invalid_request, naming the parameter, if it is absent, repeated, malformed
 * or too long.
 */
export function requiredValue(query: Query, name: string): string {
  const value = optionalValue(query, name)
  if (value === undefined) throw invalidParameter(name, 'missing')
  return value
}

/** The value of a parameter; undefined instead of an error if it is repeated, malformed, too long, empty or absent. */
export function lenientValue(query: Query, name: string): string | undefined {
  const value = singleValue(query, name) ?? undefined
  return isOverlong(value, LIMITS.queryValueMaxChars) ? undefined : value
}

/** A count clamped to its bounds. Throws invalid_request that names a repeated or malformed parameter. */
export function clampedCount(query: Query, name: string, clamp: Clamp): number {
  const value = singleValue(query, name)
  if (value === null)
    throw invalidParameter(name, isRepeated(query, name) ? 'repeated' : 'malformed')
  return clamped(value, clamp)
}

/** A count clamped to its bounds; the fallback instead of an error if it is repeated or malformed. */
export function lenientCount(query: Query, name: string, clamp: Clamp): number {
  return clamped(singleValue(query, name) ?? undefined, clamp)
}

/** The single value of a parameter: undefined if absent or empty, null if repeated or malformed. */
function singleValue(query: Query, name: string): string | null | undefined {
  const [value, ...others] = query.get(name) ?? []
  if (others.length > 0 || value === null) return null
  return value || undefined
}

function isRepeated(query: Query, name: string): boolean {
  return (query.get(name)?.length ?? 0) > 1
}

function isOverlong(value: string | undefined, maxChars: number): boolean {
  return value !== undefined && value.length > maxChars
}

// Decimal numbers, also with leading zeros and exponent. `0x10`, `Infinity` and ` 5` count as typing mistakes.
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** A decimal number, rounded down and clamped; the fallback for other text. */
function clamped(text: string | undefined, { min, max, fallback }: Clamp): number {
  if (text === undefined || !NUMBER.test(text)) return fallback
  return Math.min(max, Math.max(min, Math.floor(Number(text))))
}

// Returns null instead of an error for `%zz`, `%` and bytes that are not UTF-8.
function decoded(text: string): string | null {
  return text.isWellFormed() ? (uriDecoded(text.replaceAll('+', ' ')) ?? null) : null
}

/** A text with decoded percent escapes; undefined if they are malformed or not UTF-8. */
export function uriDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
