import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { makeBackup } from '../../../src/operator/backup/make.ts'
import { openBackupTarget } from '../../../src/operator/backup/target.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'

const START_MS = Date.parse('2026-11-23T05:30:00Z')

test('a backup is not made into a folder that is not there, nor beside none of those before', async () => {
  const root = mkdtempSync(join(tmpdir(), 'prepd-backup-folder-'))
  const dataDir = join(root, 'data')
  openSqlite(join(dataDir, 'prepd.sqlite'), START_MS).close()
  const folder = join(root, 'kept')
  const recipients = [await identityToRecipient(await generateX25519Identity())]
  const keep = { daily: 2, weekly: 0, monthly: 0 }
  const config = { everyMs: 3_600_000, keep, recipients, to: { folder } }
  const place = openBackupTarget(config.to)
  const parts = { config, place, dataDir, service: 'prepd', version: '1.2.3' }
  const make = (nowMs: number, isFirst = false) => makeBackup({ ...parts, nowMs, isFirst })

  await expect(make(START_MS)).rejects.toThrow('is not there: mount its disk, or create the folder')
  await expect(place.list()).rejects.toThrow('is not there: mount its disk')
  expect(existsSync(folder)).toBe(false)
  mkdirSync(folder)
  await make(START_MS)
  // The empty folder below a mount point.
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  const late = START_MS + 60_000
  await expect(make(late)).rejects.toThrow('holds none of the backups that were made before')
  expect(await place.list()).toEqual([])
  expect(await make(late, true)).toMatchObject({ removed: 0 })
  rmSync(root, { recursive: true })
})
