import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, normalize } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const LINES_MAX = 250

type Rule = {
  /** Folders of src that may be imported besides its own. */
  readonly folders: readonly string[]
  /** What may be imported from outside the project: a package with its paths, or a module of the runtime. */
  readonly outside: readonly string[]
}

/** Who may import what. src/wiring, src/main.ts and src/settings.ts bring everything together and have no row. */
// biome-ignore format: one folder a row
const RULES: Readonly<Record<string, Rule>> = {
  spec: { folders: [], outside: ['@sinclair/typebox'] },
  core: { folders: ['spec'], outside: ['@noble/curves', '@noble/ed25519', '@noble/hashes', '@sinclair/typebox', 'node:crypto', 'node:net'] },
  store: { folders: ['core', 'spec'], outside: ['bun:sqlite', 'node:fs', 'node:path'] },
  upstream: { folders: ['core', 'spec'], outside: [] },
  venue: { folders: ['core', 'spec'], outside: [] },
  gateway: { folders: ['core', 'spec'], outside: ['node:crypto'] },
  client: { folders: ['gateway', 'core', 'spec'], outside: [] },
  mcp: { folders: ['client', 'core', 'spec'], outside: ['@sinclair/typebox'] },
  admin: { folders: ['client', 'core', 'spec'], outside: [] },
  routes: { folders: ['gateway', 'client', 'mcp', 'core', 'spec'], outside: ['@elysiajs/swagger', '@sinclair/typebox', 'elysia', 'swagger-ui-dist'] },
}

/** The venue judges for itself: of core it shares ports, encodings and cryptography, none of the gateway's rules. */
const VENUE_CORE = [
  ...['ports', 'json', 'json-text', 'hex', 'base58', 'decimals'],
  ...['account-id', 'keccak', 'signing', 'typed-data', 'verifier', 'wallet-signature'],
].map((name) => `core/${name}.ts`)

/** Tables of data may be as long as what they list. */
const DATA = /^src\/(?:spec\/|venue\/instruments\.ts$)/

// biome-ignore format: one kind of text a row
const BANNED: readonly { name: string; pattern: RegExp; where: RegExp }[] = [
  { name: 'time, chance or environment', pattern: /\bDate\.now\b|\bMath\.random\b|\bprocess\.env\b/, where: /^src\/(?!main\.ts$|settings\.ts$)/ },
  { name: 'the console', pattern: /\bconsole\./, where: /^src\// },
  { name: 'unfinished work', pattern: new RegExp(`\\b(?:${['TO', 'FIX'].join('DO|')}ME)\\b`), where: /^(?:src|test|build)\// },
  { name: 'a skipped or focused test', pattern: /\.(?:skip|only|todo)\(/, where: /^test\// },
  { name: 'a path of somebody\'s machine', pattern: /\/(?:home|work|farm|Users)\//, where: /./ },
  { name: 'the host of a package registry', pattern: /\bregistry\.[a-z]+\.(?:org|com)\b/, where: /./ },
]

const TRACKED = trackedFiles()
const SOURCES = TRACKED.filter((path) => /^(?:src|test|build)\/.*\.(?:ts|mjs)$/.test(path))
const TEXTS = new Map(
  TRACKED.filter((path) => !/\.(?:png|ico|gz)$/.test(path)).map((path) => [path, textOf(path)]),
)

describe.each(Object.entries(RULES))('src/%s', (folder, { folders, outside }) => {
  const files = SOURCES.filter((path) => path.startsWith(`src/${folder}/`))

  test('imports only what its row lists', () => {
    const stray = files.flatMap((path) =>
      importsOf(path)
        .filter((target) => !allowed(target, [folder, ...folders], outside))
        .map((target) => `${path} imports ${target}`),
    )
    expect(stray).toEqual([])
  })
})

test('each folder of src has a row', () => {
  const folders = readdirSync(join(ROOT, 'src')).filter(
    (name) => !name.includes('.') && name !== 'wiring',
  )
  expect(folders.filter((name) => !Object.hasOwn(RULES, name))).toEqual([])
})

test('the venue shares only encodings and cryptography with the gateway', () => {
  const stray = SOURCES.filter((path) => path.startsWith('src/venue/')).flatMap((path) =>
    importsOf(path)
      .filter((target) => target.startsWith('src/core/') && !VENUE_CORE.includes(target.slice(4)))
      .map((target) => `${path} imports ${target}`),
  )
  expect(stray).toEqual([])
})

test.each(BANNED)('no file holds $name', ({ pattern, where }) => {
  const found = [...TEXTS].filter(([path, text]) => where.test(path) && pattern.test(text))
  expect(found.map(([path]) => path).filter((path) => path !== 'package-lock.json')).toEqual([])
})

test('the lock file records no download addresses', () => {
  expect(TEXTS.get('package-lock.json')).not.toMatch(/"resolved": *"http/)
})

test(`no file is longer than ${LINES_MAX} lines`, () => {
  const long = [...SOURCES.filter((path) => !DATA.test(path)), 'README.md']
    .map((path) => ({ path, lines: textOf(path).split('\n').length - 1 }))
    .filter(({ lines }) => lines > LINES_MAX)
  expect(long).toEqual([])
})

test('the top level holds what a newcomer expects, and nothing else', () => {
  const top = [...new Set(TRACKED.map((path) => path.split('/')[0] ?? ''))].filter(
    (name) => !name.startsWith('.'),
  )
  expect(top.sort()).toEqual([
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'build', 'bunfig.toml', 'config'],
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

/** What a file imports, types included: paths from the root, or names of packages and runtime modules. */
function importsOf(path: string): string[] {
  const matches = textOf(path).matchAll(/(?<!\.)\b(?:from|import)\s*\(?\s*'([^'\s]+)'/g)
  return [...matches].map(([, target = '']) =>
    target.startsWith('.') ? normalize(join(path, '..', target)) : target,
  )
}

function allowed(target: string, folders: readonly string[], outside: readonly string[]): boolean {
  if (target.startsWith('src/'))
    return folders.some((folder) => target.startsWith(`src/${folder}/`))
  return outside.some((name) => target === name || target.startsWith(`${name}/`))
}
