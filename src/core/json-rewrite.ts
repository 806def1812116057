import {
  assertedDepth,
  COMMA,
  closes,
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
  /** What a member is called afterwards; null removes it with its value. */
  readonly keyOf: (key: string) => string | null
  /** The string with which a member of a key is removed. */
  readonly removedValues: ReadonlyMap<string, string>
  /** Whether a string becomes "". `owner` is the key it stands under, also inside arrays; "" at the top. */
  readonly blanks: (value: string, owner: string) => boolean
  /** Whether an object that has this member leaves the array it is an element of. */
  readonly drops: (key: string, value: string) => boolean
  readonly depthMax: number
}

/**
 * Valid JSON text with the rules applied. Everything they do not touch is copied as it stands: whitespace, escapes,
 * the spelling of numbers. The same string when they touch nothing. Throws RangeError beyond `depthMax`.
 */
export function rewriteJson(text: string, rules: JsonRules): string {
  const pass: Pass = { text, rules, edits: [], depth: 0 }
  walkValue(pass, skipSpace(text, 0), frameOf(''))
  return spliced(text, pass.edits)
}

/** Edits stand in the order of the text and do not overlap. */
type Edit = { readonly start: number; readonly end: number; readonly text: string }

type Pass = {
  readonly text: string
  readonly rules: JsonRules
  readonly edits: Edit[]
  depth: number
}

/** The object or array being walked. */
type Frame = {
  /** The key of the value at hand; in an array, the array's. */
  owner: string
  /** Whether the item just walked goes. */
  removed: boolean
  /** Whether the object itself leaves its array. */
  dropped: boolean
}

/** Walks one item from its start; answers its end and says in the frame whether it goes. */
type Item = (pass: Pass, start: number, frame: Frame) => number

function frameOf(owner: string): Frame {
  return { owner, removed: false, dropped: false }
}

function walkValue(pass: Pass, at: number, frame: Frame): number {
  const code = pass.text.charCodeAt(at)
  if (code === QUOTE) return walkString(pass, at, frame.owner)
  if (code === OPEN_BRACKET) return walkItems(pass, at, frameOf(frame.owner), walkElement)
  if (code !== OPEN_BRACE) return scalarEnd(pass.text, at)
  const own = frameOf('')
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

// A removed item takes the comma before it along; as long as none is kept, the one after it.
function walkItems(pass: Pass, at: number, frame: Frame, item: Item): number {
  const { text, edits } = pass
  pass.depth = assertedDepth(pass.depth + 1, pass.rules.depthMax)
  let start = skipSpace(text, at + 1)
  let cutFrom: number | null = null
  while (!closes(text.charCodeAt(start))) {
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
