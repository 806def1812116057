/**
 * Builds a release into build/out/release: an executable for each target, its packages, what is in it and the sums.
 * `--only TARGET` builds one; `--name` and `--url` go into server.json. `--signing-key FILE` signs the sums with an SSH key,
 * whose public key config/release-signers has; `--apt-key ID` signs the apt repository with a key of GnuPG. The same commit
 * gives the same bytes.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './bundle.ts'
import { compile } from './executable.ts'
import { signAptIndex, writeAptIndex } from './release/apt.ts'
import { writeBom } from './release/bom.ts'
import { homebrewFormula } from './release/homebrew.ts'
import { type Published, serverJson } from './release/manifests.ts'
import { PACKAGES, type Packing } from './release/packages.ts'
import { writePlugins } from './release/plugins.ts'
import { provenance } from './release/provenance.ts'
import { signSums } from './release/signing.ts'
import { HOST_TARGET, TARGETS } from './targets.ts'
import { buildVersion, commitHash, commitSeconds } from './version.ts'

const OUT = join(ROOT, 'build/out/release')
const WORK = join(ROOT, 'build/out/release-work')
const LEVEL = 6

const {
  only,
  name,
  url,
  'signing-key': signingKey,
  'apt-key': aptKey,
} = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: Object.keys(TARGETS) },
    name: { type: 'string', default: 'com.example/prepd' },
    url: { type: 'string', default: 'https://downloads.example.com/prepd' },
    'signing-key': { type: 'string' },
    'apt-key': { type: 'string' },
  },
}).values

for (const folder of [OUT, WORK]) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
}
const version = await buildVersion()
const files: string[] = []
for (const target of only) files.push(...(await packagesOf(target)))
files.push(...papers())
files.push(...plugins())
files.push(...aptIndex())
await writeServerJson()
await writeProvenance()
await writeSums()
console.error(signSums(OUT, signingKey))
if (aptKey !== undefined) signAptIndex(OUT, aptKey)
rmSync(WORK, { recursive: true })

async function packagesOf(target: string): Promise<string[]> {
  const row = Object.hasOwn(TARGETS, target) ? TARGETS[target] : undefined
  if (!row) throw new Error(`unknown target; there are: ${Object.keys(TARGETS).join(', ')}`)
  const folder = join(WORK, target)
  mkdirSync(folder)
  // Always under this name: it is part of the bytes.
  const executable = join(folder, target.startsWith('windows') ? 'prepd.exe' : 'prepd')
  // The executable of this machine is built as build/compile.ts does: it is the one that is tested and measured.
  if (target === HOST_TARGET) await compile({ outfile: executable, bytecode: true })
  else await compile({ outfile: executable, bytecode: false, target: row.compile })
  const packing: Packing = {
    ...{ target, executable, version, atSeconds: commitSeconds(), level: LEVEL },
    ...{ out: OUT, work: folder },
  }
  return PACKAGES.filter(({ isFor }) => isFor(target)).map(({ make }) => make(packing))
}

/** What goes beside the packages: terms, notices, the list of what is inside, and how an image is made. */
function papers(): string[] {
  for (const path of ['LICENSE', 'NOTICE']) cpSync(join(ROOT, path), join(OUT, path))
  cpSync(join(ROOT, 'config/Dockerfile'), join(OUT, 'Dockerfile'))
  return ['LICENSE', 'NOTICE', 'Dockerfile', writeBom(OUT, version)]
}

/** Skills and the server for agents' hosts. */
function plugins(): readonly string[] {
  const at = { atSeconds: commitSeconds(), level: LEVEL }
  return writePlugins({ version, ...at, out: OUT, work: WORK })
}

function aptIndex(): readonly string[] {
  const debs = files.filter((path) => path.endsWith('.deb'))
  return writeAptIndex(OUT, debs, commitSeconds())
}

async function writeServerJson(): Promise<void> {
  const bundles = await published((path) => path.endsWith('.mcpb'))
  writeFileSync(join(OUT, 'server.json'), serverJson({ version, name, url, bundles }))
  const archives = await published((path) => path.endsWith('.tar.xz'))
  writeFileSync(join(OUT, 'prepd.rb'), homebrewFormula({ version, url, archives }))
  files.push('server.json', 'prepd.rb')
}

async function writeProvenance(): Promise<void> {
  const subjects = await published(() => true)
  const text = provenance({ subjects, commit: commitHash(), parameters: { only, name, url } })
  writeFileSync(join(OUT, 'prepd.intoto.json'), text)
  files.push('prepd.intoto.json')
}

/** The files that a test picks, with their sums, by name. */
function published(isPicked: (file: string) => boolean): Promise<Published[]> {
  const picked = files.filter(isPicked).toSorted()
  return Promise.all(picked.map(async (file) => ({ file, sha256: await sumOf(file) })))
}

/** As sha256sum writes them: `sha256sum -c SHA256SUMS` checks a download. */
async function writeSums(): Promise<void> {
  const lines: string[] = []
  for (const file of files.sort()) lines.push(`${await sumOf(file)}  ${file}\n`)
  writeFileSync(join(OUT, 'SHA256SUMS'), lines.join(''))
  console.log(lines.join('').trimEnd())
}

async function sumOf(file: string): Promise<string> {
  const bytes = await Bun.file(join(OUT, file)).arrayBuffer()
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}
