import { type Static, Type } from '@sinclair/typebox'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../durations.ts'

/** Times and sizes of the backups that the setting BACKUP makes. The unit is the last word of each name. */
export const BACKUP_LIMITS = {
  lookEveryMs: MINUTE_MS,
  /** Delay after a failed backup. */
  retryAfterMs: HOUR_MS,
  /** Maximum duration; a longer backup is aborted. */
  deadlineMs: 6 * HOUR_MS,
  /** Maximum duration of the backup before an upgrade. A longer one is aborted, and the start continues. */
  beforeUpgradeMs: MINUTE_MS,
  /** How often a new backup is also restored into a scratch folder. */
  drillEveryMs: 30 * DAY_MS,
  /** The last backup is reported as old after this many backup periods. */
  oldAfterPeriods: 2,
  /** Maximum size of a data directory's file that is not a database. Larger files are skipped and listed. */
  fileMaxBytes: 64 * 1024 * 1024,
  reportMaxBytes: 64 * 1024,
} as const

/** A file in the data directory whose modification time is the time of the last restore drill. */
export const DRILL_MARK_FILE = 'prepd.drill'

const count = (description: string, maximum: number) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }))

const text = (pattern: string, description: string) => Type.String({ pattern, description })

/** Each description ends the sentence "every_hours must be …" that an operator reads. */
export const BackupFile = Type.Object(
  {
    every_hours: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 168, description: 'whole hours from 1 to 168' }),
    ),
    daily: count('how many days to keep one backup of, up to 366', 366),
    weekly: count('how many weeks to keep one backup of, up to 260', 260),
    monthly: count('how many months to keep one backup of, up to 120', 120),
    recipients: Type.Array(
      text('^age1[02-9ac-hj-np-z]{58}$', 'an age recipient: age1 and 58 characters'),
      {
        minItems: 1,
        maxItems: 8,
        description: 'a list of one to eight age recipients',
      },
    ),
    folder: Type.Optional(text('^/[^\\0]*$', 'an absolute path')),
    s3: Type.Optional(
      Type.Object(
        {
          endpoint: Type.String({
            maxLength: 2048,
            description: 'an https URL, or an http one to loopback',
          }),
          bucket: text('^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', 'the name of a bucket'),
          region: Type.Optional(text('^[a-z0-9-]{1,64}$', 'the name of a region')),
          prefix: Type.Optional(
            text('^(?!/)[A-Za-z0-9._/-]{0,256}$', 'the beginning of names, such as prepd/'),
          ),
          access_key_id: text('^[!-~]{1,256}$', 'the id of an access key'),
          secret_access_key: text('^[!-~]{1,256}$', 'the secret of that access key'),
        },
        {
          additionalProperties: false,
          description: 'a table of endpoint, bucket, access_key_id and secret_access_key',
        },
      ),
    ),
  },
  { additionalProperties: false, description: 'a table of recipients and folder or s3' },
)
export type BackupFile = Static<typeof BackupFile>

/** One file in a backup, with the properties to verify after a restore. */
const BackupPart = Type.Object({
  name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' }),
  sizeBytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** Row counts per table, for a database. */
  rows: Type.Optional(Type.Record(Type.String(), Type.Integer())),
})
export type BackupPart = Static<typeof BackupPart>

/** The first file in a backup: the manifest of all other files. */
export const BackupManifest = Type.Object({
  service: Type.String(),
  version: Type.String(),
  madeAtMs: Type.Integer(),
  parts: Type.Array(BackupPart, { minItems: 1, maxItems: 64 }),
})
export type BackupManifest = Static<typeof BackupManifest>

/** The JSON that the backup command prints for the running server. */
export const BackupReport = Type.Object({
  backup: Type.String(),
  sizeBytes: Type.Integer(),
  rows: Type.Integer(),
  left: Type.Array(Type.String()),
  removed: Type.Integer(),
  drilled: Type.Boolean(),
})
export type BackupReport = Static<typeof BackupReport>
