import { KindGuard, type TObject, type TSchema } from '@sinclair/typebox'
import { LIMITS } from '../contract/limits.ts'
import { formatDecimal, parseDecimal } from '../core/decimals.ts'
import { isDeeper, isObject, parsedJson } from '../core/json.ts'
import { suggest } from '../core/settings/suggest.ts'
import { invalidArgument, type Meta } from './refusal.ts'
import { type Advice, unknownArgument } from './unknown-argument.ts'

type Arguments = Readonly<Record<string, unknown>>

/**
 * Parses the tool arguments that a model sent. A null value, or an empty string for an optional argument, counts as
 * absent; defaults are filled in. Numbers, booleans and objects may be strings, and enum values may be in any case.
 * Throws invalid_request naming the parameter, with its type and bounds in `meta`. `unknownArgument` makes the refusal
 * of an argument that the tool does not have.
 */
export function readArguments(schema: TObject, raw: unknown, advice: Advice): Arguments {
  if (!isObject(raw ?? {}))
    throw invalidArgument('arguments', 'malformed', { expected: 'A JSON object.' })
  const given = Object.entries(isObject(raw) ? raw : {}).filter(([, value]) => value !== null)
  assertNoSecret(given)
  const sent = new Map(given)
  const unknown = given.find(([name]) => !Object.hasOwn(schema.properties, name))?.[0]
  if (unknown !== undefined) throw unknownArgument({ schema, given: sent, name: unknown, advice })
  const read: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = givenValue(property, sent.get(name), advice)
    if (value !== undefined) read[name] = readValue(name, property, value)
    else if (schema.required?.includes(name))
      throw invalidArgument(name, 'missing', parameterMeta(property))
  }
  return read
}

function givenValue(property: TSchema, sent: unknown, { effect }: Advice): unknown {
  const isAbsent = sent === '' && mayBeEmpty(property, effect === undefined)
  return (isAbsent ? undefined : sent) ?? property['default']
}

/**
 * Whether an empty string counts as an absent argument. It does not if a write would affect more without the argument.
 */
function mayBeEmpty(property: TSchema, isRead: boolean): boolean {
  if (property['default'] !== undefined) return isRead
  return KindGuard.IsOptional(property) && property['minLength'] === undefined
}

function readValue(name: string, property: TSchema, value: unknown): unknown {
  const read = READERS[String(property['type'])]?.(value, property)
  if (read !== undefined) return read
  const words = allowedWords(property)
  const meant = typeof value === 'string' && words ? suggest(value, words) : undefined
  const reason = valueProblem(property, value)
  throw invalidArgument(name, reason, {
    ...parameterMeta(property),
    ...(meant && { suggestion: meant }),
  })
}

function valueProblem(
  property: TSchema,
  value: unknown,
): 'out_of_range' | 'too_short' | 'too_long' | 'malformed' {
  if (value === '') return 'too_short'
  if (isNumeric(property) && losslessNumber(value) !== undefined) {
    return unlessOutOfRange(losslessNumber(value), property) === undefined
      ? 'out_of_range'
      : 'malformed'
  }
  const isText =
    property['type'] === 'string' && !allowedWords(property) && typeof value === 'string'
  return isText && value.isWellFormed() ? 'too_long' : 'malformed'
}

function isNumeric({ type }: TSchema): boolean {
  return type === 'number' || type === 'integer'
}

/** By JSON Schema type: converts a value to the type; undefined if it does not fit. */
const READERS: Readonly<Record<string, (value: unknown, property: TSchema) => unknown>> = {
  string: readText,
  number: (value, property) => unlessOutOfRange(losslessNumber(value), property),
  integer: (value, property) => {
    const number = unlessOutOfRange(losslessNumber(value), property)
    return Number.isSafeInteger(number) ? number : undefined
  },
  boolean: (value) => BOOLEANS.get(typeof value === 'string' ? value.trim().toLowerCase() : value),
  object: (value, property) =>
    readMembers(typeof value === 'string' ? jsonObject(value) : value, property),
}

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
])

const TEXT_MAX_CHARS = 512

function readText(value: unknown, property: TSchema): string | undefined {
  const read = typeof value === 'number' ? String(value) : value
  if (typeof read !== 'string') return undefined
  const words = allowedWords(property)
  if (words) return words.find((word) => word.toLowerCase() === read.trim().toLowerCase())
  const fits =
    read.length <= Number(property['maxLength'] ?? TEXT_MAX_CHARS) &&
    read.length >= Number(property['minLength'] ?? 0)
  return fits && read.isWellFormed() ? read : undefined
}

/** Parses an object that a model sent as a JSON string. Throws invalid_request if it contains a secret key. */
function jsonObject(text: string): Arguments | undefined {
  const value = parsedJson(text)
  if (!isObject(value) || isDeeper(value, LIMITS.httpBodyDepthMax)) return undefined
  assertNoSecret(Object.entries(value))
  return value
}

/** Parses an object whose members have one type. If the schema allows any type, returns it unchanged. */
function readMembers(value: unknown, property: TSchema): Arguments | undefined {
  const kind: unknown = property['additionalProperties']
  if (kind === true) return isObject(value) ? value : undefined
  return isObject(kind) && kind['type'] === 'number' ? readNumbers(value) : readTexts(value)
}

/** Parses an object whose members are numbers. */
function readNumbers(value: unknown): Arguments | undefined {
  if (!isObject(value)) return undefined
  const numbers = Object.entries(value).map(
    ([name, entry]) => [name, losslessNumber(entry)] as const,
  )
  return numbers.some(([, number]) => number === undefined)
    ? undefined
    : Object.fromEntries(numbers)
}

/** Parses an object whose members are strings, such as the parameters of catalogued reads. */
function readTexts(value: unknown): Arguments | undefined {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value).filter(([, entry]) => entry !== null)
  const isPlain = entries.every(([, entry]) => typeof entry !== 'object')
  return isPlain
    ? Object.fromEntries(entries.map(([name, entry]) => [name, String(entry)]))
    : undefined
}

const NUMBER_SCALE = 18

/** A number of at most 18 decimals, or its text if a number can hold the value exactly. */
function losslessNumber(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  const exact = typeof text === 'string' ? parseDecimal(text.trim(), NUMBER_SCALE) : null
  if (exact === null) return undefined
  if (typeof value === 'number') return value
  const number = Number(formatDecimal(exact, NUMBER_SCALE))
  return parseDecimal(String(number), NUMBER_SCALE) === exact ? number : undefined
}

function unlessOutOfRange(value: number | undefined, property: TSchema): number | undefined {
  if (value === undefined) return undefined
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = property
  return value >= minimum && value <= maximum && value > exclusiveMinimum ? value : undefined
}

function allowedWords(property: TSchema): readonly string[] | undefined {
  const words: unknown = property['enum']
  return Array.isArray(words) ? words.map(String) : undefined
}

const BOUNDS = ['minimum', 'exclusiveMinimum', 'maximum', 'maxLength'] as const

/** The meta of a parameter's refusal: its type, enum values and bounds. */
function parameterMeta(property: TSchema): Meta {
  const words = allowedWords(property)
  const bounds = BOUNDS.filter((bound) => property[bound] !== undefined)
  return {
    expected: `${property['type']}. ${property.description ?? ''}`.trim(),
    ...(words && { allowed: words }),
    ...Object.fromEntries(bounds.map((bound) => [bound, property[bound]])),
  }
}

/**
 * Throws invalid_request if an argument looks like a secret key or a seed phrase, which no tool takes. The error
 * repeats neither the value nor a suspicious name.
 */
function assertNoSecret(given: readonly (readonly [name: string, value: unknown])[]): void {
  for (const [name, value] of given) {
    if (isSecret('', name)) throw leakedKeyFailure('arguments')
    if (isObject(value)) assertNoSecret(Object.entries(value))
    else if (typeof value === 'string' && isSecret(name, value.trim())) throw leakedKeyFailure(name)
  }
}

const HEX_SECRET = /^(0x)?[0-9a-f]{64}$/i
/** Arguments whose hex values are as long as a secret key but public: hashes and account ids. */
const PUBLIC_HEX: ReadonlySet<string> = new Set(['tx_hash', 'account_id'])
const SEED_PHRASE = /^(?:[a-z]{3,8}\s+){11,23}[a-z]{3,8}$/i
const SEED_WORDS: ReadonlySet<number> = new Set([12, 15, 18, 21, 24])

function isSecret(name: string, value: string): boolean {
  const hex = HEX_SECRET.exec(value)
  if (hex) return !(hex[1] && PUBLIC_HEX.has(name))
  return SEED_PHRASE.test(value) && SEED_WORDS.has(value.split(/\s+/).length)
}

function leakedKeyFailure(parameter: string) {
  return invalidArgument(parameter, 'holds_key', {
    next: 'No tool takes a key: credentials belong in the configuration of the client. Tell the user, and to replace this key. Hashes start with 0x.',
  })
}
