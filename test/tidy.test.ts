import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  circles,
  folderCircles,
  LINES_MAX,
  longFiles,
  RANKS,
  README_LINES_MAX,
  repeatedNames,
  SIMULATOR_RANKS,
  strayImports,
  straySimulatorImports,
  type Tree,
  wideLines,
} from './tidy/rules.ts'

const ROOT = join(import.meta.dir, '..')

/** Tables of data may be as long as what they list. */
const DATA = /^src\/(?:contract\/|pages\/[a-z]+\/words\/)/

/** A page shows what failed to its reader: it has no log, and no counter. */
const IN_PROCESS = /^src\/(?!pages\/)/

// biome-ignore format: one kind of text a row
const BANNED: readonly { name: string; pattern: RegExp; where: RegExp }[] = [
  { name: 'time, chance or environment', pattern: /\bDate\.now\b|\bMath\.random\b|\bprocess\.env\b/, where: /^src\/(?!main\.ts$|venue-thread\.ts$|settings\.ts$|pages\/common\/world\.ts$)/ },
  { name: 'the console', pattern: /\bconsole\.\w+\(/, where: /^src\// },
  { name: 'a caught error that is not looked at', pattern: /\bcatch \{|\.catch\(\(\) =>/, where: IN_PROCESS },
  { name: 'a minute, an hour or a day in milliseconds by another name', pattern: /\b(?:3_600_000|86_400_000)\b|const (?:MINUTE|HOUR|DAY)_MS\b/, where: /^src\/(?!contract\/durations\.ts$)/ },
  { name: 'unfinished work', pattern: new RegExp(`\\b(?:${['TO', 'FIX'].join('DO|')}ME)\\b`), where: /^(?:src|test|build)\// },
  { name: 'a skipped or focused test', pattern: /\.(?:skip|only|todo)\(/, where: /^test\// },
  { name: 'a wait in the runner\'s inner loop, in which a browser\'s answers are lost', pattern: /\)\s*\.(?:rejects|resolves)\b/, where: /^test\/pages\// },
  { name: 'a path of somebody\'s machine', pattern: /\/(?:home|work|farm|Users)\//, where: /./ },
  { name: 'the host of a package registry', pattern: /\bregistry\.[a-z]+\.(?:org|com)\b/, where: /./ },
]

const TRACKED = trackedFiles()
const SOURCES = TRACKED.filter((path) => /^(?:src|test|build)\/.*\.(?:tsx?|mjs)$/.test(path))
const TEXTS = new Map(
  TRACKED.filter((path) => !/\.(?:png|ico|gz)$/.test(path)).map((path) => [path, textOf(path)]),
)

describe('the tree', () => {
  const sources = treeOf(SOURCES)

  test('no folder imports from its own rank or above, or a package it does not list', () => {
    expect(strayImports(sources)).toEqual([])
  })

  test('no folder of the simulated exchange imports from its own rank or above', () => {
    expect(straySimulatorImports(sources)).toEqual([])
    const folders = SOURCES.flatMap((path) => /^src\/simulator\/(\w+)\//.exec(path)?.[1] ?? [])
    const ranked = new Set(SIMULATOR_RANKS.flat())
    expect(folders.filter((folder) => !ranked.has(folder))).toEqual([])
  })

  test('no imports go in a circle, types included', () => {
    expect(circles(sources)).toEqual([])
  })

  test('no folders of a room import each other in a circle', () => {
    expect(folderCircles(sources)).toEqual([])
  })

  test('no file says the name of its folder again', () => {
    expect(repeatedNames(sources)).toEqual([])
  })

  test(`no file is longer than ${LINES_MAX} lines`, () => {
    const texts = SOURCES.filter((path) => !DATA.test(path))
    expect(longFiles(treeOf(texts))).toEqual([])
    expect(longFiles(treeOf(['README.md']), README_LINES_MAX)).toEqual([])
    expect(wideLines(textOf('README.md'))).toEqual([])
  })

  test('each folder of src has a rank', () => {
    const folders = readdirSync(join(ROOT, 'src')).filter((name) => !name.includes('.'))
    expect(folders.toSorted()).toEqual(RANKS.flat().toSorted())
  })

  test('the map shows each folder of the simulated exchange at its rank', () => {
    const rows = textOf('src/README.md').matchAll(/^\| \d+ \| ((?:`simulator\/[\w.]+\/?` ?)+)\|/gm)
    const shown = [...rows].map(([, cell = '']) =>
      [...cell.matchAll(/simulator\/([\w.]+)/g)].map(([, name = '']) => name).toSorted(),
    )
    expect(shown).toEqual(SIMULATOR_RANKS.map((folders) => folders.toSorted()))
  })

  test('the map shows each folder at its rank', () => {
    const rows = textOf('src/README.md').matchAll(/^\| \d+ \| ((?:`\w+\/` ?)+)\|/gm)
    const shown = [...rows].map(([, cell = '']) => cell.match(/\w+/g)?.toSorted())
    expect(shown).toEqual(RANKS.map((folders) => folders.toSorted()))
  })
})

test.each(BANNED)('no file holds $name', ({ pattern, where }) => {
  const found = [...TEXTS].filter(([path, text]) => where.test(path) && pattern.test(text))
  expect(found.map(([path]) => path).filter((path) => path !== 'package-lock.json')).toEqual([])
})

test('the lock file records no download addresses', () => {
  expect(TEXTS.get('package-lock.json')).not.toMatch(/"resolved": *"http/)
})

test('the top level holds what a newcomer expects, and nothing else', () => {
  const top = [...new Set(TRACKED.map((path) => path.split('/')[0] ?? ''))].filter(
    (name) => !name.startsWith('.'),
  )
  expect(top.sort()).toEqual([
    ...[
      'CHANGELOG.md',
      'LICENSE',
      'NOTICE',
      'README.md',
      'SECURITY.md',
      'build',
      'bunfig.toml',
      'config',
    ],
    ...['package-lock.json', 'package.json', 'src', 'test', 'tsconfig.json'],
  ])
})

/** Every file of the project as git sees it; of an unpacked archive, every file that git would not ignore. */
function trackedFiles(): string[] {
  const git = Bun.spawnSync(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    stderr: 'ignore',
  })
  const paths = git.exitCode === 0 ? git.stdout.toString().trim().split('\n') : filesUnder('')
  return paths
    .filter((path) => statSync(join(ROOT, path), { throwIfNoEntry: false })?.isFile())
    .sort()
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !['node_modules', '.git', 'out', 'data'].includes(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesUnder(path) : [path]
    })
}

function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

function treeOf(paths: readonly string[]): Tree {
  return new Map(paths.map((path) => [path, textOf(path)]))
}
