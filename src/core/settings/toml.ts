import { LIMITS } from '../../contract/limits.ts'
import { expected } from '../loop/guarded.ts'
import { UsageError } from './usage-error.ts'

/**
 * The top-level keys of a TOML text. Throws UsageError that names the line of the broken statement, or too many keys, and
 * never quotes the text: it may hold a secret. The parser's time grows with the square of the keys, so their number is
 * bounded before it runs.
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
    expected('process', error, Error)
    return null
  }
}

/** Where a statement that is still open may close again, in lines. */
const STATEMENT_LINES_MAX = 50

/**
 * The parser names no line, so bisection finds the longest beginning that parses. A beginning also fails inside of a
 * statement of several lines: bisection goes on behind the end of each.
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
