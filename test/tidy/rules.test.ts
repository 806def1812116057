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
  straySimulatorImports,
  type Tree,
  wideLines,
} from './rules.ts'

const tree = (files: Readonly<Record<string, string>>): Tree => new Map(Object.entries(files))

describe('a planted stray import is found', () => {
  test.each([
    ['from a rank above', 'core', '../gateway/a.ts', 'src/gateway/a.ts'],
    ['from its own rank', 'agents', '../live/hub.ts', 'src/live/hub.ts'],
    ['of a type alone', 'upstream', '../gateway/reply.ts', 'src/gateway/reply.ts'],
    ['from the root', 'http', '../settings.ts', 'src/settings.ts'],
    ['of the wire by the exchange', 'simulator', '../perp/a.ts', 'src/perp/a.ts'],
    ['of what may be left out', 'http', '../cluster/a.ts', 'src/cluster/a.ts'],
    ['of settings by a page', 'pages', '../gateway/a.ts', 'src/gateway/a.ts'],
    ['of the gateway by the order calculator', 'perp', '../gateway/a.ts', 'src/gateway/a.ts'],
    ['of a package', 'live', 'elysia', 'elysia'],
    ['of a package by its beginning', 'core', '@noble/curves-else', '@noble/curves-else'],
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
      'src/main/a.ts': "import { a } from '../cluster/open.ts'\n",
      'src/simulator/a.ts': "import { a } from '../core/crypto/keccak.ts'\n",
      'src/pages/a.ts': "import { a } from '../perp/amounts.ts'\n",
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
      'src/core/a/four.ts': "import '../../contract/five.ts'\n",
      'src/contract/five.ts': '',
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

describe('a planted import against the ranks of the simulated exchange is found', () => {
  test.each([
    [
      'of a rank above',
      'src/simulator/book/a.ts',
      '../orders/place.ts',
      'src/simulator/orders/place.ts',
    ],
    [
      'of its own rank',
      'src/simulator/prices/a.ts',
      '../traders/b.ts',
      'src/simulator/traders/b.ts',
    ],
    [
      'of a file that joins all',
      'src/simulator/stream/a.ts',
      '../venue.ts',
      'src/simulator/venue.ts',
    ],
    [
      'of a folder without a rank',
      'src/simulator/rest/a.ts',
      '../new/b.ts',
      'src/simulator/new/b.ts',
    ],
    [
      'from a deeper folder',
      'src/simulator/rest/public/a.ts',
      '../../server/b.ts',
      'src/simulator/server/b.ts',
    ],
  ])('%s', (_, path, from, target) => {
    const planted = tree({ [path]: `import type { A } from '${from}'\n` })
    expect(straySimulatorImports(planted)).toEqual([`${path} imports ${target}`])
  })

  test('while one of a rank below, of its own folder or of another room is none', () => {
    const text = "import '../base/units.ts'\nimport './b.ts'\nimport '../../core/json.ts'\n"
    expect(straySimulatorImports(tree({ 'src/simulator/book/a.ts': text }))).toEqual([])
    expect(
      straySimulatorImports(tree({ 'src/simulator/venue.ts': "import './control/a.ts'\n" })),
    ).toEqual([])
  })
})

describe('a name that its folder says already is found', () => {
  test.each([
    'src/gateway/voucher/voucher-desk.ts',
    'src/agents/tools/tool-call.ts',
    'src/simulator/feed/feed-table.ts',
  ])('%s', (path) => {
    expect(repeatedNames(tree({ [path]: '' }))).toEqual([path])
  })

  test('while the folder itself may have its main file', () => {
    expect(
      repeatedNames(tree({ 'src/gateway/cache/cache.ts': '', 'src/gateway/swap/order.ts': '' })),
    ).toEqual([])
  })
})

test('a file with one line too many is found, a full one is not', () => {
  const lines = (count: number) => tree({ 'src/core/a.ts': '\n'.repeat(count) })
  expect(longFiles(lines(LINES_MAX + 1))).toEqual(['src/core/a.ts has 351 lines'])
  expect(longFiles(lines(LINES_MAX))).toEqual([])
  const readme = new Map([['README.md', '\n'.repeat(121)]])
  expect(longFiles(readme, README_LINES_MAX)).toEqual(['README.md has 121 lines'])
})

test('a line that is too wide is found, a full one is not', () => {
  const [full, wide] = ['a'.repeat(README_WIDTH_MAX), 'b'.repeat(README_WIDTH_MAX + 1)]
  expect(wideLines(`${full}\n${wide}\n`)).toEqual([wide])
})
