import { invalidParameter } from '../core/failure.ts'

/** A decimal number that keeps its exact text. */
export class Decimal {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type StrictValue = string | boolean | Decimal | readonly StrictValue[] | StrictObject

export type StrictObject = ReadonlyMap<string, StrictValue>

/** The objects in an array; empty for any other value. */
export function objectsIn(value: StrictValue | undefined): readonly StrictObject[] {
  return Array.isArray(value) ? value.filter((item) => item instanceof Map) : []
}

/** Bounds above the depth and length of every known write body. */
const DEPTH_MAX = 6
const ITEMS_MAX = 50
/** Up to this many digits, decimal and floating-point parsers read a number alike. */
const DIGITS_MAX = 15

const SPACE = /[ \t\n\r]*/y
const NAME = /"([A-Za-z_][A-Za-z0-9_]{0,63})"/y
// Printable ASCII, and the escapes that all parsers read alike.
const TEXT = /"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\/bfnrt])*"/y
const NUMBER = /(?:0|[1-9]\d*)(?:\.\d+)?(?![\w.+-])/y
const FLAG = /(?:true|false)(?!\w)/y

/**
 * Parses one JSON object that all parsers read alike: ASCII only, each member once, no null, numbers short, positive
 * and without exponent. Throws invalid_request for any other text.
 */
export function parseStrict(text: string): StrictObject {
  const reader = createReader(text)
  reader.skip()
  const value = readObject(reader, 0)
  reader.skip()
  if (!reader.isAtEnd()) throw malformed()
  return value
}

type Reader = ReturnType<typeof createReader>

function createReader(text: string) {
  let at = 0
  /** Matches a pattern at the current position and moves the position past the match; null without a match. */
  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at = pattern.lastIndex
    return match
  }
  function takes(char: string): boolean {
    if (text[at] !== char) return false
    at += 1
    return true
  }
  return {
    take,
    takes,
    skip: () => {
      take(SPACE)
    },
    isAtEnd: () => at === text.length,
  }
}

function readObject(reader: Reader, depth: number): StrictObject {
  const members = new Map<string, StrictValue>()
  if (!reader.takes('{')) throw malformed()
  listed(reader, '}', () => {
    const name = reader.take(NAME)?.[1]
    if (name === undefined) throw malformed()
    if (members.has(name)) throw invalidParameter('body', 'repeated', { expected: `${name} once` })
    reader.skip()
    if (!reader.takes(':')) throw malformed()
    reader.skip()
    members.set(name, readValue(reader, depth + 1))
  })
  return members
}

function arrayRest(reader: Reader, depth: number): readonly StrictValue[] {
  const items: StrictValue[] = []
  listed(reader, ']', () => {
    items.push(readValue(reader, depth + 1))
  })
  return items
}

/** Reads comma-separated items up to the closing character `end`. */
function listed(reader: Reader, end: string, readItem: () => void): void {
  reader.skip()
  if (reader.takes(end)) return
  for (let count = 1; count <= ITEMS_MAX; count += 1) {
    readItem()
    reader.skip()
    if (reader.takes(end)) return
    if (!reader.takes(',')) throw malformed()
    reader.skip()
  }
  throw invalidParameter('body', 'too_long')
}

function readValue(reader: Reader, depth: number): StrictValue {
  if (depth > DEPTH_MAX) throw invalidParameter('body', 'too_deep')
  const text = reader.take(TEXT)
  if (text) return String(JSON.parse(text[0]))
  const number = reader.take(NUMBER)
  if (number) return parseNumber(number[0])
  const flag = reader.take(FLAG)
  if (flag) return flag[0] === 'true'
  return reader.takes('[') ? arrayRest(reader, depth) : readObject(reader, depth)
}

function parseNumber(text: string): Decimal {
  if (text.replace('.', '').length > DIGITS_MAX) throw malformed()
  return new Decimal(text)
}

function malformed() {
  return invalidParameter('body', 'malformed', {
    expected: 'One JSON object in ASCII: each member once, no null, numbers as plain decimals.',
  })
}
