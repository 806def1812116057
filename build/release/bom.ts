import { Database } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../bundle.ts'
import { run } from './stage.ts'

type Component = {
  readonly name: string
  readonly group?: string
  readonly version?: string
  readonly [member: string]: unknown
}

type Lock = {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly integrity?: string }>
  >
}

/**
 * Writes what the program is made of, as a CycloneDX document without times or numbers of its own: packages with the
 * hashes of their archives, the runtime, and what is inside of that. Answers its name.
 */
export function writeBom(out: string, version: string): string {
  const name = 'prepd.cdx.json'
  const path = join(out, name)
  const options = ['--omit', 'dev', '--output-reproducible', '--output-format', 'JSON']
  const program = join(ROOT, 'node_modules/@cyclonedx/cyclonedx-npm/bin/cyclonedx-npm-cli.js')
  run(['node', program, ...options, '--output-file', path], { cwd: ROOT })
  const bom = JSON.parse(readFileSync(path, 'utf8'))
  const lock: Lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const components = bom.components.map((component: Component) => hashed(component, lock))
  bom.metadata.component = { ...bom.metadata.component, version }
  bom.components = [...components, runtime(lock)]
  writeFileSync(path, `${JSON.stringify(bom, null, 2)}\n`)
  return name
}

/** A package with the hash of its archive, as the lock file has it. */
function hashed(component: Component, lock: Lock): Component {
  const { group, name, version } = component
  const full = group === undefined ? name : `${group}/${name}`
  const hashes = hashesOf(full, version, lock)
  return hashes.length === 0 ? component : { ...component, hashes }
}

/** Bun, which the executable carries, and the libraries that it names as its own parts. */
function runtime(lock: Lock): Component {
  using database = new Database(':memory:')
  const sqlite = database.query<{ version: string }, []>('SELECT sqlite_version() AS version').get()
  const parts = Object.entries(process.versions)
    .filter(([name]) => !NO_PARTS.has(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, version]) => part(NAMES[name] ?? name, version ?? ''))
  return {
    ...part('Bun', Bun.version),
    type: 'platform',
    hashes: hashesOf('@oven/bun-linux-x64', Bun.version, lock),
    components: [part('SQLite', sqlite?.version ?? ''), ...parts],
  }
}

function part(name: string, version: string): Component {
  return { type: 'library', 'bom-ref': `runtime/${name}@${version}`, name, version }
}

/** Names that Bun reports for programs made for Node.js, and its own. */
const NO_PARTS: ReadonlySet<string> = new Set([
  ...['bun', 'modules', 'napi', 'node', 'openssl', 'sqlite', 'typescript', 'unicode', 'uv', 'v8'],
])

const NAMES: Readonly<Record<string, string>> = { webkit: 'WebKit', boringssl: 'BoringSSL' }

function hashesOf(name: string, version: string | undefined, { packages }: Lock) {
  const found = Object.entries(packages).find(
    ([path, row]) => path.endsWith(`node_modules/${name}`) && row.version === version,
  )
  const [, encoded] = /^sha512-(.+)$/.exec(found?.[1].integrity ?? '') ?? []
  if (encoded === undefined) return []
  return [{ alg: 'SHA-512', content: Buffer.from(encoded, 'base64').toString('hex') }]
}
