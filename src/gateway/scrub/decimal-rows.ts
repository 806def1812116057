import { COMMA, endsArray } from '../../core/json-scan.ts'
import { bareName } from './name-pattern.ts'
import { venueNames } from './venue-name.ts'

/** The kind of a row's member: a quoted decimal, or a number of thirteen digits (milliseconds). */
type Member = 'decimal' | 'time'

const PATTERN_SOURCES: Readonly<Record<Member, string>> = {
  decimal: String.raw`"\d{1,64}(?:\.\d{1,64})?"`,
  time: String.raw`[1-9]\d{12}`,
}

/** The shape of rows with exactly these members, in this sequence, without white space. */
export type RowShape = Shape

/** The shape of rows with these members. */
export function rowShape(members: readonly (readonly [name: string, member: Member])[]): RowShape {
  return new Shape(
    members.map(([name, member]) => `${JSON.stringify(name)}:${PATTERN_SOURCES[member]}`),
  )
}

/** Rows of one shape, checked value by value. Only the keys contain letters, and all rows have the same keys. */
export type DecimalRows = ScannedRows

/**
 * Scans the rows of a list in a text, from the first row at `start` to the closing bracket; null if a row has a
 * different shape.
 */
export function decimalRows(text: string, start: number, shape: RowShape): DecimalRows | null {
  const ends = rowEnds(text, start, shape.pattern)
  return ends && new ScannedRows(text.slice(start, ends.at(-1) ?? start), ends, start)
}

/** The last `count` rows. */
export function lastRows(rows: DecimalRows, count: number): DecimalRows {
  const { text, ends } = rows
  const cut = ends.at(-count - 1)
  return cut === undefined
    ? rows
    : new ScannedRows(text.slice(cut + 1), ends.slice(-count), cut + 1)
}

/** The rows at these positions. */
export function chosenRows({ text, ends }: DecimalRows, places: readonly number[]): DecimalRows {
  const texts = places.map((at) => text.slice(at === 0 ? 0 : (ends[at - 1] ?? 0) + 1, ends[at]))
  let end = -1
  const lengths = texts.map(({ length }) => {
    end += length + 1
    return end
  })
  return new ScannedRows(texts.join(','), lengths, 0)
}

/** Whether a decimal could be a name to blank: an operator's name may consist of digits only. */
export function mayBeDecimal(extraNames: readonly string[]): boolean {
  return venueNames(extraNames).some((name) => /^\d+$/.test(bareName(name)))
}

function rowEnds(text: string, start: number, pattern: RegExp): readonly number[] | null {
  const ends: number[] = []
  if (endsArray(text.charCodeAt(start))) return ends
  pattern.lastIndex = start
  while (pattern.test(text)) {
    const end = pattern.lastIndex
    ends.push(end)
    const after = text.charCodeAt(end)
    if (endsArray(after)) return ends
    if (after !== COMMA) return null
    pattern.lastIndex = end + 1
  }
  return null
}

// Private members, and no export as values, ensure that only scanned rows have these types.
class Shape {
  readonly #pattern: RegExp

  constructor(members: readonly string[]) {
    this.#pattern = new RegExp(`{${members.join(',')}}`, 'y')
  }

  get pattern(): RegExp {
    return this.#pattern
  }
}

class ScannedRows {
  /** The rows' text, without the brackets of the list. */
  readonly text: string
  /** The end position of each row in the text. */
  readonly ends: readonly number[]
  readonly #first: string

  constructor(text: string, ends: readonly number[], from: number) {
    this.text = text
    this.ends = from === 0 ? ends : ends.map((end) => end - from)
    this.#first = text.slice(0, this.ends[0] ?? 0)
  }

  /** The first row; all rows have the same keys. Empty without rows. */
  get first(): string {
    return this.#first
  }
}
