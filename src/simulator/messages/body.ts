import { parseDecimal } from '../../core/decimals.ts'
import { isObject } from '../../core/json.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { type RefusalName, refusal } from './refusals.ts'

/** The members of a request body. Numbers stay texts, so that no price is converted to a float. */
export type Fields = Readonly<Record<string, unknown>>

/** Parses a JSON object and keeps numbers as texts. Throws -1005 for any other body. */
export function parseFields(body: string): Fields {
  const fields = parsed(body)
  if (!isObject(fields)) throw refusal('parameter', 'The request body must be a JSON object')
  return fields
}

/** A text member; undefined if absent or null. Throws -1005 if it is not a text, empty or too long. */
export function textField(fields: Fields, name: string, maxChars = 512): string | undefined {
  const value = fields[name] ?? undefined
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '' || value.length > maxChars)
    throw refusal('parameter', `${name} is invalid`)
  return value
}

/** A required text member. Throws -1005 if it is missing or not a text. */
export function requiredText(fields: Fields, name: string, maxChars = 512): string {
  const value = textField(fields, name, maxChars)
  if (value === undefined) throw refusal('parameter', `${name} is required`)
  return value
}

/** A boolean member; false if absent or null. Throws -1005 for another type. */
export function flagField(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false
  if (typeof value !== 'boolean') throw refusal('parameter', `${name} must be true or false`)
  return value
}

/** A member with one of the listed texts; undefined if absent or null. Throws -1005 for any other value. */
export function choiceField<T extends string>(
  fields: Fields,
  name: string,
  choices: readonly T[],
): T | undefined {
  const value = fields[name] ?? undefined
  const choice = choices.find((candidate) => candidate === value)
  if (value !== undefined && choice === undefined)
    throw refusal('parameter', `${name} must be one of ${choices.join(', ')}`)
  return choice
}

/** A required member with one of the listed texts. Throws -1005 for any other value. */
export function requiredChoice<T extends string>(
  fields: Fields,
  name: string,
  choices: readonly T[],
): T {
  const choice = choiceField(fields, name, choices)
  if (choice === undefined) throw refusal('parameter', `${name} is required`)
  return choice
}

/**
 * A decimal scaled by 10^8, from a JSON number or a text; undefined if absent or null. Throws -1005 if it is not a
 * number, and `offGrid` if it has more than eight decimals.
 */
export function decimalField(
  fields: Fields,
  name: string,
  offGrid: RefusalName = 'parameter',
): bigint | undefined {
  const text = textField(fields, name)
  if (text === undefined) return undefined
  const value = parseDecimal(text, DECIMALS)
  if (value !== null) return value
  if (parseDecimal(text, PLACES_MAX) === null)
    throw refusal('parameter', `${name} must be a number`)
  throw refusal(offGrid, `${name} has more than ${DECIMALS} decimals`)
}

/**
 * An integer within bounds, from a JSON number or a text; undefined if absent or null. Throws -1005 for any other
 * value.
 */
export function integerField(
  fields: Fields,
  name: string,
  min: number,
  max: number,
): number | undefined {
  const text = textField(fields, name)
  if (text === undefined) return undefined
  const value = Number(parseDecimal(text, 0) ?? Number.NaN)
  if (!(value >= min && value <= max))
    throw refusal('parameter', `${name} must be an integer between ${min} and ${max}`)
  return value
}

const DECIMALS = 8
const PLACES_MAX = 128

function parsed(body: string): unknown {
  try {
    return JSON.parse(body, exact)
  } catch (error) {
    reportUnexpected('venue', error, SyntaxError, RangeError)
    return undefined
  }
}

function exact(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? context?.source : value
}
