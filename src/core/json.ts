import { COMMA, closes, OPEN_BRACE, skipSpace, stringAt, stringEnd, valueEnd } from './json-scan.ts'

/** Whether a parsed value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a JSON text; undefined for a text that is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The named members of an object, in that order; what it lacks is absent. One that has just these is given back. */
export function pick(
  row: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  if (hasJust(row, names)) return row
  const picked: Record<string, unknown> = {}
  for (const name of names) if (row[name] !== undefined) picked[name] = row[name]
  return picked
}

// Cheaper than a copy, where a venue sends what is shown.
function hasJust(row: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  let at = 0
  for (const name in row) if (name !== names[at++]) return false
  return at === names.length
}

/** Part of a text: from `start` up to, not including, `end`. */
type Span = { readonly start: number; readonly end: number }

/**
 * Where the values of a top-level object's own members stand in its JSON text, by decoded key; of duplicates the last.
 * Null when the text is an array or a scalar.
 * Throws SyntaxError when it is not valid JSON, RangeError when it nests deeper than `depthMax`.
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
  while (!closes(text.charCodeAt(at))) {
    const keyEnd = stringEnd(text, at)
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = valueEnd(text, start, depthMax - 1)
    spans.set(stringAt(text, at, keyEnd), { start, end })
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return spans
}

/** Throws RangeError when a text nests deeper; what does not is safe for code that recurses over it. */
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
 * Parses JSON so that JSON.stringify prints every number as it was written: one whose text is not JavaScript's own
 * spelling of it (1.50, 1E5, 20 digits, -0) becomes a SpelledNumber.
 * Throws SyntaxError when the text is not valid JSON, RangeError when it nests deeper than `depthMax`.
 */
export function parseExact(text: string, depthMax: number): unknown {
  assertDepth(text, depthMax)
  return spelled(text, JSON.parse(text))
}

/**
 * The same of a text that was measured while it came in: what it says is looked at, which is quicker than its
 * characters, and builds what is too deep before it is refused.
 */
export function parseMeasured(text: string, depthMax: number): unknown {
  const plain: unknown = JSON.parse(text)
  if (isDeeper(plain, depthMax)) throw new RangeError('JSON is nested too deep')
  return spelled(text, plain)
}

function spelled(text: string, plain: unknown): unknown {
  return typeof plain === 'number' || hasRespelled(text) ? parseSpelled(text) : plain
}

/**
 * What stands where a number of an object or array may stand, and is not evidently JavaScript's own spelling: at most
 * 15 digits, with at most six decimals of which the last is no zero. In a string it may also be found.
 */
const DOUBTFUL =
  /[:,[\s](-0(?!\.)|-?\d(?!\d{0,8}(?:\.\d{0,5}[1-9]|\d{0,6})[,}\]\s])[-+.\deE]*)(?=[,}\]\s])/g

/** Whether a number in an object or array would be printed otherwise than it is written; true for some without one. */
function hasRespelled(text: string): boolean {
  return text.matchAll(DOUBTFUL).some(([, number = '']) => String(Number(number)) !== number)
}

// A reviver with sources takes several times as long as the parse alone.
function parseSpelled(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && source !== String(value)
      ? new SpelledNumber(source)
      : value,
  )
}

/**
 * A JSON number with its own spelling. An object of ours rather than a bare JSON.rawJSON, which String() and
 * Number() refuse: this one prints, compares and calculates like the number it is.
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

/** The nearest float of a number that parseExact gave; undefined for anything else, and beyond the range of floats. */
export function numberOf(value: unknown): number | undefined {
  const number = value instanceof SpelledNumber ? value.valueOf() : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

// The proposal "JSON.parse source text access" is in Bun; TypeScript's libraries do not describe it yet.
declare global {
  interface JSON {
    rawJSON(text: string): object
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown
  }
}
