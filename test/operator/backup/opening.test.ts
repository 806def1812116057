import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { describeParts, readArchive, writeArchive } from '../../../src/operator/backup/archive.ts'

const HEAD = { service: 'prepd', version: '1.2.3', madeAtMs: 1 }

test('a backup that is cut, changed or of another key says which of them it is', async () => {
  const root = mkdtempSync(join(tmpdir(), 'prepd-opening-'))
  const key = await generateX25519Identity()
  writeFileSync(join(root, 'large.bin'), randomBytes(1024 * 1024))
  const manifest = { ...HEAD, parts: await describeParts(root, ['large.bin']) }
  await writeArchive(root, manifest, [await identityToRecipient(key)], join(root, 'archive'))
  const bytes = new Uint8Array(readFileSync(join(root, 'archive')))

  async function answerTo(changed: Uint8Array<ArrayBuffer>, identity = key): Promise<string> {
    const folder = join(root, 'opened')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    return readArchive(new Blob([changed]).stream(), identity, folder).then(
      () => 'opened',
      ({ message }: Error) => message,
    )
  }
  expect(await answerTo(bytes)).toBe('opened')
  expect(await answerTo(bytes.slice(0, -300_000))).toStartWith('it is cut short')
  expect(await answerTo(bytes.slice(0, 100))).toStartWith('it is cut short')
  const turned = bytes.slice()
  turned[200_000] = (turned[200_000] ?? 0) ^ 1
  expect(await answerTo(turned)).toStartWith('it is damaged')
  const other = await generateX25519Identity()
  expect(await answerTo(bytes, other)).toStartWith('the key does not open it')
  rmSync(root, { recursive: true })
})
