import { createReadStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BackupConfig, Bucket } from './config.ts'

/** Where backups are kept. Each function rejects with an Error that says why. */
export type Place = {
  /** For people; without secrets. */
  readonly shown: (name: string) => string
  readonly list: () => Promise<readonly string[]>
  /** Keeps a file under a name: whole, or not at all. */
  readonly put: (name: string, path: string) => Promise<void>
  readonly read: (name: string) => Promise<ReadableStream<Uint8Array>>
  readonly remove: (name: string) => Promise<void>
}

export function openPlace(to: BackupConfig['to']): Place {
  return 'folder' in to ? openFolder(to.folder) : openBucket(to.s3)
}

function openFolder(folder: string): Place {
  const at = (name: string) => join(folder, name)
  return {
    shown: at,
    list: async () => (existsSync(folder) ? readdirSync(folder) : []),
    put: async (name, path) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const aside = at(`${name}.new`)
      rmSync(aside, { force: true })
      const file = await open(aside, 'wx', 0o600)
      try {
        await pipeline(createReadStream(path), file.createWriteStream({ flush: true }))
      } catch (error) {
        rmSync(aside, { force: true })
        throw error
      }
      renameSync(aside, at(name))
    },
    read: async (name) => Bun.file(at(name)).stream(),
    remove: (name) => unlink(at(name)),
  }
}

/** One part of an upload: S3 takes at most 10,000 of them. */
const PART_BYTES = 16 * 1024 * 1024
const RETRIES = 3
const NAMES_MAX = 100_000

function openBucket({ prefix, ...options }: Bucket): Place {
  const client = new Bun.S3Client(options)
  const key = (name: string) => `${prefix}${name}`

  async function list(): Promise<readonly string[]> {
    const names: string[] = []
    let continuationToken: string | undefined
    do {
      const page = await client.list({ prefix, ...(continuationToken && { continuationToken }) })
      names.push(...(page.contents ?? []).map(({ key: own }) => own.slice(prefix.length)))
      continuationToken = page.isTruncated ? page.nextContinuationToken : undefined
    } while (continuationToken !== undefined && names.length < NAMES_MAX)
    return names
  }

  return {
    shown: (name) => `s3://${options.bucket}/${key(name)}`,
    list,
    put: async (name, path) => {
      const options = { partSize: PART_BYTES, retry: RETRIES }
      await client.write(key(name), Bun.file(path), options)
    },
    read: async (name) => client.file(key(name)).stream(),
    remove: (name) => client.delete(key(name)),
  }
}
