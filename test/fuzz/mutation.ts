import fc from 'fast-check'
import { isObject } from '../../src/core/json.ts'

/** What is put into a text: where grammars turn, and what has been trouble before. */
const TOKENS = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\u0000', '\\ud800', '\\"', '\n', '\t', ' '],
  ...['0', '-0', '-', '.', 'e', '1e999', '1E5', '9007199254740993', '98765432109876543210', '0x'],
  ...['null', 'true', 'false', 'NaN', '""', '{}', '[]', '[[[[[[[[', '"a":1,', '__proto__'],
  ...['%', '%00', '%2e%2e', '..', '/', '?', '#', '&', '=', '\u0000', '\ufeff', '\u2028', '\ud800'],
  ...['é', '😀', 'broker_id', 'provider', 'WOOFi', 'li.fi', 'PERP_BTC_USDC_x', 'ed25519:', 'POST'],
] as const

type Edit = {
  readonly kind: 'insert' | 'remove' | 'repeat' | 'replace' | 'cut' | 'move'
  /** Places are taken modulo the length of the text. */
  readonly at: number
  readonly to: number
  readonly length: number
  readonly token: string
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'repeat', 'replace', 'cut', 'move'),
  at: fc.nat(0xffff),
  to: fc.nat(0xffff),
  length: fc.nat(40),
  token: fc.constantFrom(...TOKENS),
})

/** Values that stand where others were expected. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e21, 2 ** 53, '', 'x', '0x', '1', [], {}, [[]], [null]],
  ...['x'.repeat(600), '\ud800', { __proto__: null, constructor: 1 }, Array<number>(300).fill(0)],
]

/** Texts near the given ones: as they are, changed as texts, grown together, or changed inside as the JSON they are. */
export function mutated(texts: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(...texts),
      fc.constantFrom(...texts),
      fc.nat(9),
      fc.array(edit, { maxLength: 6 }),
    )
    .map(([text, other, way, edits]) => {
      if (way > 3) return restructured(text, edits) ?? edits.reduce(changed, text)
      return edits.reduce(changed, way === 0 ? spliced(text, other) : text)
    })
}

/** A JSON text with other values inside; null when it is none. */
function restructured(text: string, edits: readonly Edit[]): string | null {
  try {
    let value: unknown = JSON.parse(text)
    for (const one of edits.slice(0, 3)) value = changedInside(value, one, one.at)
    return JSON.stringify(value)
  } catch {
    return null
  }
}

// Every level takes a part of the number that says where.
function changedInside(value: unknown, one: Edit, at: number): unknown {
  if (typeof value === 'string' && one.length % 4 > 0) return changed(value, one)
  if (typeof value !== 'object' || value === null) return VALUES[one.to % VALUES.length]
  const entries = Object.entries(value)
  const [key, part] = entries[at % Math.max(entries.length, 1)] ?? ['', undefined]
  if (one.kind === 'remove' && isObject(value)) {
    return Object.fromEntries(entries.filter(([name]) => name !== key))
  }
  const inside = changedInside(part, one, Math.floor(at / Math.max(entries.length, 1)))
  return Array.isArray(value)
    ? value.with(at % Math.max(value.length, 1), inside)
    : { ...value, [key]: inside }
}

function spliced(text: string, other: string): string {
  return text.slice(0, text.length >> 1) + other.slice(other.length >> 1)
}

function changed(text: string, { kind, at, to, length, token }: Edit): string {
  const start = at % (text.length + 1)
  const end = Math.min(text.length, start + length)
  const [before, part, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)]
  if (kind === 'insert') return before + token + part + after
  if (kind === 'remove') return before + after
  if (kind === 'repeat') return before + part.repeat(3) + after
  if (kind === 'replace') return before + token + after
  if (kind === 'cut') return before
  const rest = before + after
  const place = to % (rest.length + 1)
  return rest.slice(0, place) + part + rest.slice(place)
}
