/** Minimum length of a prefix that is completed. */
const PREFIX_MIN_CHARS = 4

/** Letters of a word per allowed edit. */
const LETTERS_PER_EDIT = 3

/**
 * The candidate that a mistyped word most likely meant, in any case: the only candidate that begins with the word,
 * otherwise the nearest candidate. Undefined if no candidate is near.
 */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  const given = word.toLowerCase()
  return prefixMatch(given, candidates) ?? nearestTo(given, candidates, LETTERS_PER_EDIT)
}

function prefixMatch(given: string, candidates: readonly string[]): string | undefined {
  if (given.length < PREFIX_MIN_CHARS) return undefined
  const [only, another] = candidates.filter((name) => name.toLowerCase().startsWith(given))
  return another === undefined ? only : undefined
}

/**
 * The candidate with the fewest edits, with at most one edit per `lettersPerEdit` letters. Undefined if no candidate is
 * that near.
 */
export function nearestTo(
  given: string,
  candidates: readonly string[],
  lettersPerEdit: number,
): string | undefined {
  let nearest: string | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const allowed = Math.max(1, Math.floor(candidate.length / lettersPerEdit))
    // Skips the costly comparison if the lengths alone rule a match out.
    if (Math.abs(given.length - candidate.length) > allowed) continue
    const count = editDistance(given, candidate.toLowerCase(), allowed)
    if (count > allowed || count >= fewest) continue
    nearest = candidate
    fewest = count
  }
  return nearest
}

/** The second half of a refusal: a question with the nearest candidate, or `otherwise` without one. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  otherwise: string,
  spelled: (candidate: string) => string = String,
): string {
  const nearest = suggest(word, candidates)
  return nearest === undefined ? otherwise : `did you mean ${spelled(nearest)}?`
}

/**
 * The number of insertions, deletions, replacements and swaps of neighbours between two words (optimal string
 * alignment), counted up to `allowed`. The package `fastest-levenshtein` lacks the maximum, and counts a swap, the most
 * common typing mistake, as two edits.
 */
function editDistance(from: string, to: string, allowed: number): number {
  const same = commonPrefixLength(from, to)
  return distance(from.slice(same), to.slice(same), allowed)
}

function commonPrefixLength(from: string, to: string): number {
  let at = 0
  while (at < from.length && from[at] === to[at]) at += 1
  return at
}

type Row = Uint16Array

function distance(from: string, to: string, allowed: number): number {
  let before: Row = new Uint16Array(to.length + 1)
  let last: Row = before.map((_, at) => at)
  for (let at = 0; at < from.length; at += 1) {
    const next = nextRow(from, at, { to, last, before })
    if (smallestInRow(next) > allowed && smallestInRow(last) > allowed) return allowed + 1
    before = last
    last = next
  }
  return last[to.length] ?? 0
}

type Grid = { readonly to: string; readonly last: Row; readonly before: Row }

/** The next row of the edit distance table. It compares one more letter of `from` with each prefix of `to`. */
function nextRow(from: string, row: number, { to, last, before }: Grid): Row {
  const next = new Uint16Array(last.length)
  next[0] = row + 1
  for (let at = 1; at < next.length; at += 1) {
    const isSame = from[row] === to[at - 1]
    const replaced = (last[at - 1] ?? 0) + (isSame ? 0 : 1)
    const inserted = Math.min(last[at] ?? 0, next[at - 1] ?? 0) + 1
    const isSwap = at > 1 && from[row] === to[at - 2] && from[row - 1] === to[at - 1]
    const swapped = isSwap ? (before[at - 2] ?? 0) + 1 : inserted
    next[at] = Math.min(replaced, inserted, swapped)
  }
  return next
}

function smallestInRow(row: Row): number {
  return row.reduce((best, value) => Math.min(best, value))
}

/** The hint for an unknown command: the help that lists the commands with this prefix, or else the nearest command. */
export function commandHint(path: string, paths: readonly string[], otherwise: string): string {
  return paths.some((known) => known.startsWith(`${path} `))
    ? `prepd --mode admin help ${path} lists those that begin so`
    : didYouMean(path, paths, otherwise)
}
