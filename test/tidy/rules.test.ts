import { describe, expect, test } from 'bun:test'
import {
  circles,
  folderCircles,
  LINES_MAX,
  longFiles,
  README_LINES_MAX,
  README_WIDTH_MAX,
  repeatedNames,
  strayImports,
  strayVenueImports,
  type Tree,
  wideLines,
} from './rules.ts'

const tree = (files: Readonly<Record<string, string>>): Tree => new Map(Object.entries(files))

describe('a planted stray import is found', () => {
  test.each([
    ['from a rank above', 'core', '../scrub/scrub.ts', 'src/scrub/scrub.ts'],
    ['from its own rank', 'swap', '../voucher/desk.ts', 'src/voucher/desk.ts'],
    ['of a type alone', 'limits', '../scrub/reply.ts', 'src/scrub/reply.ts'],
    ['from the root', 'routes', '../settings.ts', 'src/settings.ts'],
    ['of the wire by the venue', 'venue', '../wire/codes.ts', 'src/wire/codes.ts'],
    ['of the order calculator by the venue', 'venue', '../perp/amounts.ts', 'src/perp/amounts.ts'],
    ['of the gateway by the order calculator', 'perp', '../gateway/a.ts', 'src/gateway/a.ts'],
    ['of a package', 'cache', 'elysia', 'elysia'],
    ['of a package by its beginning', 'crypto', '@noble/curves-else', '@noble/curves-else'],
  ])('%s', (_, folder, from, target) => {
    const path = `src/${folder}/a.ts`
    const planted = tree({ [path]: `import type { A } from '${from}'\n` })
    expect(strayImports(planted)).toEqual([`${path} imports ${target}`])
  })

  test('and a late one, inside a function', () => {
    const planted = tree({ 'src/core/a.ts': "const late = () => import('../store/sqlite.ts')\n" })
    expect(strayImports(planted)).toEqual(['src/core/a.ts imports src/store/sqlite.ts'])
  })

  test('while what is allowed is not', () => {
    const kept = tree({
      'src/gateway/relay/relay.ts':
        "import { a } from '../../core/a.ts'\nimport { b } from './b.ts'\nimport { createHash } from 'node:crypto'\n",
      'src/wiring/a.ts': "import { a } from '../routes/app.ts'\n",
      'src/venue/a.ts': "import { a } from '../crypto/keccak.ts'\n",
      'src/page/a.ts': "import { a } from '../perp/amounts.ts'\n",
    })
    expect(strayImports(kept)).toEqual([])
  })
})

describe('a planted circle is found', () => {
  test('of two files that share types', () => {
    const planted = tree({
      'src/core/a.ts': "import type { B } from './b.ts'\n",
      'src/core/b.ts': "import type { A } from './a.ts'\n",
    })
    expect(circles(planted)).toEqual(['src/core/a.ts src/core/b.ts'])
  })

  test('of three, once, behind files that are in none', () => {
    const planted = tree({
      'src/a.ts': "import './x/b.ts'\n",
      'src/x/b.ts': "import { c } from './c.ts'\n",
      'src/x/c.ts': "import { d } from './d.ts'\n",
      'src/x/d.ts': "import { b } from './b.ts'\n",
    })
    expect(circles(planted)).toEqual(['src/x/b.ts src/x/c.ts src/x/d.ts'])
  })

  test('of two folders of a room whose files are in none', () => {
    const planted = tree({
      'src/core/a/one.ts': "import '../b/two.ts'\n",
      'src/core/b/two.ts': '',
      'src/core/b/three.ts': "import '../a/four.ts'\n",
      'src/core/a/four.ts': "import '../../spec/five.ts'\n",
      'src/spec/five.ts': '',
    })
    expect(circles(planted)).toEqual([])
    expect(folderCircles(planted)).toEqual(['src/core/a src/core/b'])
  })

  test('while two ways to one file are none', () => {
    const kept = tree({
      'src/a.ts': "import './b.ts'\nimport './c.ts'\n",
      'src/b.ts': "import './d.ts'\n",
      'src/c.ts': "import './d.ts'\n",
      'src/d.ts': '',
    })
    expect(circles(kept)).toEqual([])
  })
})

describe('a planted import against the ranks of the venue is found', () => {
  test.each([
    ['of a rank above', 'src/venue/book/a.ts', '../orders/place.ts', 'src/venue/orders/place.ts'],
    ['of its own rank', 'src/venue/prices/a.ts', '../traders/b.ts', 'src/venue/traders/b.ts'],
    ['of a file that joins all', 'src/venue/stream/a.ts', '../venue.ts', 'src/venue/venue.ts'],
    ['of a folder without a rank', 'src/venue/rest/a.ts', '../new/b.ts', 'src/venue/new/b.ts'],
    [
      'from a deeper folder',
      'src/venue/rest/public/a.ts',
      '../../server/b.ts',
      'src/venue/server/b.ts',
    ],
  ])('%s', (_, path, from, target) => {
    const planted = tree({ [path]: `import type { A } from '${from}'\n` })
    expect(strayVenueImports(planted)).toEqual([`${path} imports ${target}`])
  })

  test('while one of a rank below, of its own folder or of another room is none', () => {
    const text = "import '../base/units.ts'\nimport './b.ts'\nimport '../../core/json.ts'\n"
    expect(strayVenueImports(tree({ 'src/venue/book/a.ts': text }))).toEqual([])
    expect(strayVenueImports(tree({ 'src/venue/venue.ts': "import './control/a.ts'\n" }))).toEqual(
      [],
    )
  })
})

describe('a name that its folder says already is found', () => {
  test.each([
    'src/voucher/voucher-desk.ts',
    'src/mcp/tools/tool-call.ts',
    'src/venue/feed/venue-table.ts',
  ])('%s', (path) => {
    expect(repeatedNames(tree({ [path]: '' }))).toEqual([path])
  })

  test('while the folder itself may have its main file', () => {
    expect(repeatedNames(tree({ 'src/cache/cache.ts': '', 'src/swap/order.ts': '' }))).toEqual([])
  })
})

test('a file with one line too many is found, a full one is not', () => {
  const lines = (count: number) => tree({ 'src/core/a.ts': '\n'.repeat(count) })
  expect(longFiles(lines(LINES_MAX + 1))).toEqual(['src/core/a.ts has 251 lines'])
  expect(longFiles(lines(LINES_MAX))).toEqual([])
  const readme = new Map([['README.md', '\n'.repeat(141)]])
  expect(longFiles(readme, README_LINES_MAX)).toEqual(['README.md has 141 lines'])
})

test('a line that is too wide is found, a full one is not', () => {
  const [full, wide] = ['a'.repeat(README_WIDTH_MAX), 'b'.repeat(README_WIDTH_MAX + 1)]
  expect(wideLines(`${full}\n${wide}\n`)).toEqual([wide])
})
