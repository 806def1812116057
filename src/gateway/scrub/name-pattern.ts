/**
 * The source of a case-insensitive pattern of names, however they are punctuated: "LI.FI", "Li-Fi" and "lifi" are one.
 * `gap` matches what may stand around and between letters and digits, `end` what follows a name. The pattern is a trie,
 * so a string costs only the few letters that it shares with a name. A letter cannot be in a gap, so the pattern
 * matches in one way only and takes linear time.
 */
export function namePattern(names: readonly string[], gap: string, end: string): string {
  const root: Trie = new Map()
  for (const name of names.map(bareName)) if (name) insert(root, name)
  return gap + patternSource(root, gap, end)
}

type Trie = Map<string, Trie>

/** Marks where a name ends; no letter of any name. */
const END = ''

/** The letters and digits of a name, in lower case. */
export function bareName(name: string): string {
  return name.replace(/[^A-Za-z0-9]+/g, '').toLowerCase()
}

function insert(root: Trie, name: string): void {
  let node = root
  for (const letter of name) node = growBranch(node, letter)
  growBranch(node, END)
}

function growBranch(node: Trie, letter: string): Trie {
  const child = node.get(letter) ?? new Map()
  node.set(letter, child)
  return child
}

function patternSource(node: Trie, gap: string, end: string): string {
  const branches = [...node].map(([letter, next]) =>
    letter === END ? end : letter + gap + patternSource(next, gap, end),
  )
  return branches.length === 1 ? branches.join('') : `(?:${branches.join('|')})`
}
