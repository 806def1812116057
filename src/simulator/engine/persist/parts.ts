import { isObject } from '../../../core/json.ts'
import { unpackJson } from '../../history/packed.ts'

/** Names of members from the root of a tree to a value. */
type Path = readonly string[]

/** A value of a tree, or some rows of a list in it. */
type Piece =
  | { readonly at: Path; readonly value: unknown }
  | { readonly at: Path; readonly rows: readonly unknown[] }

/** Usual length of a part in characters, about a millisecond of work. A part is longer if a single row is longer. */
const PART_CHARS = 64_000
/** Down to this depth, objects are written member by member and their lists row by row. */
const DEPTH_MAX = 3

/**
 * Splits a tree of plain data into texts. Each text is created, stored and read separately. A list may be an iterator,
 * which creates its rows during the write.
 */
export function* treeParts(tree: object): Generator<string> {
  let pieces: string[] = []
  let chars = 0
  for (const piece of treePieces([], tree)) {
    pieces.push(piece)
    chars += piece.length
    if (chars < PART_CHARS) continue
    yield `[${pieces.join()}]`
    pieces = []
    chars = 0
  }
  if (pieces.length > 0) yield `[${pieces.join()}]`
}

function* treePieces(at: Path, value: unknown): Generator<string> {
  if (value === undefined) return
  if (isIterable(value)) yield* listed(at, value)
  else if (isObject(value) && at.length < DEPTH_MAX && Object.keys(value).length > 0)
    for (const [name, member] of Object.entries(value)) yield* treePieces([...at, name], member)
  else yield JSON.stringify({ at, value } satisfies Piece)
}

/** A list as pieces. An empty list is one piece without rows. */
function* listed(at: Path, list: Iterable<unknown>): Generator<string> {
  const open = `{"at":${JSON.stringify(at)},"rows":[`
  let rows: string[] = []
  let chars = 0
  let isWritten = false
  for (const row of list) {
    const text = JSON.stringify(row) ?? 'null'
    rows.push(text)
    chars += text.length
    if (chars < PART_CHARS) continue
    yield `${open}${rows.join()}]}`
    rows = []
    chars = 0
    isWritten = true
  }
  if (rows.length > 0 || !isWritten) yield `${open}${rows.join()}]}`
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/** Assembles a tree from its parts, which must be added in order. */
export type Assembly = {
  /** Adds a part, compressed or not. */
  readonly add: (part: string) => void
  readonly tree: () => Readonly<Record<string, unknown>>
}

export function createAssembly(): Assembly {
  const root: Record<string, unknown> = {}

  function put(piece: Piece): void {
    let node = root
    for (const name of piece.at.slice(0, -1)) node = ensureMember(node, name)
    const last = piece.at.at(-1) ?? ''
    if ('value' in piece) node[last] = piece.value
    else append(ensureList(node, last), piece.rows)
  }

  return {
    // Only this file writes parts, so their type is certain.
    add: (part) => (unpackJson(part) as Piece[]).forEach(put),
    tree: () => root,
  }
}

// Appends rows one at a time, because a single call with all rows could exceed the maximum number of arguments.
function append(list: unknown[], rows: readonly unknown[]): void {
  for (const row of rows) list.push(row)
}

function ensureMember(node: Record<string, unknown>, name: string): Record<string, unknown> {
  const known = node[name]
  if (isObject(known)) return known
  const fresh: Record<string, unknown> = {}
  node[name] = fresh
  return fresh
}

function ensureList(node: Record<string, unknown>, name: string): unknown[] {
  const known = node[name]
  if (Array.isArray(known)) return known
  const fresh: unknown[] = []
  node[name] = fresh
  return fresh
}
