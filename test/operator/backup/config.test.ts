import { describe, expect, test } from 'bun:test'
import { type Files, fileProblems } from '../../../src/core/settings/files.ts'
import { readBackupConfig } from '../../../src/operator/backup/config.ts'

const RECIPIENT = `age1${'q'.repeat(58)}`
const S3 = `[s3]
endpoint = "https://s3.example"
bucket = "backups"
access_key_id = "id"
secret_access_key = "a-secret"`

const file = (...lines: string[]) => [`recipients = ["${RECIPIENT}"]`, ...lines].join('\n')
const problemsAt = (path: string, files: Files) =>
  fileProblems(files, 'PREPD_BACKUP', path, readBackupConfig)
const problems = (text: string) =>
  problemsAt('/etc/prepd/backup.toml', {
    stat: () => ({ directory: false, mode: 0o600 }),
    read: () => text,
    list: () => [],
  })

describe('the file of the setting BACKUP', () => {
  test('names a folder, or a bucket, and has defaults for everything else', () => {
    expect(readBackupConfig(file('folder = "/var/backups"'))).toEqual({
      everyMs: 86_400_000,
      keep: { daily: 7, weekly: 4, monthly: 12 },
      recipients: [RECIPIENT],
      to: { folder: '/var/backups' },
    })
    expect(readBackupConfig(file('every_hours = 1', 'daily = 0', S3))).toMatchObject({
      everyMs: 3_600_000,
      keep: { daily: 0 },
      to: { s3: { bucket: 'backups', prefix: '', secretAccessKey: 'a-secret' } },
    })
  })

  test.each([
    ['no recipient', 'folder = "/b"', 'recipients is missing'],
    [
      'an identity in place of a recipient',
      'recipients = ["AGE-SECRET-KEY-1X"]\nfolder = "/b"',
      'recipients[0] must be an age recipient',
    ],
    ['neither folder nor bucket', file(), 'folder and s3: give one of them'],
    ['both of them', file('folder = "/b"', S3), 'folder and s3: give one of them'],
    ['a relative folder', file('folder = "b"'), 'folder must be an absolute path'],
    [
      'a period of no hours',
      file('every_hours = 0', 'folder = "/b"'),
      'every_hours must be whole hours',
    ],
    [
      'a bucket over plain HTTP',
      file(S3.replace('https', 'http')),
      's3.endpoint must be an https URL',
    ],
    [
      'a word that is not known',
      file('folder = "/b"', 'evry_hours = 2'),
      'evry_hours is not known here',
    ],
  ])('with %s is refused, and no line holds a secret', (_, text, line) => {
    const found = problems(text)
    expect(found.join('\n')).toContain(line)
    expect(found.join('\n')).not.toContain('a-secret')
  })

  test('that cannot be read is named; none is no problem', () => {
    const files = { stat: () => null, read: () => '', list: () => [] }
    expect(problemsAt('/nowhere', files)).toEqual([expect.stringContaining('/nowhere')])
  })

  test('that ships as an example is in order once it has a recipient of its own', async () => {
    const example = await Bun.file('config/backup.example.toml').text()
    expect(problems(example)).toEqual([
      expect.stringContaining('recipients: the example opens no backup'),
    ])
    const text = example.replace(/age1q+xtvnl/, RECIPIENT)
    expect(readBackupConfig(text).to).toEqual({ folder: '/var/backups/prepd' })
  })
})
