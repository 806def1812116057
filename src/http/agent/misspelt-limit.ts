import { ToolFailure } from '../../agents/tool.ts'
import { LIMIT_HEADERS } from '../../contract/agent-limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { nearestTo } from '../../core/settings/suggest.ts'

/**
 * Throws ToolFailure invalid_request for a lower-case header name that is clearly a misspelt limit and would be
 * ignored. Names with underscores count as misspelt, because many proxies silently drop such headers.
 */
export function assertNoMisspeltLimit(names: Iterable<string>): void {
  for (const name of names) {
    const meant = LIMIT_HEADERS.includes(name) ? null : rememberedLimit(name)
    if (meant !== null) throw misspelt(name, meant)
  }
}

/** One edit is allowed per this many letters. The number is high, so that other headers do not match. */
const LETTERS_PER_EDIT = 6

const REMEMBERED_MAX = 1000
const REMEMBERED_MAX_CHARS = 64

/** Words that may precede a limit's name in headers and variables. */
const BEGINNINGS: readonly string[] = ['x', 'service', 'prepd', 'agent']

/** Last word of every header that limits a value. No other header ends with it. */
const UNIT = 'usdc'

const LIMIT_BY_FULL_NAME = new Map(
  LIMIT_HEADERS.map((name) => [limitNameWords(name).join(''), name]),
)

/** Limit headers by their first two words, which no other header has. */
const BEGUN = new Map(LIMIT_HEADERS.map((name) => [firstTwoWords(limitNameWords(name)), name]))

/** Results by header name, since clients send the same few headers with each call. Header names are not secret. */
const limitByHeader = createBoundedMap<string, string | null>(REMEMBERED_MAX)

function rememberedLimit(name: string): string | null {
  const before = limitByHeader.get(name)
  if (before !== undefined) return before
  const meant = limitMeantBy(name) ?? null
  if (name.length <= REMEMBERED_MAX_CHARS) limitByHeader.put(name, meant)
  return meant
}

function limitMeantBy(name: string): string | undefined {
  const words = limitNameWords(name)
  const whole = words.join('')
  return (
    nearLimit(whole, LIMIT_BY_FULL_NAME, LETTERS_PER_EDIT) ??
    nearLimit(firstTwoWords(words), BEGUN, LETTERS_PER_EDIT) ??
    (words.at(-1) === UNIT ? nearLimit(whole, LIMIT_BY_FULL_NAME, 1) : undefined)
  )
}

function nearLimit(
  given: string,
  limits: ReadonlyMap<string, string>,
  lettersPerEdit: number,
): string | undefined {
  return limits.get(nearestTo(given, [...limits.keys()], lettersPerEdit) ?? '')
}

function limitNameWords(name: string): readonly string[] {
  const words = name.split(/[-_.]+/)
  return words.slice(words.findIndex((word) => !BEGINNINGS.includes(word)))
}

function firstTwoWords(words: readonly string[]): string {
  return words.slice(0, 2).join('')
}

const ECHO_MAX_CHARS = 48

function misspelt(name: string, meant: string): ToolFailure {
  const parameter = name.slice(0, ECHO_MAX_CHARS)
  return new ToolFailure({
    error: `The header ${parameter} sets no limit; did you mean ${meant}?`,
    code: 'invalid_request',
    meta: {
      parameter,
      reason: 'unknown_argument',
      suggestion: meant,
      next: 'Nothing was done. Ask the user to correct the configuration of this client.',
    },
  })
}
