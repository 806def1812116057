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

/** The kinds of argument a tool has: flat JSON Schema, each with a description that says its unit. */

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

/** A price, a size or a rate. */
export function decimal(description: string, options: NumberOptions = {}) {
  return Type.Number({ description, ...options })
}

/** A number above zero. */
export function positiveNumber(description: string, options: NumberOptions = {}) {
  return decimal(description, { exclusiveMinimum: 0, ...options })
}

export function whole(description: string, options: IntegerOptions = {}) {
  return Type.Integer({ description, ...options })
}

/** How many rows. */
export function rows(max: number, fallback: number) {
  return whole('Rows.', { minimum: 1, maximum: max, default: fallback })
}

export function flag(description: string, fallback = false) {
  return Type.Boolean({ description, default: fallback })
}

/** Shorthand: most arguments may be left out. */
export function optional<S extends TSchema>(schema: S) {
  return Type.Optional(schema)
}

/**
 * Arguments by name; nothing else is taken. One with a default may be left out and is there all the same when a tool
 * reads it: so the type has it, and `required` does not.
 */
export function args<P extends TProperties>(properties: P): TObject<P> {
  const schema = Type.Object(properties, { additionalProperties: false })
  const needed = Object.entries(properties).flatMap(([name, property]) => {
    return KindGuard.IsOptional(property) || property['default'] !== undefined ? [] : [name]
  })
  return Object.assign(schema, { required: needed.length > 0 ? needed : undefined })
}

export const symbolArgument = text('Market.')
/** The same with an example, for the tools that are called first. */
export const symbolExample = text('E.g. PERP_ETH_USDC.')
/** Narrows a write: an empty text, which may stand for a lost symbol, is refused. */
export const symbolNarrowing = text('Only this market.', { minLength: 1 })
/** Narrows a list. */
export const symbolFilter = text('Only this market.')
export const sideArgument = choice(['BUY', 'SELL'], 'BUY is long, SELL short.')
/** Narrows the rows of a list. */
export const fields = text('Comma-separated, or all.')
export const orderArgument = choice(['newest', 'oldest'], 'First.', 'newest')
export const pageArgument = whole('From 1.', { minimum: 1, default: 1 })
export const sizeArgument = rows(100, 25)
export const since = whole('From, ms.')
export const until = whole('To, ms.')
