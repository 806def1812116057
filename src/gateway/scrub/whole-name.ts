import { bareName } from './name-pattern.ts'

/**
 * Makes a test whether a whole text is one of these names, in any case and punctuation: whether namePattern would match
 * from start to end. The test uses no regular expression, because building one takes milliseconds. For most texts, the
 * first two letters rule out every name.
 */
export function createWholeNameTest(names: readonly string[]): (text: string) => boolean {
  const heads = headTable(names)
  return (text) => {
    let at = 0
    let first = NO_LETTER
    let second = NO_LETTER
    for (; at < text.length && first === NO_LETTER; at += 1)
      first = letterNumber(text.charCodeAt(at))
    for (; at < text.length && second === NO_LETTER; at += 1)
      second = letterNumber(text.charCodeAt(at))
    const rests = heads[headNumber(first, second)]
    return rests !== undefined && matchesAny(rests, text, at)
  }
}

/** The third and later letters of all names that begin with the same two letters. */
type Rests = readonly string[]

/**
 * The names by the ordinal of their first two letters. A name of one letter has `NO_LETTER` as its second. An empty
 * text matches no name.
 */
function headTable(names: readonly string[]): readonly (Rests | undefined)[] {
  const heads = new Array<Rests | undefined>(LETTERS * LETTERS).fill(undefined)
  const bare = names.map(bareName).filter((name) => name !== '')
  for (const [head, own] of Map.groupBy(bare, headOfName))
    heads[head] = own.map((name) => name.slice(2))
  return heads
}

function headOfName(name: string): number {
  const [first = NO_LETTER, second = NO_LETTER] = Array.from(name.slice(0, 2), (letter) =>
    letterNumber(letter.charCodeAt(0)),
  )
  return headNumber(first, second)
}

function headNumber(first: number, second: number): number {
  return first * LETTERS + second
}

/** Number of ordinals: ten digits, 26 letters, and one for any other character. */
const LETTERS = 37
const NO_LETTER = 0
const CODES = 128
const ORDINALS = ordinals()

/** The ordinal of each ASCII letter or digit, case-insensitive. */
function ordinals(): Uint8Array {
  const numbers = new Uint8Array(CODES)
  for (const [at, character] of [...'0123456789abcdefghijklmnopqrstuvwxyz'].entries()) {
    numbers[character.charCodeAt(0)] = at + 1
    numbers[character.toUpperCase().charCodeAt(0)] = at + 1
  }
  return numbers
}

// Checks the bounds first, because an out-of-bounds read would make every lookup slow in the JavaScript engine.
function letterNumber(code: number): number {
  return code < CODES ? (ORDINALS[code] ?? NO_LETTER) : NO_LETTER
}

function matchesAny(rests: Rests, text: string, from: number): boolean {
  for (const rest of rests) if (isRest(rest, text, from)) return true
  return false
}

function isRest(rest: string, text: string, from: number): boolean {
  let met = 0
  for (let at = from; at < text.length; at += 1) {
    const letter = letterNumber(text.charCodeAt(at))
    if (letter === NO_LETTER) continue
    if (met === rest.length || letter !== letterNumber(rest.charCodeAt(met))) return false
    met += 1
  }
  return met === rest.length
}
