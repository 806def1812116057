import {
  assertedDepth,
  COMMA,
  isClosingBracket,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  scalarEnd,
  skipSpace,
  stringAt,
  stringEnd,
  valueEnd,
} from './json-scan.ts'

/** The changes of a rewrite. Keys and values arrive decoded. */
export type JsonRules = {
  /** The new name of a member; null removes the member. */
  readonly keyOf: (key: string) => string | null
  /** By key, the string value for which the member is removed. */
  readonly removedValues: ReadonlyMap<string, string>
  /** Whether a string becomes "". `owner` is the key of the string or of the array that contains it; "" at the top level. */
  readonly blanks: (value: string, owner: string) => boolean
  /** Whether an object with this member is removed from its array. */
  readonly drops: (key: string, value: string) => boolean
  readonly depthMax: number
}

/**
 * Applies the rules to valid JSON text. Everything else is copied unchanged: whitespace, escapes, spelling of numbers.
 * Returns the same string if nothing changes. Throws RangeError beyond `depthMax`.
 */
export function rewriteJson(text: string, rules: JsonRules): string {
  const pass: Pass = { text, rules, edits: [], depth: 0 }
  walkValue(pass, skipSpace(text, 0), emptyFrame(''))
  return spliced(text, pass.edits)
}

/** Edits are in text order and do not overlap. */
type Edit = { readonly start: number; readonly end: number; readonly text: string }

type Pass = {
  readonly text: string
  readonly rules: JsonRules
  readonly edits: Edit[]
  depth: number
}

/** The object or array being walked. */
type Frame = {
  /** The key of the current value; within an array, the array's key. */
  owner: string
  /** Whether the last item is removed. */
  removed: boolean
  /** Whether the object itself is removed from its array. */
  dropped: boolean
}

/** Walks one item from its start. Returns its end and sets in the frame whether it is removed. */
type Item = (pass: Pass, start: number, frame: Frame) => number

function emptyFrame(owner: string): Frame {
  return { owner, removed: false, dropped: false }
}

function walkValue(pass: Pass, at: number, frame: Frame): number {
  const code = pass.text.charCodeAt(at)
  if (code === QUOTE) return walkString(pass, at, frame.owner)
  if (code === OPEN_BRACKET) return walkItems(pass, at, emptyFrame(frame.owner), walkElement)
  if (code !== OPEN_BRACE) return scalarEnd(pass.text, at)
  const own = emptyFrame('')
  const end = walkItems(pass, at, own, walkMember)
  frame.removed = own.dropped
  return end
}

function walkString({ text, rules, edits }: Pass, at: number, owner: string): number {
  const end = stringEnd(text, at)
  if (rules.blanks(stringAt(text, at, end), owner)) edits.push({ start: at, end, text: '""' })
  return end
}

function walkElement(pass: Pass, start: number, frame: Frame): number {
  frame.removed = false
  return walkValue(pass, start, frame)
}

function walkMember(pass: Pass, start: number, frame: Frame): number {
  const { text, rules, edits } = pass
  const keyEnd = stringEnd(text, start)
  const key = stringAt(text, start, keyEnd)
  const from = skipSpace(text, skipSpace(text, keyEnd) + 1)
  const name = rules.keyOf(key)
  if (name === null || isRemovedValue(pass, key, from)) {
    frame.removed = true
    return valueEnd(text, from, rules.depthMax - pass.depth)
  }
  if (name !== key) edits.push({ start, end: keyEnd, text: JSON.stringify(name) })
  frame.owner = key
  const end = walkValue(pass, from, frame)
  frame.removed = false
  if (text.charCodeAt(from) === QUOTE && rules.drops(key, stringAt(text, from, end))) {
    frame.dropped = true
  }
  return end
}

function isRemovedValue({ text, rules }: Pass, key: string, from: number): boolean {
  const value = rules.removedValues.get(key)
  if (value === undefined || text.charCodeAt(from) !== QUOTE) return false
  return stringAt(text, from, stringEnd(text, from)) === value
}

// A removed item is cut with the comma before it. If no earlier item is kept, it is cut with the comma after it.
function walkItems(pass: Pass, at: number, frame: Frame, item: Item): number {
  const { text, edits } = pass
  pass.depth = assertedDepth(pass.depth + 1, pass.rules.depthMax)
  let start = skipSpace(text, at + 1)
  let cutFrom: number | null = null
  while (!isClosingBracket(text.charCodeAt(start))) {
    const mark = edits.length
    const end = item(pass, start, frame)
    const after = skipSpace(text, end)
    const next = text.charCodeAt(after) === COMMA ? skipSpace(text, after + 1) : after
    if (frame.removed) {
      edits.length = mark
      edits.push({ start: cutFrom ?? start, end: cutFrom === null ? next : end, text: '' })
    }
    if (!frame.removed || cutFrom !== null) cutFrom = end
    start = next
  }
  pass.depth--
  return start + 1
}

function spliced(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text
  const pieces: string[] = []
  let copied = 0
  for (const edit of edits) {
    pieces.push(text.slice(copied, edit.start), edit.text)
    copied = edit.end
  }
  pieces.push(text.slice(copied))
  return pieces.join('')
}
