// Slow: apt reads the repository as a machine does that installs from it.
import { expect } from 'bun:test'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signAptIndex, writeAptIndex } from '../../build/release/apt.ts'
import { needProgram, testsNeeding } from '../programs.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { packagesIn, standIn } from './packing.ts'

const { afterAll, beforeAll, test } = testsNeeding(
  'the apt repository',
  'apt-get',
  'gpg',
  'dpkg-deb',
)

const folder = temporaryFolder()
const at = (path: string) => join(folder.path, path)
const out = at('packages/out')
const KEY = 'releases@prepd.example'
const before = process.env['GNUPGHOME']

function run(...argv: string[]) {
  const [program = ''] = argv
  const words = [needProgram(program), ...argv.slice(1)]
  const { exitCode, stdout, stderr } = Bun.spawnSync(words, { env: { ...process.env } })
  return { exitCode, text: `${stdout}${stderr}` }
}

beforeAll(() => {
  mkdirSync(at('gnupg'), { mode: 0o700 })
  process.env['GNUPGHOME'] = at('gnupg')
  const made = run('gpg', '--batch', '--passphrase', '', '--quick-generate-key', KEY, 'ed25519')
  expect(made.exitCode).toBe(0)
  const [deb = ''] = packagesIn(
    at('packages'),
    { target: 'linux-x64', executable: standIn(folder.path) },
    'deb',
  )
  expect(writeAptIndex(out, [deb.slice(out.length + 1)], 1_700_000_000)).toEqual([
    'Packages',
    'Release',
  ])
  signAptIndex(out, KEY)
})
afterAll(() => {
  run('gpgconf', '--kill', 'all')
  if (before === undefined) delete process.env['GNUPGHOME']
  else process.env['GNUPGHOME'] = before
  folder[Symbol.dispose]()
})

/** apt with a root of its own, which knows this repository alone. */
function apt(root: string, ...words: string[]) {
  for (const path of ['etc', 'state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(root, path), { recursive: true })
  writeFileSync(join(root, 'state/status'), '')
  const source = `deb [arch=amd64 signed-by=${out}/prepd.gpg] file:${out} ./\n`
  writeFileSync(join(root, 'etc/sources.list'), source)
  // apt reads as a user of its own.
  for (const path of [folder.path, out]) chmodSync(path, 0o755)
  const options = [
    ...[`Dir::Etc=${root}/etc`, `Dir::State=${root}/state`, `Dir::Cache=${root}/cache`],
    ...[`Dir::State::status=${root}/state/status`, 'APT::Architecture=amd64'],
    ...['APT::Sandbox::User=root', 'Dir::Etc::sourceparts=-'],
  ]
  return run(words[0] ?? '', ...options.flatMap((option) => ['-o', option]), ...words.slice(1))
}

test('apt takes the signed repository, finds the package, and refuses an index that was changed', () => {
  const updated = (root: string) => apt(at(root), 'apt-get', 'update', '--error-on=any').exitCode
  expect(updated('first')).toBe(0)
  const shown = apt(at('first'), 'apt-cache', 'show', 'prepd').text
  expect(shown).toContain('Version: 1.2.3\n')
  expect(shown).toContain('Filename: ./prepd_1.2.3_amd64.deb\n')
  const index = readFileSync(join(out, 'Packages'), 'utf8')
  appendFileSync(join(out, 'Packages'), '\n')
  expect(updated('second')).not.toBe(0)
  writeFileSync(join(out, 'Packages'), index)
  expect(updated('third')).toBe(0)
  const signed = readFileSync(join(out, 'InRelease'), 'utf8')
  writeFileSync(join(out, 'InRelease'), signed.replace('Suite: stable', 'Suite: other'))
  expect(updated('fourth')).not.toBe(0)
})

test('without a package there is no index', () => {
  expect(writeAptIndex(out, [], 0)).toEqual([])
})
