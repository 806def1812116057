import { HOUR_MS } from '../../contract/durations.ts'
import { BackupFile } from '../../contract/operator/backup.ts'
import { isLoopbackUrl, parseHttpUrl } from '../../core/base-url.ts'
import { readTomlAs } from '../../core/settings/toml-file.ts'
import { UsageError } from '../../core/settings/usage-error.ts'

/** Retention: how many days, weeks and months keep their last backup. */
export type Retention = {
  readonly daily: number
  readonly weekly: number
  readonly monthly: number
}

/** An S3-compatible bucket. */
export type Bucket = {
  readonly endpoint: string
  readonly bucket: string
  readonly region?: string
  /** Prefix of object names in the bucket. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export type BackupConfig = {
  readonly everyMs: number
  readonly keep: Retention
  /** Public keys of age. Any of the private keys decrypts the backups. */
  readonly recipients: readonly string[]
  readonly to: { readonly folder: string } | { readonly s3: Bucket }
}

/** The recipient in `config/backup.example.toml`. Its private key does not exist. */
const EXAMPLE_RECIPIENT = 'age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqxtvnl'

const DEFAULTS = { hours: 24, daily: 7, weekly: 4, monthly: 12 } as const

/** Parses the file of the setting BACKUP. Throws UsageError with one line per problem. The lines contain no values. */
export function readBackupConfig(text: string): BackupConfig {
  const file = readTomlAs(BackupFile, text)
  const { every_hours: hours = DEFAULTS.hours, recipients } = file
  const { daily = DEFAULTS.daily, weekly = DEFAULTS.weekly, monthly = DEFAULTS.monthly } = file
  if (recipients.includes(EXAMPLE_RECIPIENT))
    throw new UsageError('recipients: the example opens no backup; make a key with backups key')
  const keep = { daily, weekly, monthly }
  return { everyMs: hours * HOUR_MS, keep, recipients, to: parseTarget(file) }
}

function parseTarget({ folder, s3 }: BackupFile): BackupConfig['to'] {
  if (folder !== undefined && s3 === undefined) return { folder }
  if (folder !== undefined || s3 === undefined)
    throw new UsageError('folder and s3: give one of them')
  const url = parseHttpUrl(s3.endpoint)
  if (!url || (url.protocol !== 'https:' && !isLoopbackUrl(url)))
    throw new UsageError('s3.endpoint must be an https URL, or an http one to loopback')
  return {
    s3: {
      endpoint: s3.endpoint,
      bucket: s3.bucket,
      ...(s3.region !== undefined && { region: s3.region }),
      prefix: s3.prefix ?? '',
      accessKeyId: s3.access_key_id,
      secretAccessKey: s3.secret_access_key,
    },
  }
}
