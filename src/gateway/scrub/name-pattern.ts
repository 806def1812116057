/**
 * The source of a case-insensitive pattern that matches names with any punctuation: "LI.FI", "Li-Fi" and "lifi" are the
 * same name. `gap` matches characters around and between a name's letters and digits, `end` the text after a name. The
 * pattern is a trie, so most strings are rejected after a few letters. A gap contains no letters, so there is only one
 * way to match, in linear time.
 */
export function namePattern(names: readonly string[], gap: string, end: string): string {
  const root: Trie = new Map()
  for (const name of names.map(bareName)) if (name) insert(root, name)
  return gap + patternSource(root, gap, end)
}

type Trie = Map<string, Trie>

/** Marks the end of a name in the trie; differs from every letter. */
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
