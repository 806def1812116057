import { isObject } from '../../src/core/json.ts'

/**
 * What a JSON value looks like: the name of a kind below, an object with exactly these members, or a list of at
 * least one element that all look the same. `?` after a kind admits null.
 */
export type Shape = Kind | `${Kind}?` | { readonly [member: string]: Shape } | readonly [Shape]

type Kind = keyof typeof KINDS

const KINDS = {
  string: (value: unknown) => typeof value === 'string',
  number: (value: unknown) => typeof value === 'number',
  integer: (value: unknown) => Number.isSafeInteger(value),
  boolean: (value: unknown) => typeof value === 'boolean',
  object: isObject,
  list: (value: unknown) => Array.isArray(value),
  null: (value: unknown) => value === null,
  /** A decimal in a string. */
  decimal: (value: unknown) => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value),
  /** A moment this century, in milliseconds. */
  ms: (value: unknown) => Number.isSafeInteger(value) && Number(value) > 1_000_000_000_000,
  symbol: (value: unknown) => /^PERP_[A-Z0-9]+_USDC$/.test(String(value)),
  side: (value: unknown) => value === 'BUY' || value === 'SELL',
  active: (value: unknown) => value === 'ACTIVE',
  address: (value: unknown) => /^0x[0-9a-fA-F]{40}$/.test(String(value)),
  accountId: (value: unknown) => /^0x[0-9a-f]{64}$/.test(String(value)),
  digits: (value: unknown) => typeof value === 'string' && /^\d+$/.test(value),
  url: (value: unknown) => typeof value === 'string' && URL.canParse(value),
} as const

/** Where a value does not look like its shape, in words; none when it does. */
export function misshapen(value: unknown, shape: Shape, at = '$'): string[] {
  if (typeof shape === 'string') return misfit(value, shape, at)
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${at} is no list`]
    if (value.length === 0) return [`${at} is empty`]
    return value.flatMap((element, index) => misshapen(element, shape[0], `${at}[${index}]`))
  }
  if (!isObject(value)) return [`${at} is no object`]
  const missing = Object.keys(shape).filter((name) => !Object.hasOwn(value, name))
  const extra = Object.keys(value).filter((name) => !Object.hasOwn(shape, name))
  return [
    ...missing.map((name) => `${at}.${name} is missing`),
    ...extra.map((name) => `${at}.${name} is not specified`),
    ...Object.entries(shape).flatMap(([name, inner]) =>
      Object.hasOwn(value, name) ? misshapen(value[name], inner, `${at}.${name}`) : [],
    ),
  ]
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape)
}

function misfit(value: unknown, shape: string, at: string): string[] {
  const [, kind = '', nullable] = /^(\w+)(\?)?$/.exec(shape) ?? []
  if (nullable && value === null) return []
  const fits = new Map<string, (value: unknown) => boolean>(Object.entries(KINDS)).get(kind)
  return fits?.(value) ? [] : [`${at} is ${JSON.stringify(value)}, not ${kind}`]
}
