import { posix } from 'node:path'

/** A tree of files: each path from the root, with its text. */
export type Tree = ReadonlyMap<string, string>

/**
 * The rooms of src by rank: one may import only from ranks below its own. src/main.ts and src/settings.ts stand above
 * them all, and src/main opens them.
 */
export const RANKS: readonly (readonly string[])[] = [
  ['contract'],
  ['core'],
  ['perp', 'tapes'],
  ['upstream', 'store', 'simulator', 'pages'],
  ['gateway'],
  ['cluster', 'live', 'agents'],
  ['operator'],
  ['http', 'lab'],
  ['main'],
]

/** Rooms that one may leave out: nothing but src/main imports them. */
const OPTIONAL: ReadonlySet<string> = new Set(['cluster', 'lab'])

/**
 * The folders of src/simulator by rank, ordered as those of src. `.` are the files directly in it, which open the venue and
 * join its parts.
 */
export const SIMULATOR_RANKS: readonly (readonly string[])[] = [
  ['base', 'messages'],
  ['listing'],
  ['past'],
  ['state'],
  ['margin'],
  ['ledger'],
  ['book'],
  ['orders'],
  ['history', 'liquidation', 'prices', 'traders'],
  ['flow', 'tape', 'vaults'],
  ['engine'],
  ['exchange'],
  ['accounts', 'feed', 'programs'],
  ['rest'],
  ['stream'],
  ['server'],
  ['control'],
  ['.'],
  ['thread'],
]

/** What a folder may import from outside src: packages with their paths, modules of the runtime, embedded files. */
// biome-ignore format: one folder a row
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  contract: ['@sinclair/typebox'],
  core: [
    ...['@noble/curves', '@noble/ed25519', '@noble/hashes', '@sinclair/typebox'],
    ...['node:async_hooks', 'node:crypto', 'node:fs', 'node:net'],
  ],
  perp: [],
  tapes: ['node:crypto', 'node:fs', 'node:zlib'],
  upstream: ['@sinclair/typebox', 'node:fs', 'node:http', 'node:https'],
  store: ['bun:sqlite', 'node:fs', 'node:path'],
  simulator: ['node:crypto'],
  pages: ['@preact/signals', 'lightweight-charts', 'preact', 'uplot'],
  gateway: ['@sinclair/typebox', 'node:crypto'],
  cluster: ['ioredis', 'node:crypto', 'node:fs', 'node:path', 'pg'],
  live: [],
  agents: ['@sinclair/typebox'],
  operator: [
    ...['@sinclair/typebox', 'NOTICE', 'age-encryption', 'config/release-signers', 'nodemailer'],
    ...['node:crypto', 'node:fs', 'node:path', 'node:stream', 'node:zlib'],
  ],
  http: [
    ...['@elysiajs/swagger', '@sinclair/typebox', 'CHANGELOG.md', 'README.md', 'SECURITY.md', 'bun'],
    ...['config/reference', 'config/samples', 'elysia', 'swagger-ui-dist'],
  ],
  lab: ['@sinclair/typebox', 'hyparquet', 'node:fs', 'node:path', 'node:zlib', 'uplot'],
}

/**
 * Rooms that may import these places only. The simulated exchange shares tables, encodings and cryptography, and judges
 * orders by itself, so that tests can compare the order calculator with it. A page is a client.
 */
const APART: Readonly<Record<string, RegExp>> = {
  simulator: /^src\/(?:contract|core|tapes)\//,
  pages: /^src\/(?:contract|core|perp)\//,
}

export const LINES_MAX = 350
export const README_LINES_MAX = 120
export const README_WIDTH_MAX = 120

/** Imports that point at a rank not below their own, or at a package that the folder's row does not list. */
export function strayImports(tree: Tree): string[] {
  return sourcesOf(tree).flatMap((path) => {
    const folder = folderOf(path)
    if (folder === null || folder === 'main') return []
    return importsOf(tree, path)
      .filter((target) => !mayImport(folder, target))
      .map((target) => `${path} imports ${target}`)
  })
}

function mayImport(folder: string, target: string): boolean {
  if (!target.startsWith('src/')) return listed(OUTSIDE[folder] ?? [], target)
  const other = folderOf(target)
  if (other === folder) return true
  if (APART[folder]?.test(target) === false) return false
  if (OPTIONAL.has(other ?? '')) return false
  return other !== null && rankOf(other) < rankOf(folder)
}

function listed(names: readonly string[], target: string): boolean {
  return names.some((name) => target === name || target.startsWith(`${name}/`))
}

/** Imports between folders of src/simulator that point at a rank not below their own. */
export function straySimulatorImports(tree: Tree): string[] {
  return sourcesOf(tree).flatMap((path) => {
    const folder = simulatorFolderOf(path)
    if (folder === null) return []
    return importsOf(tree, path)
      .filter((target) => {
        const other = simulatorFolderOf(target)
        return (
          other !== null && other !== folder && simulatorRankOf(other) >= simulatorRankOf(folder)
        )
      })
      .map((target) => `${path} imports ${target}`)
  })
}

/** The folder of src/simulator that a path is in: `.` for a file directly in it, null for one outside. */
function simulatorFolderOf(path: string): string | null {
  const [src, room, folder = '', rest] = path.split('/')
  if (src !== 'src' || room !== 'simulator') return null
  return rest === undefined ? '.' : folder
}

function simulatorRankOf(folder: string): number {
  const rank = SIMULATOR_RANKS.findIndex((names) => names.includes(folder))
  return rank < 0 ? SIMULATOR_RANKS.length : rank
}

/** The rank of a folder of src; above every rank for one that has none. */
function rankOf(folder: string): number {
  const rank = RANKS.findIndex((names) => names.includes(folder))
  return rank < 0 ? RANKS.length : rank
}

/** Each circle of imports, types included, as one line of paths. */
export function circles(tree: Tree): string[] {
  const imports = (path: string) => importsOf(tree, path).filter((to) => tree.has(to))
  return circlesOf(new Map(sourcesOf(tree).map((path) => [path, imports(path)])))
}

/** Each circle of imports between folders of one room, types included, as one line of paths. */
export function folderCircles(tree: Tree): string[] {
  const graphs = new Map<string, Map<string, Set<string>>>()
  for (const path of sourcesOf(tree)) {
    const room = folderOf(path) ?? ''
    const folder = posix.dirname(path)
    const graph = graphs.get(room) ?? new Map<string, Set<string>>()
    const reached = graph.get(folder) ?? new Set<string>()
    for (const target of importsOf(tree, path)) {
      const other = posix.dirname(target)
      if (tree.has(target) && folderOf(target) === room && other !== folder) reached.add(other)
    }
    graphs.set(room, graph.set(folder, reached))
  }
  return [...graphs.values()].flatMap(circlesOf)
}

/** Each circle of a graph, as one line of its names. */
function circlesOf(graph: ReadonlyMap<string, Iterable<string>>): string[] {
  const found = new Set<string>()
  const clean = new Set<string>()
  const follow = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path)
    if (at >= 0) found.add(trail.slice(at).toSorted().join(' '))
    if (at >= 0 || clean.has(path)) return
    for (const next of graph.get(path) ?? []) follow(next, [...trail, path])
    clean.add(path)
  }
  for (const path of graph.keys()) follow(path, [])
  return [...found]
}

/** Files of src whose name says again what their folder, or a folder around it, says already. */
export function repeatedNames(tree: Tree): string[] {
  return sourcesOf(tree).filter((path) => {
    const folders = path.split('/').slice(1, -1)
    const name = posix.basename(path)
    return folders.some(
      (folder) => name.startsWith(`${folder}-`) || name.startsWith(`${singular(folder)}-`),
    )
  })
}

function singular(word: string): string {
  return word.replace(/s$/, '')
}

/** Files longer than a reader follows. */
export function longFiles(tree: Tree, linesMax = LINES_MAX): string[] {
  return [...tree]
    .map(([path, text]) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > linesMax)
    .map(({ path, lines }) => `${path} has ${lines} lines`)
}

/** The lines of a text that are wider than a reader's window. */
export function wideLines(text: string, widthMax = README_WIDTH_MAX): string[] {
  return text.split('\n').filter((line) => line.length > widthMax)
}

/** What a file imports, types included: paths from the root, or names of packages and runtime modules. */
function importsOf(tree: Tree, path: string): string[] {
  const text = tree.get(path) ?? ''
  const matches = text.matchAll(/(?<!\.)\b(?:from|import)\s*\(?\s*'([^'\s]+)'/g)
  return [...matches].map(([, target = '']) =>
    target.startsWith('.') ? posix.join(posix.dirname(path), target) : target,
  )
}

function sourcesOf(tree: Tree): string[] {
  return [...tree.keys()].filter((path) => /^src\/.*\.tsx?$/.test(path))
}

/** The folder of src that a path is in; null for a file directly in it. */
function folderOf(path: string): string | null {
  const [, folder = '', rest] = path.split('/')
  return rest === undefined ? null : folder
}
