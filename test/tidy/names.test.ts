import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  bagTypes,
  OF_NAMES,
  OF_NAMES_MAX,
  ofFaults,
  ofFunctions,
  repeatedExports,
} from './names.ts'
import type { Tree } from './rules.ts'

const ROOT = join(import.meta.dir, '../..')
const PATHS = [...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(ROOT)].toSorted()
const SOURCES = Promise.all(
  PATHS.map(async (path) => [path, await Bun.file(join(ROOT, path)).text()] as const),
)

const tree = (files: Readonly<Record<string, string>>): Tree => new Map(Object.entries(files))

// Slow: every file of src is read.
describe('in src', () => {
  test('an exported name is declared in one file', async () => {
    const sources = await SOURCES
    expect(sources.length).toBeGreaterThan(500)
    expect(repeatedExports(new Map(sources))).toEqual([])
  })

  test('the functions named "…Of" are those of the list', async () => {
    expect(ofFaults(new Map(await SOURCES))).toEqual([])
  })

  test('the list is sorted and has each name once', () => {
    expect(OF_NAMES).toEqual([...new Set(OF_NAMES)].toSorted())
  })

  test('types named "…Parts" or "…Deps" exist only in the opening code', async () => {
    expect(bagTypes(new Map(await SOURCES))).toEqual([])
  })
})

describe('an exported name in two files is found', () => {
  test.each([
    ['of two functions', 'export function a() {}', 'export async function a() {}'],
    ['of two generators', 'export function* a() {}', 'export async function* a() {}'],
    ['of two constants', 'export const a = 1', 'export const a: number = 2'],
    ['of a value and a type', 'export const a = 1', 'export type a = 1'],
    ['of a class and an interface', 'export abstract class a {}', 'export interface a {}'],
    ['of an enumeration and a list', 'export enum a {}', 'const a = 1\nexport { b, a }'],
    ['in a pattern', 'export const { b: a, c = 2 } = d', 'export const [b, a] = d'],
    ['under a second name', 'export { b as a }', 'export { type a }'],
  ])('%s', (_, one, other) => {
    const planted = tree({ 'src/core/one.ts': one, 'src/pages/other.tsx': other })
    const found = repeatedExports(planted).filter((line) => line.startsWith('a '))
    expect(found).toEqual([
      'a is exported by src/core/one.ts and src/pages/other.tsx: rename all but one, so that a search finds one file',
    ])
  })

  test('while these are none', () => {
    const one = 'export const A = Type.Object({})\nexport type A = Static<typeof A>\n'
    const others = {
      'src/core/private.ts': 'type A = 1\nfunction a() {}\n',
      'src/core/comment.ts': '/*\nexport type A = 1\n*/\n// export const A = 1\n',
      'src/core/text.ts': 'const text = `\nexport const A = 1\n`\n',
      'src/core/passed.ts': "export { A } from './one.ts'\n",
      'src/core/longer.ts': 'export const AB = 1\nexport const { A: B, C = A } = AB\n',
      'test/core/a.ts': 'export const A = 1\n',
    }
    expect(repeatedExports(tree({ 'src/core/one.ts': one, ...others }))).toEqual([])
  })
})

describe('a function named "…Of" that is not listed is found', () => {
  test.each([
    ['exported', 'export function rowOf() {}'],
    ['private', 'function rowOf() {}'],
    ['asynchronous', 'export async function rowOf() {}'],
    ['a generator', 'function* rowOf() {}'],
    ['an arrow function', 'export const rowOf = (a: string) => a'],
    ['an arrow function of one name', 'const rowOf: Row = async a => a'],
    ['a generic one', 'const rowOf = <T,>(a: T): T => a'],
    ['a function expression', 'const rowOf = function () {}'],
    ['inside another function', 'function f() {\n  const rowOf = () => 1\n  return rowOf()\n}'],
  ])('%s', (_, text) => {
    const planted = tree({ 'src/core/a.ts': text, 'src/pages/b.tsx': text })
    expect(ofFaults(planted, [])).toEqual([
      'src/core/a.ts and src/pages/b.tsx: rename rowOf: a noun for a result (positionRows, toRow), a verb for an effect (readRows)',
    ])
    expect(ofFaults(planted, ['rowOf'])).toEqual([])
  })

  test.each([
    'const rowOf = createFinder()',
    'const isKnown = (rowOf: Row) => rowOf()',
    'export const TABLE = { rowOf: () => 1, textOf() {} }',
    'export type Table = { readonly rowOf: () => string }',
    'declare function rowOf(): string',
    '// function rowOf() {}',
    "const text = 'function rowOf() {}'",
    'export function offer() {}\nexport function rowOfTable() {}',
    'export const view = <p>{"const rowOf = () => 1"}</p>',
  ])('%s has none', (text) => {
    expect([...ofFunctions(tree({ 'src/pages/a.tsx': text }))]).toEqual([])
  })
})

test('a listed name without a function is found', () => {
  const kept = tree({ 'src/core/a.ts': 'export function sideOf() {}' })
  expect(ofFaults(kept, ['rowOf', 'sideOf'])).toEqual([
    'src has no function rowOf: delete the name from OF_NAMES',
  ])
})

test('a list with one name too many is found, a full one is not', () => {
  const names = Array.from({ length: OF_NAMES_MAX + 1 }, (_, at) => `row${at}Of`)
  const planted = tree({
    'src/core/a.ts': names.map((name) => `export function ${name}() {}\n`).join(''),
  })
  expect(ofFaults(planted, names)).toEqual([
    'OF_NAMES has 151 names, at most 150: rename these functions',
  ])
  const full = tree({
    'src/core/a.ts': names
      .slice(1)
      .map((name) => `export function ${name}() {}\n`)
      .join(''),
  })
  expect(ofFaults(full, names.slice(1))).toEqual([])
})

describe('a type named as a bag is found', () => {
  test.each([
    ['Parts', 'type Parts = { readonly clock: Clock }'],
    ['RelayDeps', 'export type RelayDeps = A & B'],
    ['FeedParts', 'export interface FeedParts extends A {}'],
    ['RowDeps', 'type RowDeps<Row> =\n  | A\n  | B'],
    ['TableParts', 'export class TableParts {}'],
  ])('%s', (name, text) => {
    expect(bagTypes(tree({ 'src/core/a.ts': text }))).toEqual([
      `src/core/a.ts: rename the type ${name} after what it holds (LimiterOptions, VenueAccess)`,
    ])
  })

  test.each([
    ['src/main/a.ts', 'type Parts = { readonly clock: Clock }'],
    ['src/main.ts', 'export type RelayDeps = A & B'],
    ['src/core/a.ts', "import { type Parts, type RelayDeps } from '../main/a.ts'"],
    ['src/core/a.ts', 'type Part = { readonly parts: readonly Part[] }'],
    ['src/core/a.ts', 'type PartsList = 1\nconst Parts = 1'],
    ['src/core/a.ts', '// type Parts = 1\nconst text = "type Parts = 1"'],
    ['test/core/a.ts', 'type Parts = 1'],
  ])('%s with %s has none', (path, text) => {
    expect(bagTypes(tree({ [path]: text }))).toEqual([])
  })
})
