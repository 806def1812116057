import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bundleParts, ROOT } from './bundle.ts'

/** Somebody else's work inside the executable, and all the text that has to go with it. */
export type Notice = {
  readonly name: string
  readonly version: string
  /** As its package.json states it: an SPDX identifier. */
  readonly license: string
  readonly text: string
}

/** The text of NOTICE: everything that the bundler put into the program, and the runtime around it. */
export async function noticeText(): Promise<string> {
  return render([runtimeNotice(), ...bundledNotices(await bundleParts())])
}

/**
 * A notice for each package that has a share in a bundle, by name. Throws for a package without a licence text,
 * naming it.
 */
export function bundledNotices({ outputs }: Bun.BuildMetafile): Notice[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs))
  const files = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
  const byFolder = Map.groupBy(new Set(files), (path) => packageFolder(path))
  return [...byFolder]
    .flatMap(([folder, paths]) => (folder === null ? [] : [readNotice(folder, paths)]))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The folder of the package that a file is of, such as `node_modules/@noble/hashes`; null for our own files. */
function packageFolder(path: string): string | null {
  return /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null
}

const LICENSE_FILE = /^(?:licen[cs]e|copying)(?:[.-]|$)/i
const NOTICE_FILE = /^notice(?:[.-]|$)/i

function readNotice(folder: string, files: readonly string[]): Notice {
  const { name, version, license } = packageFacts(folder)
  const names = readdirSync(resolve(folder)).sort()
  const licenses = names.filter((file) => LICENSE_FILE.test(file))
  if (licenses.length === 0) throw new Error(`${name} ${version} has no licence text`)
  const own = [...licenses, ...names.filter((file) => NOTICE_FILE.test(file))]
  const paths = [...own.map((file) => join(folder, file)), ...withinNotices(files)]
  return { name, version, license, text: joined(paths.map((path) => readText(resolve(path)))) }
}

/** A file that was bundled before it was published says what is in it in a text beside it. */
function withinNotices(files: readonly string[]): string[] {
  return files.map((file) => `${file}.LICENSE.txt`).filter((path) => existsSync(resolve(path)))
}

function packageFacts(folder: string): Omit<Notice, 'text'> {
  const { name, version, license } = JSON.parse(
    readFileSync(resolve(folder, 'package.json'), 'utf8'),
  )
  if (typeof license !== 'string') throw new Error(`${name} ${version} does not name its licence`)
  return { name, version, license }
}

const RUNTIME = `The executable is the Bun runtime with the program of prepd inside. Bun is linked from parts of others,
among them JavaScriptCore of WebKit (LGPL-2) and TinyCC (LGPL-2.1). Whoever changes one of them can relink Bun as it says
below, and build prepd on that Bun from prepd's own source: build/compile.ts takes the Bun that runs it.

What Bun says of itself and of its parts:`

/** Bun's package holds no text: its own page on licences comes with its types, and the licences it names lie here. */
function runtimeNotice(): Notice {
  const bun = packageFacts(join(ROOT, 'node_modules/bun'))
  const types = join(ROOT, 'node_modules/bun-types')
  const { version } = packageFacts(types)
  if (version !== bun.version) throw new Error(`bun-types ${version} is not of bun ${bun.version}`)
  const licenses = ['mit.txt', 'lgpl-2.txt', 'lgpl-2.1.txt'].map((name) => `build/licenses/${name}`)
  const texts = licenses.map((path) => readText(join(ROOT, path)))
  return {
    ...bun,
    text: joined([RUNTIME, pageText(join(types, 'docs/project/license.mdx')), ...texts]),
  }
}

/** A page of documentation without its head, and with tables as narrow as they can be. */
function pageText(path: string): string {
  return readText(path)
    .replace(/^---\n.*?\n---\n+/s, '')
    .replace(/ {2,}\|/g, ' |')
    .replace(/-{4,}/g, '---')
}

const RULE = '-'.repeat(80)

function joined(texts: readonly string[]): string {
  return texts.join(`\n\n${RULE}\n\n`)
}

function readText(path: string): string {
  return readFileSync(path, 'utf8')
    .replace(/[^\S\n]+$/gm, '')
    .replace(/^\n+|\n+$/g, '')
}

const HEAD = `Notices of third parties

prepd itself is licensed under the Apache License 2.0: see the file LICENSE. Its executable holds the works below, each
with its version, its licence and the text that goes with it. \`prepd --licenses\` prints this file.`

const DOUBLE_RULE = '='.repeat(80)

/** Works with the same text stand above it together. */
export function render(notices: readonly Notice[]): string {
  const byText = Map.groupBy(notices, ({ text }) => text)
  const sections = [...byText].map(([text, sharing]) =>
    [DOUBLE_RULE, ...sharing.map(headline), DOUBLE_RULE, '', text].join('\n'),
  )
  return `${[HEAD, ...sections].join('\n\n')}\n`
}

function headline({ name, version, license }: Notice): string {
  return `${name} ${version} (${license})`
}
