import { invalid } from '../../core/failure.ts'
import {
  VENUE_WORDS,
  WORD_LIMITS,
  type WordName,
  type WordParameter,
} from '../../spec/venue/words.ts'
import { WORD_KINDS, type WordValues } from './kinds.ts'

type Words = typeof VENUE_WORDS

type ValueOf<Parameter> = Parameter extends { readonly kind: infer Kind extends keyof WordValues }
  ? Parameter extends { readonly optional: true }
    ? WordValues[Kind] | undefined
    : WordValues[Kind]
  : never

/** The values of a word, by the names of its parameters. */
export type ValuesOf<Name extends WordName> = {
  readonly [P in keyof Words[Name]['parameters']]: ValueOf<Words[Name]['parameters'][P]>
}

/** A word's parameters as they were written, by name. */
export type WordTexts = Readonly<Record<string, string>>

/**
 * Reads the parameters of a word. Throws Failure: invalid_request naming the first parameter that is unknown, missing or
 * malformed, and what it should be.
 */
export function readWord<Name extends WordName>(name: Name, texts: WordTexts): ValuesOf<Name> {
  const parameters: Readonly<Record<string, WordParameter>> = VENUE_WORDS[name].parameters
  for (const given of Object.keys(texts))
    if (!Object.hasOwn(parameters, given))
      throw invalid(printable(given), 'unknown_argument', {
        expected: expectedNames(Object.keys(parameters)),
      })
  const values = Object.entries(parameters).map(([parameter, row]) => [
    parameter,
    valueIn(parameter, row, texts[parameter]),
  ])
  // The table says which value each parameter has, and the same table was just gone through.
  return Object.fromEntries(values) as ValuesOf<Name>
}

function valueIn(name: string, { kind, optional }: WordParameter, text: string | undefined) {
  if (text === undefined && optional) return undefined
  const { expects, parse } = WORD_KINDS[kind]
  const isLong = (text ?? '').length > WORD_LIMITS.valueMaxChars
  const value = text === undefined || isLong ? undefined : parse(text)
  if (value === undefined)
    throw invalid(name, text === undefined ? 'missing' : 'malformed', { expected: expects })
  return value
}

function expectedNames(names: readonly string[]): string {
  return names.length === 0 ? 'no parameters' : `one of ${names.join(', ')}`
}

/** What somebody else wrote, as far as it is a name. */
function printable(text: string): string {
  return /^[\w-]{1,32}$/.test(text) ? text : 'body'
}
