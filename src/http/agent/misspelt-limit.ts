import { ToolFailure } from '../../agents/tool.ts'
import { LIMIT_HEADERS } from '../../contract/agent-limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { nearestTo } from '../../core/settings/suggest.ts'

/**
 * Throws ToolFailure invalid_request for a header, in lower case, that is clearly a misspelt limit and would be
 * ignored. Names with underscores count as misspelt: many proxies silently drop such headers.
 */
export function assertNoMisspeltLimit(names: Iterable<string>): void {
  for (const name of names) {
    const meant = LIMIT_HEADERS.includes(name) ? null : rememberedLimit(name)
    if (meant !== null) throw misspelt(name, meant)
  }
}

/** Letters per allowed edit, high so that only clear cases match: proxies and clients send headers of their own. */
const LETTERS_PER_EDIT = 6

const REMEMBERED_MAX = 1000
const REMEMBERED_MAX_CHARS = 64

/** Prefixes of the names of limits, in headers and variables. */
const BEGINNINGS: readonly string[] = ['x', 'service', 'prepd', 'agent']

/** The last word of value limits. Only their headers end with it. */
const UNIT = 'usdc'

const WHOLE = new Map(LIMIT_HEADERS.map((name) => [limitNameWords(name).join(''), name]))

/** The limits by their first two words. Only their headers begin with these. */
const BEGUN = new Map(LIMIT_HEADERS.map((name) => [begun(limitNameWords(name)), name]))

/** Cached, since clients send the same few headers with each call. Header names are public. */
const judged = createBoundedMap<string, string | null>(REMEMBERED_MAX)

function rememberedLimit(name: string): string | null {
  const before = judged.get(name)
  if (before !== undefined) return before
  const meant = limitMeantBy(name) ?? null
  if (name.length <= REMEMBERED_MAX_CHARS) judged.put(name, meant)
  return meant
}

function limitMeantBy(name: string): string | undefined {
  const words = limitNameWords(name)
  const whole = words.join('')
  return (
    near(whole, WHOLE, LETTERS_PER_EDIT) ??
    near(begun(words), BEGUN, LETTERS_PER_EDIT) ??
    (words.at(-1) === UNIT ? near(whole, WHOLE, 1) : undefined)
  )
}

function near(
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

function begun(words: readonly string[]): string {
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
