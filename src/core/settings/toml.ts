import { LIMITS } from '../../contract/limits.ts'
import { reportUnexpected } from '../loop/guarded.ts'
import { UsageError } from './usage-error.ts'

/**
 * Parses a TOML text to its top-level keys. Throws UsageError that names the line of an invalid statement, or for too
 * many keys. The error never quotes the text, which may contain a secret. The number of keys is checked first, because
 * the parser takes quadratic time.
 */
export function readToml(text: string): Readonly<Record<string, unknown>> {
  const keys = text.match(/[=[]/g)?.length ?? 0
  if (keys > LIMITS.tomlKeysMax)
    throw new UsageError(`it holds more than ${LIMITS.tomlKeysMax} keys and tables`)
  const parsed = parse(text)
  if (parsed === null) throw new UsageError(`line ${brokenLine(text.split('\n'))} is not TOML`)
  return parsed
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return { ...Bun.TOML.parse(text) }
  } catch (error) {
    reportUnexpected('process', error, Error)
    return null
  }
}

/** Maximum number of lines that are searched for the end of a multi-line statement. */
const STATEMENT_LINES_MAX = 50

/**
 * The line of the invalid statement. The parser reports no line, so bisection finds the longest prefix that parses. A
 * prefix that ends within a multi-line statement also fails, so bisection continues after the end of that statement.
 */
function brokenLine(lines: readonly string[]): number {
  const parses = (count: number): boolean => parse(lines.slice(0, count).join('\n')) !== null
  let good = 0
  for (;;) {
    let bad = lines.length
    while (bad - good > 1) {
      const middle = Math.floor((good + bad) / 2)
      if (parses(middle)) good = middle
      else bad = middle
    }
    const length = Math.min(STATEMENT_LINES_MAX, lines.length - bad)
    const end = Array.from({ length }, (_, at) => bad + 1 + at).find(parses)
    if (end === undefined) return good + 1
    good = end
  }
}
