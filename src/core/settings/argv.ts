import { UsageError } from './usage-error.ts'

export type Argv = {
  /** The value of each flag, by its name with dashes; '' for a switch without value. */
  readonly flags: ReadonlyMap<string, string>
  readonly words: readonly string[]
}

/**
 * Splits a command line into flags and words. `--flag value` and `--flag=value` are equivalent. `takesValue` returns
 * whether a flag has a value, and throws for an unknown flag. Throws UsageError for a repeated flag, a missing value
 * and a value on a switch.
 */
export function readArgv(argv: readonly string[], takesValue: (flag: string) => boolean): Argv {
  const flags = new Map<string, string>()
  const words: string[] = []
  const rest = argv.values()
  for (const word of rest) {
    if (isFlag(word)) addFlag(flags, word, rest, takesValue)
    else words.push(word)
  }
  return { flags, words }
}

/** Short spellings of flags. */
const SHORT: ReadonlyMap<string, string> = new Map([['-h', '--help']])

function isFlag(word: string): boolean {
  return word.startsWith('-') && word !== '-'
}

function addFlag(
  flags: Map<string, string>,
  word: string,
  rest: Iterator<string>,
  takesValue: (flag: string) => boolean,
): void {
  const [given, inline] = splitAtEquals(word)
  const flag = SHORT.get(given) ?? given
  const takes = takesValue(flag)
  if (flags.has(flag)) throw new UsageError(`${flag} is given twice`)
  if (!takes && inline !== undefined) throw new UsageError(`${flag} takes no value`)
  flags.set(flag, takes ? (inline ?? nextValue(flag, rest)) : '')
}

function splitAtEquals(word: string): [flag: string, inline: string | undefined] {
  const equals = word.indexOf('=')
  return equals === -1 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)]
}

/** The value after a flag. It cannot start with two dashes: in `--data-dir --mode` the value is missing. */
function nextValue(flag: string, rest: Iterator<string>): string {
  const { done, value } = rest.next()
  if (done || value.startsWith('--')) throw new UsageError(`${flag} needs a value`)
  return value
}
