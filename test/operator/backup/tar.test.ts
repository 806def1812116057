import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { readTar, tarBytes } from '../../../src/operator/backup/tar.ts'

type File = { readonly name: string; readonly bytes: Uint8Array }

async function* piecesOf(bytes: Uint8Array, pieceBytes = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

async function packed(files: readonly File[]): Promise<Uint8Array> {
  const rows = files.map(({ name, bytes }) => ({
    name,
    sizeBytes: bytes.length,
    content: piecesOf(bytes),
  }))
  return Buffer.concat(await Array.fromAsync(tarBytes(rows, 1_800_000_000_000)))
}

async function unpacked(bytes: Uint8Array, pieceBytes?: number): Promise<File[]> {
  const files: File[] = []
  await readTar(piecesOf(bytes, pieceBytes), async ({ name, content }) => {
    files.push({ name, bytes: Buffer.concat(await Array.fromAsync(content)) })
  })
  return files
}

const FILES = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[a-z][a-z0-9._-]{0,98}$/),
    bytes: fc.uint8Array({ maxLength: 3000 }),
  }),
  { maxLength: 4, selector: ({ name }) => name },
)

test('what was packed is unpacked, in whatever pieces it comes', async () => {
  await fc.assert(
    fc.asyncProperty(FILES, fc.integer({ min: 1, max: 2000 }), async (files, pieceBytes) => {
      const found = await unpacked(await packed(files), pieceBytes)
      expect(found.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('hex')])).toEqual(
        files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString('hex')]),
      )
    }),
    { numRuns: 50 },
  )
})

test('the tar of the system opens it, and what that packed is opened here', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-tar-'))
  try {
    const files = [
      { name: 'a.sqlite', bytes: new Uint8Array(1500).fill(7) },
      { name: 'empty', bytes: new Uint8Array() },
    ]
    writeFileSync(join(folder, 'ours.tar'), await packed(files))
    expect(Bun.spawnSync(['tar', 'xf', 'ours.tar'], { cwd: folder }).exitCode).toBe(0)
    expect(readFileSync(join(folder, 'a.sqlite'))).toEqual(Buffer.alloc(1500, 7))
    Bun.spawnSync(['tar', '--format=ustar', '-cf', 'theirs.tar', 'a.sqlite', 'empty'], {
      cwd: folder,
    })
    const names = (await unpacked(readFileSync(join(folder, 'theirs.tar')))).map(({ name }) => name)
    expect(names).toEqual(['a.sqlite', 'empty'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('an archive that is cut, changed in a header, or none at all is refused', async () => {
  const whole = await packed([{ name: 'a', bytes: new Uint8Array(600) }])
  for (const length of [0, 100, 512, 900, 1536]) {
    await expect(unpacked(whole.subarray(0, length))).rejects.toThrow('it ends too early')
  }
  const changed = Buffer.from(whole)
  changed[0] = 98
  await expect(unpacked(changed)).rejects.toThrow('no archive')
  await expect(unpacked(new Uint8Array(1024).fill(65))).rejects.toThrow('no archive')
})

test('a file that grows or shrinks while it is read is an error, and so is a name that is too long', async () => {
  for (const sizeBytes of [9, 11]) {
    const rows = [{ name: 'a', sizeBytes, content: piecesOf(new Uint8Array(10)) }]
    await expect(Array.fromAsync(tarBytes(rows, 0))).rejects.toThrow('a has changed')
  }
  await expect(packed([{ name: 'a'.repeat(101), bytes: new Uint8Array() }])).rejects.toThrow(
    'too long',
  )
})
