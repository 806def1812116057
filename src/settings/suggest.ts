/** The candidate a mistyped word most likely meant, in any case; undefined when none is near. */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates
    .map((candidate) => ({ candidate, edits: edits(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
  return near.sort((a, b) => a.edits - b.edits)[0]?.candidate
}

/** The second half of a refusal: a question when something is near, otherwise where to look. */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  otherwise: string,
  spelled: (candidate: string) => string = String,
): string {
  const nearest = suggest(word, candidates)
  return nearest === undefined ? otherwise : `did you mean ${spelled(nearest)}?`
}

/** Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment). */
function edits(from: string, to: string): number {
  if (from.length > to.length * 2) return from.length
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row]
    for (let at = 1; at <= to.length; at += 1) {
      const same = from[row - 1] === to[at - 1]
      const swapped = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1]
      next[at] = Math.min(
        cost(last[at]) + 1,
        cost(next[at - 1]) + 1,
        cost(last[at - 1]) + (same ? 0 : 1),
        swapped ? cost(before[at - 2]) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = next
  }
  return cost(last[to.length])
}

function cost(cell: number | undefined): number {
  return cell ?? Number.POSITIVE_INFINITY
}
