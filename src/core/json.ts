import {
  COMMA,
  isClosingBracket,
  OPEN_BRACE,
  skipSpace,
  stringAt,
  stringEnd,
  valueEnd,
} from './json-scan.ts'

/** Whether a parsed value is a JSON object; null and arrays are not. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object in an answer. */
export type Row = Readonly<Record<string, unknown>>

/** The objects of the list under a key of an answer; empty without a list. */
export function rowsAt(answer: unknown, key: string): readonly Row[] {
  const rows = isObject(answer) ? answer[key] : undefined
  return Array.isArray(rows) ? rows.filter(isObject) : []
}

/** The value of a JSON text; undefined for invalid JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * The members of an object that `names` lists, in the order of `names`. Returns the object itself if it has exactly
 * these members.
 */
export function pick(
  row: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  if (hasExactMembers(row, names)) return row
  const picked: Record<string, unknown> = {}
  for (const name of names) if (row[name] !== undefined) picked[name] = row[name]
  return picked
}

// The venue often sends exactly these members; this check is cheaper than a copy.
function hasExactMembers(
  row: Readonly<Record<string, unknown>>,
  names: readonly string[],
): boolean {
  let at = 0
  for (const name in row) if (name !== names[at++]) return false
  return at === names.length
}

/** The part of a text from `start` to `end` (exclusive). */
export type Span = { readonly start: number; readonly end: number }

/**
 * The positions of a top-level object's member values in its JSON text, by decoded key. For duplicate keys, the last
 * value counts. Null for an array or a scalar. Throws SyntaxError for invalid JSON, RangeError beyond `depthMax`.
 */
export function members(text: string, depthMax: number): Map<string, Span> | null {
  JSON.parse(text)
  const first = skipSpace(text, 0)
  if (text.charCodeAt(first) !== OPEN_BRACE) {
    assertDepth(text, depthMax)
    return null
  }
  const spans = new Map<string, Span>()
  let at = skipSpace(text, first + 1)
  while (!isClosingBracket(text.charCodeAt(at))) {
    const keyEnd = stringEnd(text, at)
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = valueEnd(text, start, depthMax - 1)
    spans.set(stringAt(text, at, keyEnd), { start, end })
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return spans
}

/** Throws RangeError if a text nests deeper than `depthMax`, so that recursive code can parse it safely. */
export function assertDepth(text: string, depthMax: number): void {
  valueEnd(text, skipSpace(text, 0), depthMax)
}

/** Whether a parsed value nests deeper than `depthMax`, which bounds the recursion. */
export function isDeeper(value: unknown, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depthMax === 0) return true
  for (const item of Array.isArray(value) ? value : Object.values(value))
    if (typeof item === 'object' && isDeeper(item, depthMax - 1)) return true
  return false
}

/**
 * Parses JSON so that JSON.stringify prints every number as it was written. A number that JavaScript would print
 * differently (1.50, 1E5, 20 digits, -0) becomes a SpelledNumber. Throws SyntaxError for invalid JSON, RangeError
 * beyond `depthMax`.
 */
export function parseExact(text: string, depthMax: number): unknown {
  assertDepth(text, depthMax)
  return withSpelling(text, JSON.parse(text))
}

/**
 * Parses as `parseExact` does, a text of limited size. It checks the depth of the parsed value, which is faster than
 * checking the text but builds the value before refusing it.
 */
export function parseExactLimited(text: string, depthMax: number): unknown {
  const plain: unknown = JSON.parse(text)
  if (isDeeper(plain, depthMax)) throw new RangeError('JSON is nested too deep')
  return withSpelling(text, plain)
}

function withSpelling(text: string, plain: unknown): unknown {
  return typeof plain === 'number' || hasRespelled(text) ? parseSpelled(text) : plain
}

/**
 * Matches a number in an object or array that JavaScript may print differently. Numbers of at most 15 digits and six
 * decimals without a trailing zero are excluded. The pattern may also match inside strings.
 */
const RESPELLED_NUMBER =
  /[:,[\s](-0(?!\.)|-?\d(?!\d{0,8}(?:\.\d{0,5}[1-9]|\d{0,6})[,}\]\s])[-+.\deE]*)(?=[,}\]\s])/g

/** Whether a number may print differently from its text. False positives are possible. */
function hasRespelled(text: string): boolean {
  return text
    .matchAll(RESPELLED_NUMBER)
    .some(([, number = '']) => String(Number(number)) !== number)
}

// Used only if needed, because a reviver with source access makes parsing several times slower.
function parseSpelled(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value)
      ? new SpelledNumber(source)
      : value,
  )
}

/**
 * A JSON number that keeps its spelling. It prints, compares and calculates like a number. A bare JSON.rawJSON cannot
 * do so: String() and Number() refuse it.
 */
export class SpelledNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): object {
    return JSON.rawJSON(this.text)
  }

  toString(): string {
    return this.text
  }

  valueOf(): number {
    return Number(this.text)
  }
}

/** The nearest float of a number from parseExact; undefined for other values and outside the range of floats. */
export function toFloat(value: unknown): number | undefined {
  const number = value instanceof SpelledNumber ? value.valueOf() : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

// Types for the proposal "JSON.parse source text access", which Bun implements and TypeScript's libraries do not
// declare.
declare global {
  interface JSON {
    rawJSON(text: string): object
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown
  }
}
