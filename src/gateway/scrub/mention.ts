import { VENUE_NAMES } from '../../contract/scrub-lists.ts'
import { bareName } from './name-pattern.ts'

/** A test for sentences that name the venue. `extraNames` are the operator's names. */
export function createMentionTest(extraNames: readonly string[]): (sentence: string) => boolean {
  const names = [...VENUE_NAMES, ...extraNames.map(bareName)].filter((name) => name !== '')
  const whole = new Set(names)
  const roots = names.filter((name) => name.length >= ROOT_MIN_CHARS)
  return (sentence) => {
    const words = sentence.toLowerCase().split(/[^a-z0-9]+/)
    return words.some(
      (word, at) =>
        roots.some((root) => word.startsWith(root)) ||
        spans(words, at).some((joined) => whole.has(joined)),
    )
  }
}

/** Names of at least this length also match the beginning of a word, because venues prefix product names with their own. */
const ROOT_MIN_CHARS = 5
/** Maximum number of words into which a name may be split. */
const WORDS_MAX = 4

/** Every run of one to `WORDS_MAX` words from a position, joined. */
function spans(words: readonly string[], from: number): readonly string[] {
  return Array.from({ length: WORDS_MAX }, (_, more) => words.slice(from, from + more + 1).join(''))
}
