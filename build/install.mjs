/** What the launcher does before anything is installed. Uses only what ships with Node.js or Bun. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

const STAMP = join(ROOT, 'node_modules/.prepd-installed')

/**
 * Installs what a scope needs (`runtime`: building and serving; `all`: testing too) unless the present lock file is
 * installed at that scope or a wider one. Answers the installer's exit code.
 */
export async function install(scope) {
  const lock = hashOf(['package-lock.json'])
  if ([`${lock} all`, `${lock} ${scope}`].includes(textOf(STAMP))) return 0
  const [command, args] = installer(scope)
  const code = await runInstaller(command, args)
  if (code === 0) writeFileSync(STAMP, `${lock} ${scope}`)
  return code
}

/** Runs an installer and answers its exit code; its output is not the program's, whose stdout may be a protocol. */
function runInstaller(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] })
    child.on('error', (error) => {
      console.error(`prepd: cannot run ${command}: ${error.message}`)
      resolve(1)
    })
    child.on('close', (code) => resolve(code ?? 1))
  })
}

/**
 * The installer that started us, else the one there is. Both read package-lock.json and change nothing in it. Not
 * `npm ci`: it refuses a lock file that lacks the optional packages of platforms which its registry did not carry.
 */
function installer(scope) {
  const startedBy = process.env.npm_execpath ?? ''
  const dev = scope === 'all' ? '--include=dev' : '--omit=dev'
  const npm = ['install', '--no-save', '--no-audit', '--no-fund', dev]
  const bun = ['install', '--frozen-lockfile', ...(scope === 'all' ? [] : ['--production'])]
  if (startedBy.endsWith('npm-cli.js')) return [process.execPath, [startedBy, ...npm]]
  if (process.versions.bun) return [process.execPath, bun]
  if (/bun(\.exe)?$/.test(startedBy)) return [startedBy, bun]
  return spawnSync('npm', ['--version']).error ? ['bun', bun] : ['npm', npm]
}

/**
 * Installs the programs that tests run beside prepd and that are missing, where this user and system allow it;
 * elsewhere the tests that need one say which.
 */
export async function installPrograms() {
  const rows = Object.entries(JSON.parse(textOf(join(ROOT, 'build/programs.json')) || '{}'))
  const missing = rows.filter(([name, { probe = ['--version'] }]) => !starts(name, probe))
  const names = [...new Set(missing.map(([, row]) => row.package))]
  if (names.length === 0 || process.getuid?.() !== 0 || !starts('apt-get', ['--version'])) return
  await runInstaller('apt-get', ['-q', 'update'])
  await runInstaller('apt-get', ['-q', 'install', '-y', '--no-install-recommends', ...names])
}

function starts(name, args) {
  const { error, status } = spawnSync(name, args, { stdio: 'ignore' })
  return !error && (args[0] === '--version' || status === 0)
}

/** The bun of this project. Where install scripts did not run, its executable still lies where it was unpacked. */
export function findBun() {
  const vendor = join(ROOT, 'node_modules/@oven')
  const unpacked = (existsSync(vendor) ? readdirSync(vendor) : []).flatMap((name) =>
    ['bun', 'bun.exe'].map((file) => join(vendor, name, 'bin', file)),
  )
  const own = process.versions.bun ? [process.execPath] : []
  const candidates = [join(ROOT, 'node_modules/bun/bin/bun.exe'), ...unpacked, ...own]
  const runs = (path) => existsSync(path) && spawnSync(path, ['--version']).status === 0
  const found = candidates.find(runs)
  if (!found) throw new Error('bun is not installed; npm run build installs it')
  return found
}

/** One hash of files and folders, by path and content; build/out is what comes of them. */
export function hashOf(names) {
  const hash = createHash('sha256')
  const paths = names.flatMap(filesUnder).filter((path) => !path.startsWith(join('build', 'out')))
  for (const path of paths.sort()) hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex')
}

function filesUnder(name) {
  const path = join(ROOT, name)
  if (statSync(path).isFile()) return [name]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(ROOT.length + 1))
}

export function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
