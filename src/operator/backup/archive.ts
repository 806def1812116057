import { createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { Value } from '@sinclair/typebox/value'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { BackupManifest, type BackupPart } from '../../contract/operator/backup.ts'
import { createSha256, fileSha256Hex } from '../../core/digest.ts'
import { countTableRows, isDatabase } from '../../store/data-copy.ts'
import { readTar, type TarFile, tarBytes } from './tar.ts'

const MANIFEST = 'manifest.json'
const MANIFEST_MAX_BYTES = 1024 * 1024

/** Manifest entries for a folder's files: size, hash, and row counts per table. Verifies each database first. */
export async function describeParts(
  folder: string,
  names: readonly string[],
): Promise<BackupPart[]> {
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const facts = { name, sizeBytes: statSync(path).size, sha256: await fileSha256Hex(path) }
      return isDatabase(name) ? { ...facts, rows: countTableRows(path) } : facts
    }),
  )
}

/** Writes the files of a folder into one archive: tar, compressed with zstd, encrypted with age for the recipients. */
export async function writeArchive(
  folder: string,
  manifest: BackupManifest,
  recipients: readonly string[],
  to: string,
): Promise<void> {
  const text = new TextEncoder().encode(JSON.stringify(manifest))
  const first: TarFile = { name: MANIFEST, sizeBytes: text.length, content: singleChunk(text) }
  const others = manifest.parts.map(({ name, sizeBytes }) => ({
    name,
    sizeBytes,
    content: Bun.file(join(folder, name)).stream(),
  }))
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  const tar = tarBytes([first, ...others], manifest.madeAtMs)
  await pipeline(tar, createZstdCompress(), async (packed: AsyncIterable<Uint8Array>) => {
    const encrypted = await encrypter.encrypt(toStream(packed))
    await pipeline(encrypted, createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }))
  })
}

function toStream(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * Extracts an archive into an empty folder and compares every file with the manifest. Throws UnsoundError if the backup
 * is damaged or the identity cannot decrypt it. Rethrows errors of the stream and of the disk.
 */
export async function readArchive(
  bytes: ReadableStream<Uint8Array>,
  identity: string,
  folder: string,
): Promise<BackupManifest> {
  const source = watchEnd(bytes)
  try {
    return await unpacked(source.bytes, identity, folder)
  } catch (error) {
    throw source.failure() ?? toUnsoundError(error, source.hasEnded())
  }
}

/** Thrown for a backup with changed or missing bytes, and for a backup that was encrypted for a different key. */
export class UnsoundError extends Error {
  override readonly name = 'UnsoundError'
}

const PIECE_BYTES = 64 * 1024

/**
 * The bytes of a stream in pieces of at most 64 KiB. `hasEnded`: whether the stream has ended. `failure`: its error;
 * null without a failure.
 */
function watchEnd(bytes: ReadableStream<Uint8Array>) {
  let hasEnded = false
  let failure: unknown = null
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const chunk of noting(bytes))
      for (let at = 0; at < chunk.length; at += PIECE_BYTES)
        yield chunk.subarray(at, at + PIECE_BYTES)
    hasEnded = true
  }
  async function* noting(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* source
    } catch (error) {
      failure = error
      throw error
    }
  }
  return { bytes: toStream(pieces()), hasEnded: () => hasEnded, failure: () => failure }
}

/** The error for an unreadable archive: wrong key, truncated, or damaged. Errors of the disk are returned unchanged. */
function toUnsoundError(error: unknown, hasEnded: boolean): unknown {
  if (!(error instanceof Error) || error instanceof UnsoundError || 'syscall' in error) return error
  const cause = { cause: error }
  if (error.message.startsWith('no identity matched'))
    return new UnsoundError('the key does not open it: it was made for another recipient', cause)
  return hasEnded
    ? new UnsoundError('it is cut short, or its last 64 KiB are damaged', cause)
    : new UnsoundError('it is damaged: bytes before its end were changed', cause)
}

async function unpacked(
  bytes: ReadableStream<Uint8Array>,
  identity: string,
  folder: string,
): Promise<BackupManifest> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const plain = await decrypter.decrypt(bytes)
  let manifest: BackupManifest | null = null
  const found = new Set<string>()
  const take = async (file: TarFile) => {
    if (manifest === null) {
      manifest = await readManifest(file)
      return
    }
    const part = manifest.parts.find(({ name }) => name === file.name)
    if (!part || found.has(file.name)) throw new UnsoundError(`${file.name} is not in its manifest`)
    await takePart(file, part, join(folder, part.name))
    found.add(part.name)
  }
  await pipeline(plain, createZstdDecompress(), (tar: AsyncIterable<Uint8Array>) =>
    readTar(tar, take),
  )
  return requireWholeManifest(manifest, found)
}

function requireWholeManifest(
  manifest: BackupManifest | null,
  found: ReadonlySet<string>,
): BackupManifest {
  if (manifest === null) throw new UnsoundError('it holds no manifest')
  const missing = manifest.parts.find(({ name }) => !found.has(name))
  if (missing) throw new UnsoundError(`${missing.name} is missing`)
  return manifest
}

async function readManifest({ name, sizeBytes, content }: TarFile): Promise<BackupManifest> {
  if (name !== MANIFEST || sizeBytes > MANIFEST_MAX_BYTES)
    throw new UnsoundError('it holds no manifest')
  const pieces: Uint8Array[] = []
  for await (const piece of content) pieces.push(piece)
  const manifest: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'))
  if (!Value.Check(BackupManifest, manifest)) throw new UnsoundError('its manifest cannot be read')
  return manifest
}

async function takePart(
  { content, sizeBytes }: TarFile,
  part: BackupPart,
  to: string,
): Promise<void> {
  const hash = createSha256()
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      hash.update(piece)
      yield piece
    }
  }
  await pipeline(hashed(), createWriteStream(to, { flags: 'wx', mode: 0o600 }))
  if (sizeBytes !== part.sizeBytes || hash.digest('hex') !== part.sha256)
    throw new UnsoundError(`${part.name} is not what its manifest says`)
  if (part.rows) assertRows(part, countTableRows(to))
}

/** Throws an Error that names the first table whose row count differs from the manifest. */
export function assertRows(
  { name, rows = {} }: BackupPart,
  actual: Readonly<Record<string, number>>,
  besides: ReadonlySet<string> = new Set(),
): void {
  const tables = new Set([...Object.keys(rows), ...Object.keys(actual)])
  for (const table of tables)
    if (rows[table] !== actual[table] && !besides.has(table))
      throw new UnsoundError(
        `${name}: ${table} has ${actual[table] ?? 'no'} rows, not ${rows[table]}`,
      )
}

/** A new age key as the text of its file, and its public recipient for PREPD_BACKUP. */
export async function newBackupKey(): Promise<{
  readonly text: string
  readonly recipient: string
}> {
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  return { text: `# public key: ${recipient}\n${identity}\n`, recipient }
}

/** The private key in a file's text; null for text without a key. */
export function backupKeyIn(text: string): string | null {
  return /^AGE-SECRET-KEY-1[0-9A-Z]{58}$/m.exec(text)?.[0] ?? null
}
