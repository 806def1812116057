import { createReadStream, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { reportUnexpected, systemErrorCode } from '../../core/loop/guarded.ts'
import type { BackupConfig, Bucket } from './config.ts'
import { REJECTED, UNFINISHED } from './retention.ts'

/** A target of backups. Each function rejects with an Error that gives the reason. */
export type BackupTarget = {
  /** The location as printed text, without secrets. */
  readonly shown: (name: string) => string
  readonly list: () => Promise<readonly string[]>
  /** Stores a file under a name atomically. */
  readonly put: (name: string, path: string) => Promise<void>
  readonly read: (name: string) => Promise<ReadableStream<Uint8Array>>
  readonly remove: (name: string) => Promise<void>
  /** Marks a backup as damaged, so that it no longer counts as a backup. */
  readonly reject: (name: string) => Promise<void>
}

export function openBackupTarget(to: BackupConfig['to']): BackupTarget {
  return 'folder' in to ? openFolder(to.folder) : openBucket(to.s3)
}

function openFolder(folder: string): BackupTarget {
  const at = (name: string) => join(folder, name)
  function assertThere(): void {
    if (!existsSync(folder))
      throw new Error(`${folder} is not there: mount its disk, or create the folder`)
  }
  return {
    shown: at,
    list: async () => {
      assertThere()
      return readdirSync(folder)
    },
    put: async (name, path) => {
      assertThere()
      const aside = at(name + UNFINISHED)
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
    reject: async (name) => renameSync(at(name), at(name + REJECTED)),
  }
}

/** Size of each part of an upload. S3 accepts at most 10,000 parts. */
const PART_BYTES = 16 * 1024 * 1024
const RETRIES = 3
const NAMES_MAX = 100_000

function openBucket({ prefix, ...options }: Bucket): BackupTarget {
  const client = new Bun.S3Client(options)
  const key = (name: string) => `${prefix}${name}`
  const explained = createErrorRethrower(client, options, key('prepd'))
  const named = <Value>(work: Promise<Value>) => work.catch(explained)

  async function list(): Promise<readonly string[]> {
    const names: string[] = []
    let continuationToken: string | undefined
    do {
      const asked = { prefix, ...(continuationToken && { continuationToken }) }
      const page = await named(client.list(asked))
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
      await named(client.write(key(name), Bun.file(path), options))
    },
    read: async (name) => {
      const reader = client.file(key(name)).stream().getReader()
      return new ReadableStream({
        pull: async (controller) => {
          const { done, value } = await named(reader.read())
          if (done) controller.close()
          else controller.enqueue(value)
        },
      })
    },
    remove: (name) => named(client.delete(key(name))),
    reject: async (name) => void (await named(client.write(key(name + REJECTED), 'damaged\n'))),
  }
}

/** The HTTP statuses of S3's error codes. */
const STATUSES: Readonly<Record<string, number>> = {
  AccessDenied: 403,
  InvalidAccessKeyId: 403,
  SignatureDoesNotMatch: 403,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  PermanentRedirect: 301,
  SlowDown: 503,
  ServiceUnavailable: 503,
  InternalError: 500,
}
const CODE = /^\w{1,64}$/
const STATUS_WAIT_MS = 10_000
/** Bun's error message when the bucket did not answer. The error's code is then a network code. */
const UNANSWERED_MESSAGE = 'an unexpected error has occurred'

/** Rethrows a bucket's error with host, bucket name, HTTP status and S3 code. */
function createErrorRethrower(
  client: Bun.S3Client,
  { endpoint, bucket }: Pick<Bucket, 'endpoint' | 'bucket'>,
  someKey: string,
) {
  return async (error: unknown): Promise<never> => {
    if (!(error instanceof Error)) throw error
    const given = systemErrorCode(error)
    const code = given !== 'UnknownError' && CODE.test(given) ? given : null
    const isAnswered = error.message !== UNANSWERED_MESSAGE
    const status = STATUSES[code ?? ''] ?? (isAnswered ? await refusalNow(client, someKey) : null)
    const facts = [status, code].filter((fact) => fact !== null).join(' ')
    const what = status === null ? 'failed' : 'refused'
    const message = `bucket ${bucket} at ${new URL(endpoint).host} ${what}: ${facts || 'no code is known'}`
    throw new Error(message, { cause: error })
  }
}

/**
 * The HTTP status with which a server now refuses a key; null if it accepts the key. Used when the error has no S3
 * code, for example an answer from a proxy. A 404 counts as accepted, since the object may be absent.
 */
async function refusalNow(client: Bun.S3Client, key: string): Promise<number | null> {
  try {
    const url = client.presign(key, { method: 'HEAD', expiresIn: 60 })
    const signal = AbortSignal.timeout(STATUS_WAIT_MS)
    const { status } = await fetch(url, { method: 'HEAD', redirect: 'manual', signal })
    return status < 400 || status === 404 ? null : status
  } catch (error) {
    reportUnexpected('process', error, Error)
    return null
  }
}
