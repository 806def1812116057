import {
  type IntegerOptions,
  KindGuard,
  type NumberOptions,
  type StringOptions,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'
import { toAmount } from '../perp/amounts.ts'
import { invalidArgument } from './refusal.ts'

/** A string argument. Arguments of tools are flat JSON Schema, and each description names the unit. */

export function text(description: string, options: StringOptions = {}) {
  return Type.String({ description, ...options })
}

export function choice<const Words extends readonly string[]>(
  words: Words,
  description: string,
  fallback?: Words[number],
) {
  return Type.Unsafe<Words[number]>(
    Type.String({ description, enum: words, ...(fallback && { default: fallback }) }),
  )
}

/** A numeric argument such as a price, size or rate. */
export function decimal(description: string, options: NumberOptions = {}) {
  return Type.Number({ description, ...options })
}

/** A numeric argument above zero. */
export function positiveNumber(description: string, options: NumberOptions = {}) {
  return decimal(description, { exclusiveMinimum: 0, ...options })
}

export function wholeNumber(description: string, options: IntegerOptions = {}) {
  return Type.Integer({ description, ...options })
}

/** The argument for the maximum number of rows. */
export function rows(max: number, fallback: number) {
  return wholeNumber('Rows.', { minimum: 1, maximum: max, default: fallback })
}

export function flag(description: string, fallback = false) {
  return Type.Boolean({ description, default: fallback })
}

/** Marks an argument as optional. */
export function optional<S extends TSchema>(schema: S) {
  return Type.Optional(schema)
}

/**
 * The argument schema of a tool, without additional properties. Arguments with a default are not in `required`. The
 * type has these arguments, because defaults are filled in before the tool runs.
 */
export function argumentSchema<P extends TProperties>(properties: P): TObject<P> {
  const schema = Type.Object(properties, { additionalProperties: false })
  const needed = Object.entries(properties).flatMap(([name, property]) => {
    return KindGuard.IsOptional(property) || property['default'] !== undefined ? [] : [name]
  })
  return Object.assign(schema, { required: needed.length > 0 ? needed : undefined })
}

/** The exact amount of an argument. Throws invalid_request for a number of more than 18 decimals. */
export function argumentAmount(parameter: string, value: number): bigint {
  const amount = toAmount(value)
  if (amount !== null) return amount
  throw invalidArgument(parameter, 'malformed', { expected: 'A number of at most 18 decimals.' })
}

export const symbolArgument = text('Market.')
/** The symbol argument with an example, for the tools that agents call first. */
export const symbolExample = text('E.g. PERP_ETH_USDC.')
/** Restricts a write to one market. An empty string is refused, because the model may have lost the symbol. */
export const symbolNarrowing = text('Only this market.', { minLength: 1 })
/** Restricts a list to one market. */
export const symbolFilter = text('Only this market.')
export const sideArgument = choice(['BUY', 'SELL'], 'BUY is long, SELL short.')
/** Selects the fields of a list's rows. */
export const fields = text('Comma-separated, or all.')
export const orderArgument = choice(['newest', 'oldest'], 'First.', 'newest')
export const pageArgument = wholeNumber('From 1.', { minimum: 1, default: 1 })
export const sizeArgument = rows(100, 25)
export const since = wholeNumber('From, ms.')
export const until = wholeNumber('To, ms.')
