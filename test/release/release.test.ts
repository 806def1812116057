// Slow: the executable is compiled twice, and npm lists every package.
import { expect } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { compile } from '../../build/executable.ts'
import { writeBom } from '../../build/release/bom.ts'
import { serverJson } from '../../build/release/manifests.ts'
import { TARGETS } from '../../build/targets.ts'
import { buildVersion } from '../../build/version.ts'
import { TOOLS } from '../../src/agents/tools/tools.ts'
import { needProgram, testsNeeding } from '../programs.ts'
import { temporaryFolder } from '../surface/spawned.ts'
import { packagesIn, standIn } from './packing.ts'

const { afterAll, beforeAll, describe, test } = testsNeeding(
  'release archives',
  'git',
  'tar',
  'xz',
  'zstd',
  'zip',
  'unzip',
  'dpkg-deb',
)

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const sumOf = async (path: string) =>
  new Bun.CryptoHasher('sha256').update(await Bun.file(path).arrayBuffer()).digest('hex')

function output(...argv: string[]): string {
  const [program = ''] = argv
  const { exitCode, stdout, stderr } = Bun.spawnSync([needProgram(program), ...argv.slice(1)])
  if (exitCode !== 0) throw new Error(stderr.toString())
  return stdout.toString()
}

/** What an operator starts from: rules, dashboard and samples. */
const EXAMPLES = ['config/alerts.rules.yml', 'config/dashboard.json', 'config/samples/sign.py']

describe('packages', () => {
  let executable = ''
  beforeAll(() => {
    executable = standIn(folder.path)
  })

  test.each(Object.keys(TARGETS))(
    'of %s are the same bytes wherever they are made',
    async (target) => {
      const sums: Record<string, string>[] = []
      for (const place of ['here', 'there']) {
        const at = join(folder.path, target, place)
        const before = process.umask(place === 'here' ? 0o022 : 0o077)
        const paths = packagesIn(at, { target, executable })
        process.umask(before)
        expect(paths.length).toBeGreaterThan(0)
        const rows = paths.map(async (path) => [basename(path), await sumOf(path)] as const)
        sums.push(Object.fromEntries(await Promise.all(rows)))
        // A time of a file has seconds, one in a zip only every other.
        await Bun.sleep(10)
      }
      expect(sums[0]).toEqual(sums[1] ?? {})
    },
  )

  test('that zstd compresses are those of the runtime, whatever zstd the machine has or has not', () => {
    const programs = join(folder.path, 'programs')
    mkdirSync(programs)
    symlinkSync(needProgram('tar'), join(programs, 'tar'))
    const there = join(folder.path, 'without')
    const before = process.env['PATH']
    process.env['PATH'] = programs
    try {
      const make = (kind: 'tar.zst' | 'tar.xz') =>
        packagesIn(there, { target: 'linux-x64', executable }, kind)
      expect(make('tar.zst')).toEqual([join(there, 'out/prepd-1.2.3-linux-x64.tar.zst')])
      // An archive of a program that is missing is not made, and nothing else in its place.
      expect(() => make('tar.xz')).toThrow(/\bxz\b/)
    } finally {
      process.env['PATH'] = before
    }
  })

  test('hold the executable, the terms and the settings, and nobody owns them', () => {
    const [tar = '', zst = '', deb = '', mcpb = ''] = packagesIn(join(folder.path, 'look'), {
      target: 'linux-x64',
      executable,
    })
    const inTar = output('tar', '-tvJf', tar)
    expect(output('tar', '--zstd', '-tvf', zst)).toBe(inTar)
    expect(inTar).toMatch(/^-rwxr-xr-x 0\/0 .* 2023-11-14 \S+ prepd-1\.2\.3-linux-x64\/prepd$/m)
    for (const name of [
      'LICENSE',
      'NOTICE',
      'README.md',
      'config/prepd.service',
      'config/scenarios/crash.txt',
      ...EXAMPLES,
    ])
      expect(inTar).toContain(`prepd-1.2.3-linux-x64/${name}\n`)
    const inDeb = output('dpkg-deb', '--contents', deb)
    expect(inDeb).toMatch(/^-rwxr-xr-x root\/root .* \.\/usr\/bin\/prepd$/m)
    expect(inDeb).toMatch(/^-rw-r--r-- .* \.\/usr\/share\/man\/man1\/prepd\.1\.gz$/m)
    expect(inDeb).toMatch(/^-rw-r--r-- .* \.\/usr\/share\/bash-completion\/completions\/prepd$/m)
    for (const name of EXAMPLES)
      expect(inDeb).toContain(`./usr/share/doc/prepd/examples/${name.replace('config/', '')}\n`)
    expect(inDeb).not.toMatch(/^-\S+ (?!root\/root)/m)
    expect(output('dpkg-deb', '--field', deb, 'Version')).toBe('1.2.3\n')
    expect(output('unzip', '-Z1', mcpb).trim().split('\n')).toEqual([
      'manifest.json',
      'server/prepd',
      'LICENSE',
      'NOTICE',
    ])
  })

  test('a desktop bundle lists the tools, asks for the settings of an agent, and hides the key', () => {
    const [, , , mcpb = ''] = packagesIn(join(folder.path, 'bundle'), {
      target: 'linux-x64',
      executable,
    })
    const manifest = JSON.parse(output('unzip', '-p', mcpb, 'manifest.json'))
    expect(manifest.tools.map(({ name }: { name: string }) => name)).toEqual(
      TOOLS.map(({ name }) => name),
    )
    const { env, command } = manifest.server.mcp_config
    expect(command).toMatch(/^\$\{__dirname\}\/server\/prepd$/)
    for (const value of Object.values<string>(env)) {
      const [, key = ''] = /^\$\{user_config\.(\w+)\}$/.exec(value) ?? []
      expect(manifest.user_config[key]).toMatchObject({ type: 'string', required: false })
    }
    expect(manifest.user_config.trading_key.sensitive).toBe(true)
    expect(manifest.compatibility.platforms).toEqual(['linux'])
  })
})

test('the entry of the registry points at the bundle by its sum', () => {
  const bundles = [{ file: 'prepd-1.2.3-linux-x64.mcpb', sha256: 'ab'.repeat(32) }]
  const entry = JSON.parse(
    serverJson({ version: '1.2.3', name: 'com.example/prepd', url: 'https://d.example', bundles }),
  )
  expect(entry.packages).toMatchObject([
    {
      registryType: 'mcpb',
      identifier: 'https://d.example/prepd-1.2.3-linux-x64.mcpb',
      fileSha256: 'ab'.repeat(32),
      transport: { type: 'stdio' },
    },
  ])
  expect(entry.description.length).toBeLessThanOrEqual(100)
})

test('the bill of materials names every package of the program, and no time of its own', () => {
  const out = join(folder.path, 'bom')
  mkdirSync(out)
  const bom = JSON.parse(readFileSync(join(out, writeBom(out, '1.2.3')), 'utf8'))
  // What would differ from one build to the next.
  expect(bom.serialNumber).toBeUndefined()
  expect(bom.metadata.timestamp).toBeUndefined()
  const { components } = bom
  const versions = new Map<string, string>(
    components.map(
      ({ group, name, version }: { group?: string; name: string; version: string }) => [
        group ? `${group}/${name}` : name,
        version,
      ],
    ),
  )
  const { dependencies } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  for (const [name, version] of Object.entries<string>(dependencies))
    expect(versions.get(name)).toBe(version)
  expect([...versions.keys()]).not.toContain('knip')
  expect(bom.metadata.component.version).toBe('1.2.3')
  // npm's integrity of the archive, in hex.
  const { packages } = JSON.parse(
    readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
  )
  for (const { group, name, hashes } of components) {
    const path = `node_modules/${group ? `${group}/` : ''}${name === 'Bun' ? '@oven/bun-linux-x64' : name}`
    const sha512 = `sha512-${Buffer.from(hashes[0].content, 'hex').toString('base64')}`
    expect({ name, sha512 }).toEqual({ name, sha512: packages[path].integrity })
  }
  const inside = components.find(({ name }: { name: string }) => name === 'Bun').components
  const versionIn = (name: string) =>
    inside.find((part: { name: string }) => part.name === name)?.version
  expect(versionIn('SQLite')).toBe(process.versions['sqlite'])
  expect(versionIn('WebKit')).toBe(process.versions['webkit'])
})

test('a version is that of the tag, else of the time of the commit, else of the package', async () => {
  const at = join(folder.path, 'versioned')
  mkdirSync(at)
  writeFileSync(join(at, 'package.json'), '{"version":"1.1.0"}')
  const GIT_COMMITTER_DATE = '2026-01-02T03:04:05+02:00'
  const git = (...args: string[]) => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b']
    const argv = [needProgram('git'), ...who, ...args]
    const env = { ...process.env, GIT_COMMITTER_DATE }
    expect(Bun.spawnSync(argv, { cwd: at, env }).exitCode).toBe(0)
  }
  expect(await buildVersion(at)).toBe('1.1.0')
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  expect(await buildVersion(at)).toBe('1.1.0+20260102010405')
  git('tag', 'other')
  expect(await buildVersion(at)).toBe('1.1.0+20260102010405')
  git('tag', 'v1.2.0')
  expect(await buildVersion(at)).toBe('1.2.0')
})

test('the same source is compiled to the same bytes', async () => {
  const sums = new Set<string>()
  for (const name of ['first', 'second']) {
    const at = join(folder.path, name)
    mkdirSync(at)
    await compile({ outfile: join(at, 'prepd'), bytecode: true })
    sums.add(await sumOf(join(at, 'prepd')))
  }
  expect(sums.size).toBe(1)
  // Where it was compiled is no part of it.
  const bytes = readFileSync(join(folder.path, 'first', 'prepd'))
  expect(bytes.indexOf(new URL('../..', import.meta.url).pathname)).toBe(-1)
  expect(bytes.indexOf(folder.path)).toBe(-1)
})
