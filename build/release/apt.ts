import { createHash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './stage.ts'

/**
 * Makes the folder of a release an apt repository of its Debian packages: the index Packages, and Release with its sum.
 * Answers their names. Without a package there is nothing to index.
 */
export function writeAptIndex(
  out: string,
  debs: readonly string[],
  atSeconds: number,
): readonly string[] {
  if (debs.length === 0) return []
  const entries = debs.toSorted().map((deb) => entryOf(out, deb))
  const packages = `${entries.map(({ text }) => text).join('\n\n')}\n`
  writeFileSync(join(out, 'Packages'), packages)
  const processors = [...new Set(entries.map(({ processor }) => processor))].join(' ')
  writeFileSync(join(out, 'Release'), releaseText(packages, processors, atSeconds))
  return ['Packages', 'Release']
}

function entryOf(out: string, deb: string) {
  const fields = run(['dpkg-deb', '--field', deb], { cwd: out }).trimEnd()
  const [, processor = ''] = /^Architecture: (\S+)$/m.exec(fields) ?? []
  const path = join(out, deb)
  const sizeBytes = statSync(path).size
  const sum = sumOf(readFileSync(path))
  return { processor, text: `${fields}\nFilename: ./${deb}\nSize: ${sizeBytes}\nSHA256: ${sum}` }
}

function releaseText(packages: string, processors: string, atSeconds: number): string {
  return `Origin: prepd
Label: prepd
Suite: stable
Architectures: ${processors}
Date: ${new Date(atSeconds * 1000).toUTCString()}
SHA256:
 ${sumOf(packages)} ${Buffer.byteLength(packages)} Packages
`
}

function sumOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Signs Release with a key of GnuPG, as apt wants it: InRelease, and the public key as prepd.gpg. */
export function signAptIndex(out: string, key: string): void {
  const gpg = ['gpg', '--batch', '--yes', '--local-user', key]
  for (const name of ['InRelease', 'prepd.gpg']) rmSync(join(out, name), { force: true })
  run([...gpg, '--clearsign', '--output', 'InRelease', 'Release'], { cwd: out })
  run(['gpg', '--batch', '--export', '--output', 'prepd.gpg', key], { cwd: out })
}
