import { parseDecimal } from '../../core/decimals.ts'
import { isObject } from '../../core/json.ts'
import { expected } from '../../core/loop/guarded.ts'
import { type RefusalName, refusal } from './refusals.ts'

/** A request body in which every number is still its own text, so that no price passes through a float. */
export type Fields = Readonly<Record<string, unknown>>

/** Parses a JSON object, numbers as text. Throws -1005 when the body is anything else. */
export function parseFields(body: string): Fields {
  const fields = parsed(body)
  if (!isObject(fields)) throw refusal('parameter', 'The request body must be a JSON object')
  return fields
}

/** A text, or undefined when absent or null. Throws -1005 when it is of another type, empty or too long. */
export function textField(fields: Fields, name: string, maxChars = 512): string | undefined {
  const value = fields[name] ?? undefined
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '' || value.length > maxChars)
    throw refusal('parameter', `${name} is invalid`)
  return value
}

/** A text that must be there. Throws -1005. */
export function requiredText(fields: Fields, name: string, maxChars = 512): string {
  const value = textField(fields, name, maxChars)
  if (value === undefined) throw refusal('parameter', `${name} is required`)
  return value
}

/** A boolean, false when absent or null. Throws -1005 when it is of another type. */
export function flagField(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false
  if (typeof value !== 'boolean') throw refusal('parameter', `${name} must be true or false`)
  return value
}

/** One of a closed list of texts, or undefined. Throws -1005 on any other value. */
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

/** One of a closed list of texts that must be there. Throws -1005. */
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
 * A decimal with eight places, as a JSON number or its text; undefined when absent or null. Throws -1005 when it is
 * no number, and `offGrid` when it has more places than any market's step.
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

/** An integer within bounds, as a JSON number or its text; undefined when absent or null. Throws -1005. */
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
    expected('venue', error, SyntaxError, RangeError)
    return undefined
  }
}

function exact(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? context?.source : value
}
