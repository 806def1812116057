/**
 * A test for texts that are one of these names as a whole, in any case and however punctuated: what namePattern matches
 * from the start of a text to its end. Without a pattern, which takes milliseconds to be made and as many again before
 * it first answers; and two letters tell most texts from every name.
 */
export function createWholeNameTest(names: readonly string[]): (text: string) => boolean {
  const heads = headsOf(names)
  return (text) => {
    let at = 0
    let first = NO_LETTER
    let second = NO_LETTER
    for (; at < text.length && first === NO_LETTER; at += 1) first = letterAt(text, at)
    for (; at < text.length && second === NO_LETTER; at += 1) second = letterAt(text, at)
    const rests = heads[headOf(first, second)]
    return rests !== undefined && isAnyOf(rests, text, at)
  }
}

/** Of names that begin with the same two letters, what follows these. */
type Rests = Uint8Array[]

/** By their first two letters; a name of one has none for the second, and a text of none is no name. */
function headsOf(names: readonly string[]): readonly (Rests | undefined)[] {
  const heads = new Array<Rests | undefined>(LETTERS * LETTERS).fill(undefined)
  for (const name of names) {
    const letters = lettersOf(name)
    const [first = NO_LETTER, second = NO_LETTER] = letters
    if (first === NO_LETTER) continue
    const rests = heads[headOf(first, second)] ?? []
    rests.push(letters.subarray(2))
    heads[headOf(first, second)] = rests
  }
  return heads
}

function headOf(first: number, second: number): number {
  return first * LETTERS + second
}

function lettersOf(name: string): Uint8Array {
  return Uint8Array.from(name, (character) => letterAt(character, 0)).filter(Boolean)
}

/** Ten digits, 26 letters, and whatever is neither. */
const LETTERS = 37
const NO_LETTER = 0
const ORDINALS = ordinals()

/** The number of each letter or digit of ASCII, the same in both cases. */
function ordinals(): Uint8Array {
  const numbers = new Uint8Array(128)
  for (const [at, character] of [...'0123456789abcdefghijklmnopqrstuvwxyz'].entries()) {
    numbers[character.charCodeAt(0)] = at + 1
    numbers[character.toUpperCase().charCodeAt(0)] = at + 1
  }
  return numbers
}

function letterAt(text: string, at: number): number {
  return ORDINALS[text.charCodeAt(at)] ?? NO_LETTER
}

function isAnyOf(rests: Rests, text: string, from: number): boolean {
  for (const rest of rests) if (isRest(rest, text, from)) return true
  return false
}

function isRest(rest: Uint8Array, text: string, from: number): boolean {
  let met = 0
  for (let at = from; at < text.length; at += 1) {
    const letter = letterAt(text, at)
    if (letter === NO_LETTER) continue
    if (letter !== rest[met]) return false
    met += 1
  }
  return met === rest.length
}
