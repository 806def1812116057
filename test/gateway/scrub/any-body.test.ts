import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  EXEMPT_KEYS,
  HOSTS,
  NAMES,
  PHRASES,
  PUBLIC_REMOVED_KEYS,
  REMOVED_KEYS,
} from '../../../src/contract/scrub-lists.ts'
import { parseExact } from '../../../src/core/json.ts'
import { createScrub } from '../../../src/gateway/scrub/scrub.ts'
import { runs } from '../../runs.ts'

const scrub = createScrub({ names: [] })

type Audience = 'public' | 'private'

/** A JSON value as it will be spelled. `named` strings are planted; `bare` is what a string or key says. */
type Node =
  | { readonly kind: 'scalar'; readonly text: string }
  | { readonly kind: 'string'; readonly bare: string; readonly named: boolean }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Node])[] }

function pick<T>(...values: readonly T[]) {
  return fc.constantFrom(...values)
}

// The Kelvin sign lower-cases to an ASCII k; the scrub takes it for punctuation.
const punctuated = fc
  .tuple(
    pick(...NAMES, ...PHRASES),
    fc.infiniteStream(pick('', '', '', '.', ' ', '-', '—', '\u212a')),
  )
  .map(([name, gaps]) =>
    [...name].map((letter, at) => gaps.next().value + (at % 3 ? letter : letter.toUpperCase())),
  )
  .map((letters) => letters.join(''))
const hosted = fc
  .tuple(pick('', 'https://', 'HTTP://user@', '//', 'wss://a.b.'), pick(...HOSTS))
  .chain(([scheme, host]) => pick('', '/', '/x?y=1', '.').map((tail) => scheme + host + tail))
const isHex = (text: string) => /^0x[0-9a-fA-F]*$/.test(text)
const planted = fc.oneof(punctuated, hosted).filter((text) => !isHex(text))

const listed = new Set([...NAMES, ...PHRASES])
const isListed = (text: string) => listed.has(text.replace(/[^A-Za-z0-9]/g, '').toLowerCase())
const innocent = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    pick('Simplified fees', 'via LI.FI today', '0x', '0xdeadBEEF', 'Polygon', 'notli.fi', 'a\\b"c'),
    pick('PERP_BTC_USDC', 'PERP_BTC_USDC_x', '1.50', 'li.fi.example', 'mail@li.fi'),
  )
  .filter((text) => text.isWellFormed() && (isHex(text) || !isListed(text)))
const string: fc.Arbitrary<Node> = fc.oneof(
  planted.map((bare) => ({ kind: 'string' as const, bare, named: true })),
  innocent.map((bare) => ({ kind: 'string' as const, bare, named: false })),
)
const scalar = pick(
  '1.50',
  '1E5',
  '98765432109876543210',
  '-0',
  '0',
  '1e-7',
  '1e999',
  'true',
  'null',
)
const plainKeys = ['a', 'rows', 'price', 'vendors', '__proto__', 'constructor', 'trading_key']
const concerned = [...REMOVED_KEYS, ...PUBLIC_REMOVED_KEYS, 'orderly_key', 'orderlyKey']
const key = fc.oneof(
  pick(...plainKeys),
  pick('symbol', ...EXEMPT_KEYS),
  pick(...concerned),
  pick('LiFi', 'woofi_pro'),
  innocent,
)

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    string,
    scalar.map((text) => ({ kind: 'scalar' as const, text })),
    fc.array(tie('node'), { maxLength: 5 }).map((items) => ({ kind: 'list' as const, items })),
    fc
      .uniqueArray(fc.tuple(key, tie('node')), { selector: ([name]) => name, maxLength: 6 })
      .map((members) => ({ kind: 'object' as const, members })),
  ),
}))

/** How a text is spelled: spaces and escapes by turns, from an endless stream of chances. */
type Spelling = Iterator<number>

const spelling = fc.infiniteStream(fc.nat(9))
const PLAIN: Spelling = { next: () => ({ value: 9 }) }

function random(spelled: Spelling): number {
  return Number(spelled.next().value)
}

function space(spelled: Spelling): string {
  return ['', ' ', '\n\t'][random(spelled)] ?? ''
}

function quoted(bare: string, spelled: Spelling): string {
  if (random(spelled) > 1) return JSON.stringify(bare)
  const units = Array.from({ length: bare.length }, (_, at) => bare.charCodeAt(at))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

function print(tree: Node, spelled: Spelling): string {
  const around = (text: string) => space(spelled) + text + space(spelled)
  if (tree.kind === 'scalar') return tree.text
  if (tree.kind === 'string') return quoted(tree.bare, spelled)
  if (tree.kind === 'list') {
    return `[${tree.items.map((item) => around(print(item, spelled))).join(',') || space(spelled)}]`
  }
  const members = tree.members.map(
    ([name, value]) => `${around(quoted(name, spelled))}:${around(print(value, spelled))}`,
  )
  return `{${members.join(',') || space(spelled)}}`
}

/** The scrub in the plainest words, on the tree: what the text must say in the end. */
function model(tree: Node, audience: Audience, owner = ''): Node {
  if (tree.kind === 'scalar') return tree
  if (tree.kind === 'string') {
    return tree.named && !EXEMPT_KEYS.includes(owner) ? { ...tree, bare: '', named: false } : tree
  }
  if (tree.kind === 'list') {
    const kept = tree.items.filter((item) => audience === 'private' || !isSuffixed(item))
    return { ...tree, items: kept.map((item) => model(item, audience, owner)) }
  }
  const gone = audience === 'public' ? [...REMOVED_KEYS, ...PUBLIC_REMOVED_KEYS] : REMOVED_KEYS
  const kept = tree.members.filter(
    ([name]) => !gone.includes(name) && !(audience === 'public' && !isHex(name) && isListed(name)),
  )
  return {
    ...tree,
    members: kept.map(([name, value]) => [renamed(name), model(value, audience, name)]),
  }
}

function renamed(name: string): string {
  return name === 'orderly_key' ? 'trading_key' : name === 'orderlyKey' ? 'tradingKey' : name
}

function isSuffixed(tree: Node): boolean {
  if (tree.kind !== 'object') return false
  const symbol = tree.members.find(([name]) => name === 'symbol')?.[1]
  return symbol?.kind === 'string' && /^PERP_(?![A-Z0-9]+_USDC$)/.test(symbol.bare)
}

const DEPTH_MAX = 64
const parsed = (text: string) => parseExact(text, DEPTH_MAX)

describe('any body', () => {
  const audiences = pick<Audience>('public', 'private')

  test('ends as the plain model says, number for number', () => {
    fc.assert(
      fc.property(node, spelling, audiences, (tree, spelled, audience) => {
        const answer = scrub.text(print(tree, spelled), { audience }).text()
        expect(parsed(answer)).toEqual(parsed(print(model(tree, audience), PLAIN)))
      }),
      { numRuns: runs(400) },
    )
  })

  test('is not changed by a second scrub', () => {
    fc.assert(
      fc.property(node, spelling, audiences, (tree, spelled, audience) => {
        const once = scrub.text(print(tree, spelled), { audience }).text()
        expect(scrub.text(once, { audience }).text()).toBe(once)
      }),
      { numRuns: runs(150) },
    )
  })

  // An escape sends a body down the slow path, whatever else is in it.
  test('ends the same whether a glance lets it pass or it is walked', () => {
    fc.assert(
      fc.property(node, spelling, audiences, (tree, spelled, audience) => {
        const text = print(tree, spelled)
        const walked = scrub.text(`["\\u0041",[${text}]]`, { audience }).text()
        const glanced = scrub.text(`["A",[${text}]]`, { audience }).text()
        expect(walked.replace('\\u0041', 'A')).toBe(glanced)
      }),
      { numRuns: runs(250) },
    )
  })

  test('with nothing to do keeps every byte, also when it is walked', () => {
    fc.assert(
      fc.property(node, spelling, (tree, spelled) => {
        const once = scrub.text(print(tree, spelled), { audience: 'public' }).text()
        const text = `{"walk":"\\n","rest":${once}}`
        expect(scrub.text(text, { audience: 'public' }).text()).toBe(text)
      }),
      { numRuns: runs(150) },
    )
  })
})
