import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { ROOT } from '../bundle.ts'
import { agentManifest } from './manifests.ts'
import { shellFiles } from './shell-files.ts'
import { run, type StagedFile, stage } from './stage.ts'

/** One executable on its way into packages. */
export type Packing = {
  /** A name of the targets, such as `linux-x64`. */
  readonly target: string
  readonly executable: string
  readonly version: string
  /** The time that every file in a package has. */
  readonly atSeconds: number
  /** How hard to compress, 1 to 9. */
  readonly level: number
  readonly out: string
  /** A folder for what lies between. */
  readonly work: string
}

/** Each kind of package, and which targets have it. Answers the file's name. */
export const PACKAGES: readonly {
  readonly kind: 'tar.xz' | 'tar.zst' | 'zip' | 'deb' | 'mcpb'
  readonly isFor: (target: string) => boolean
  readonly make: (packing: Packing) => string
}[] = [
  { kind: 'tar.xz', isFor: isUnix, make: (packing) => tarball(packing, 'xz') },
  { kind: 'tar.zst', isFor: isUnix, make: (packing) => tarball(packing, 'zst') },
  { kind: 'zip', isFor: (target) => target.startsWith('windows'), make: windowsZip },
  { kind: 'deb', isFor: (target) => Object.hasOwn(DEBIAN, target), make: debianPackage },
  {
    kind: 'mcpb',
    isFor: (target) => !target.endsWith('-musl') && target !== 'linux-arm64',
    make: agentBundle,
  },
]

const DEBIAN: Readonly<Record<string, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }

function copied(path: string, from: string, mode: StagedFile['mode'] = 0o644): StagedFile {
  return { path, from: { file: join(ROOT, from) }, mode }
}

const SHARED = ['LICENSE', 'NOTICE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'src/README.md']
const CONFIG = [
  'prepd.example.toml',
  'prepd.example.env',
  'prepd.service',
  'voucher.example.toml',
  'notify.example.toml',
  'backup.example.toml',
]
const PROXIES = ['Caddyfile', 'nginx.example.conf', 'compose.yaml']
const MONITORING = ['alerts.rules.yml', 'dashboard.json']
const FOLDERS = ['reference', 'scenarios', 'samples', 'evals'].flatMap((folder) =>
  readdirSync(join(ROOT, 'config', folder))
    .toSorted()
    .map((name) => `${folder}/${name}`),
)
const EXAMPLES = [...PROXIES, ...MONITORING, ...FOLDERS]

function tree(executable: string, name: string): StagedFile[] {
  return [
    { path: name, from: { file: executable }, mode: 0o755 },
    ...SHARED.map((path) => copied(path, path)),
    ...[...CONFIG, ...EXAMPLES].map((path) => copied(`config/${path}`, `config/${path}`)),
  ]
}

function isUnix(target: string): boolean {
  return !target.startsWith('windows')
}

/** Each leaves `tar.END` beside the tar. With one thread each: how many there are is part of the bytes. */
const COMPRESSORS = {
  xz: (tar: string, level: number) => run(['xz', '-kf', '-T1', `-${level}`, tar], { cwd: ROOT }),
  // That of the runtime: releases of the program write different bytes.
  zst: (tar: string, level: number) =>
    writeFileSync(`${tar}.zst`, zstdCompressSync(readFileSync(tar), { params: zstdAt(2 * level) })),
} as const

function zstdAt(level: number): Record<number, number> {
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = constants
  return { [ZSTD_c_compressionLevel]: level, [ZSTD_c_checksumFlag]: 1 }
}

function tarball(packing: Packing, end: keyof typeof COMPRESSORS): string {
  const { target, executable, version, atSeconds, level, out, work } = packing
  const folder = `prepd-${version}-${target}`
  stage(join(work, folder), tree(executable, 'prepd'), atSeconds)
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${atSeconds}`]
  const tar = join(out, `${folder}.tar`)
  run(['tar', ...same, '-cf', tar, folder], { cwd: work })
  COMPRESSORS[end](tar, level)
  rmSync(tar)
  return `${folder}.tar.${end}`
}

function windowsZip(packing: Packing): string {
  const name = `prepd-${packing.version}-${packing.target}.zip`
  return zipped(packing, name, tree(packing.executable, 'prepd.exe'))
}

/** The one-file bundle that desktop clients of agents install (MCPB, manifest version 0.3). */
function agentBundle(packing: Packing): string {
  const { target, executable, version } = packing
  const file = target.startsWith('windows') ? 'prepd.exe' : 'prepd'
  return zipped(packing, `prepd-${version}-${target}.mcpb`, [
    {
      path: 'manifest.json',
      from: { text: agentManifest({ version, target, file }) },
      mode: 0o644,
    },
    { path: `server/${file}`, from: { file: executable }, mode: 0o755 },
    ...['LICENSE', 'NOTICE'].map((path) => copied(path, path)),
  ])
}

/** A zip of these files, in this order; answers its name. */
export function zipped(
  { target, atSeconds, level, out, work }: Omit<Packing, 'executable' | 'version'>,
  name: string,
  files: readonly StagedFile[],
): string {
  const folder = join(work, `zip-${target}`)
  stage(folder, files, atSeconds)
  const paths = files.map(({ path }) => path)
  run(['zip', '-q', '-X', '-D', `-${level}`, join(out, name), ...paths], { cwd: folder })
  return name
}

/** A Debian package: the executable, the unit that starts it, its manual page and completion, and settings that an upgrade leaves alone. */
function debianPackage(packing: Packing): string {
  const { target, executable, version, atSeconds, level, out, work } = packing
  const folder = join(work, `deb-${target}`)
  const unit = readFileSync(join(ROOT, 'config/prepd.service'), 'utf8')
  const docs = 'usr/share/doc/prepd'
  stage(
    folder,
    [
      { path: 'usr/bin/prepd', from: { file: executable }, mode: 0o755 },
      {
        path: 'lib/systemd/system/prepd.service',
        from: { text: unit.replaceAll('/usr/local/bin/prepd', '/usr/bin/prepd') },
        mode: 0o644,
      },
      ...shellFiles(version),
      copied('etc/prepd/prepd.toml', 'config/prepd.example.toml'),
      copied(`${docs}/copyright`, 'LICENSE'),
      ...SHARED.slice(1).map((path) => debianDocument(docs, path)),
      ...[...CONFIG.slice(1), ...EXAMPLES].map((path) =>
        copied(`${docs}/examples/${path}`, `config/${path}`),
      ),
      { path: 'DEBIAN/control', from: { text: control(packing) }, mode: 0o644 },
      { path: 'DEBIAN/conffiles', from: { text: '/etc/prepd/prepd.toml\n' }, mode: 0o644 },
      ...['postinst', 'prerm', 'postrm'].map((name) =>
        copied(`DEBIAN/${name}`, `config/debian/${name}`, 0o755),
      ),
    ],
    atSeconds,
  )
  const name = `prepd_${version}_${DEBIAN[target]}.deb`
  const options = ['--root-owner-group', '-Zgzip', `-z${level}`, '--build']
  run(['dpkg-deb', ...options, folder, join(out, name)], {
    cwd: work,
    env: { SOURCE_DATE_EPOCH: String(atSeconds) },
  })
  return name
}

/** A document whose links and paths lead to where a Debian package has its examples. */
function debianDocument(docs: string, path: string): StagedFile {
  const text = readFileSync(join(ROOT, path), 'utf8').replace(/(`|\]\()config\//g, '$1examples/')
  return { path: `${docs}/${path}`, from: { text }, mode: 0o644 }
}

function control({ version, target }: Packing): string {
  return `Package: prepd
Version: ${version}
Architecture: ${DEBIAN[target]}
Maintainer: prepd <prepd@localhost>
Section: net
Priority: optional
Depends: libc6 (>= 2.17)
Recommends: ca-certificates
Description: public API of a perpetual-futures and swap service
 prepd serves market data, opens accounts and relays requests that users signed
 themselves to a trading venue, byte for byte. A simulated venue is inside.
`
}
