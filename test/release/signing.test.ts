// Slow: ssh-keygen makes keys and signatures.
import { expect } from 'bun:test'
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { ROOT } from '../../build/bundle.ts'
import { homebrewFormula } from '../../build/release/homebrew.ts'
import { provenance } from '../../build/release/provenance.ts'
import { signSums } from '../../build/release/signing.ts'
import { parseSshSignature } from '../../src/core/crypto/ssh-signature.ts'
import { runCommand } from '../operator/run-command.ts'
import { needProgram, testsNeeding } from '../programs.ts'
import { runs } from '../runs.ts'
import { settingsFolder } from '../settings-folder.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding('signed releases', 'ssh-keygen')

const folder = settingsFolder()
const out = folder.path('release')
const at = (name: string) => join(out, name)
afterAll(() => folder[Symbol.dispose]())

/** A key pair; answers the line of its public half. */
function makeKey(name: string): string {
  const argv = ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', folder.path(name)]
  expect(Bun.spawnSync([needProgram('ssh-keygen'), ...argv]).exitCode).toBe(0)
  return `prepd namespaces="prepd-release" ${readFileSync(folder.path(`${name}.pub`), 'utf8')}`
}

const sumOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

beforeAll(() => {
  mkdirSync(out)
  writeFileSync(at('prepd.tar.xz'), 'archive')
  writeFileSync(at('other'), 'nobody lists it')
  writeFileSync(at('SHA256SUMS'), `${sumOf('archive')}  prepd.tar.xz\n`)
  folder.write('signers', `# ours\n${makeKey('ours')}`)
  folder.write('strangers', makeKey('stranger'))
  signSums(out, folder.path('ours'), folder.path('signers'))
})

const verify = (path: string, ...argv: string[]) => runCommand(folder, ['verify', path, ...argv])
const ours = () => ['--signers', folder.path('signers')]

/** A copy of the release, which a test spoils. */
function spoiled(name: string, spoil: (place: string) => void): string {
  const place = folder.path(name)
  cpSync(out, place, { recursive: true })
  spoil(place)
  return join(place, 'prepd.tar.xz')
}

describe('verify', () => {
  test('takes a file that is listed and signed, and names its signer', async () => {
    expect(await verify(at('prepd.tar.xz'), ...ours(), '--json')).toEqual({
      exitCode: 0,
      lines: [
        JSON.stringify({ file: 'prepd.tar.xz', sha256: sumOf('archive'), signedBy: 'prepd' }),
      ],
    })
  })

  test('refuses what was changed, is not listed, or is signed by others, and says which', async () => {
    const changed = spoiled('changed', (place) => appendFileSync(`${place}/prepd.tar.xz`, '!'))
    const sums = spoiled('sums', (place) => appendFileSync(`${place}/SHA256SUMS`, '\n'))
    const unsigned = spoiled('unsigned', (place) => writeFileSync(`${place}/SHA256SUMS.sig`, 'x'))
    const strangers = ['--signers', folder.path('strangers')]
    const none = ['--signers', folder.write('none', '# none yet\n')]
    for (const [path, argv, line] of [
      [changed, ours(), /^prepd\.tar\.xz is not the file that was released: its SHA-256 is /],
      [sums, ours(), /^SHA256SUMS is not what was signed$/],
      [unsigned, ours(), /^SHA256SUMS\.sig is no signature of a release$/],
      [at('other'), ours(), /^SHA256SUMS has no line for other$/],
      [at('missing'), ours(), /^there is no file /],
      [folder.path('ours'), ours(), /SHA256SUMS is missing, or cannot be read$/],
      [at('prepd.tar.xz'), strangers, /^SHA256SUMS is signed by a key that is not among/],
      [at('prepd.tar.xz'), none, /^this executable knows no release key/],
    ] as const) {
      const { lines, exitCode } = await verify(path, ...argv)
      expect([exitCode, lines.length]).toEqual([1, 1])
      expect(lines[0]).toMatch(line)
    }
  })

  test('refuses a signature that was made for something else', async () => {
    const path = spoiled('purpose', (place) => {
      const argv = ['-Y', 'sign', '-q', '-f', folder.path('ours'), '-n', 'file', 'SHA256SUMS']
      Bun.spawnSync(['rm', 'SHA256SUMS.sig'], { cwd: place })
      expect(Bun.spawnSync([needProgram('ssh-keygen'), ...argv], { cwd: place }).exitCode).toBe(0)
    })
    expect((await verify(path, ...ours())).lines).toEqual([
      'SHA256SUMS.sig is no signature of a release',
    ])
  })
})

test('a key that users do not have signs no release', () => {
  const place = folder.path('foreign')
  cpSync(out, place, { recursive: true })
  expect(() => signSums(place, folder.path('stranger'), folder.path('signers'))).toThrow(
    'does not have the public half of the signing key',
  )
})

test('a release without a signing key has no signature, not even of the release before, and says so', () => {
  const place = folder.path('keyless')
  cpSync(out, place, { recursive: true })
  const signed = signSums(place, folder.path('ours'), folder.path('signers'))
  expect(signed).toBe('SHA256SUMS.sig signs SHA256SUMS')
  expect(signSums(place, undefined, folder.path('signers'))).toStartWith('NOT SIGNED: ')
  expect(existsSync(join(place, 'SHA256SUMS.sig'))).toBe(false)
})

test('the security policy shows each key that signs releases, or says that there is none', () => {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
  const lines = read('config/release-signers').split('\n')
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const policy = read('SECURITY.md')
  expect(keys.filter((key) => !policy.includes(key))).toEqual([])
  expect(policy.includes('There is no key yet')).toBe(keys.length === 0)
})

test('a signature with any byte changed is none, or not of the message', () => {
  const message = readFileSync(at('SHA256SUMS'))
  const armored = readFileSync(at('SHA256SUMS.sig'), 'utf8')
  const [head = '', ...rest] = armored.trimEnd().split('\n')
  const tail = rest.pop() ?? ''
  const bytes = Buffer.from(rest.join(''), 'base64')
  const again = (changed: Uint8Array) =>
    parseSshSignature(`${head}\n${Buffer.from(changed).toString('base64')}\n${tail}\n`)
  const key = again(bytes)?.publicKey
  expect([again(bytes)?.isOf(message), again(bytes.subarray(0, -1))]).toEqual([true, null])
  const flipped = fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }))
  fc.assert(
    fc.property(flipped, ([place, mask]) => {
      const changed = Uint8Array.from(bytes, (byte, index) =>
        index === place ? byte ^ mask : byte,
      )
      const signature = again(changed)
      const isForged = signature?.publicKey === key && signature?.namespace === 'prepd-release'
      expect(isForged && signature?.isOf(message)).toBe(false)
    }),
    { numRuns: runs(200) },
  )
})

test('the formula of Homebrew has the archives that were built, by their sums', () => {
  const archives = [
    { file: 'prepd-1.2.3-darwin-arm64.tar.xz', sha256: 'a'.repeat(64) },
    { file: 'prepd-1.2.3-linux-x64.tar.xz', sha256: 'b'.repeat(64) },
    { file: 'prepd-1.2.3-linux-x64-musl.tar.xz', sha256: 'c'.repeat(64) },
  ]
  const text = homebrewFormula({ version: '1.2.3', url: 'https://d.example/p', archives })
  const found = [...text.matchAll(/(on_\w+) do\n {4}(on_\w+) do\n {6}url "(.+)"\n {6}sha256 "(.)/g)]
  expect(found.map(([, ...parts]) => parts)).toEqual([
    ['on_macos', 'on_arm', 'https://d.example/p/prepd-1.2.3-darwin-arm64.tar.xz', 'a'],
    ['on_linux', 'on_intel', 'https://d.example/p/prepd-1.2.3-linux-x64.tar.xz', 'b'],
  ])
})

test('the provenance names every file by its sum, the commit and the inputs, and no time', () => {
  const subjects = [{ file: 'prepd.tar.xz', sha256: 'a'.repeat(64) }]
  const text = provenance({ subjects, commit: 'abc', parameters: { only: ['linux-x64'] } })
  const { subject, predicate, ...statement } = JSON.parse(text)
  expect(statement).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
  })
  expect(subject).toEqual([{ name: 'prepd.tar.xz', digest: { sha256: 'a'.repeat(64) } }])
  const [source, lock] = predicate.buildDefinition.resolvedDependencies
  expect(source.digest).toEqual({ gitCommit: 'abc' })
  const file = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
  expect(lock).toEqual({ name: 'package-lock.json', digest: { sha256: sumOf(file) } })
  expect(text).not.toMatch(/20\d\d-\d\d-\d\dT/)
})
