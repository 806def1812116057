import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { DAY_MS } from '../../../src/contract/durations.ts'
import { BACKUP_LIMITS } from '../../../src/contract/operator/backup.ts'
import { readArchive } from '../../../src/operator/backup/archive.ts'
import type { BackupConfig } from '../../../src/operator/backup/config.ts'
import { makeBackup, runRestoreDrill } from '../../../src/operator/backup/make.ts'
import { drillBackup, findBackup, restoreBackup } from '../../../src/operator/backup/restore.ts'
import { backupName } from '../../../src/operator/backup/retention.ts'
import { type BackupTarget, openBackupTarget } from '../../../src/operator/backup/target.ts'
import { openNoticeFile, openVenueFile } from '../../../src/store/entity-file.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { ACCESS_KEY, BUCKET, startS3 } from './s3-server.ts'

const START_MS = Date.parse('2026-11-23T05:30:00Z')

let root: string
let dataDir: string
let identity: string
let config: BackupConfig
let place: BackupTarget

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'prepd-backup-'))
  dataDir = join(root, 'data')
  const store = openSqlite(join(dataDir, 'prepd.sqlite'), START_MS)
  for (let at = 0; at < 50; at += 1) await store.proofs.add(`0x${at}`, 'ed25519:key', START_MS)
  store.close()
  const venue = openVenueFile(join(dataDir, 'venue.sqlite'))
  venue.commit([{ kind: 'account', key: 'a', json: '1' }])
  venue.close()
  const notices = openNoticeFile(dataDir)
  notices.commit([{ kind: 'open', key: 'disk_low', json: '1' }])
  notices.close()
  writeFileSync(join(dataDir, 'prepd.logkey'), 'key')
  identity = await generateX25519Identity()
  const to = { folder: join(root, 'kept') }
  mkdirSync(to.folder)
  const keep = { daily: 2, weekly: 0, monthly: 0 }
  config = { everyMs: 3_600_000, keep, recipients: [await identityToRecipient(identity)], to }
  place = openBackupTarget(to)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const make = (
  nowMs = START_MS,
  at: BackupTarget = place,
  of: { dataDir?: string; isFirst?: boolean } = {},
) =>
  makeBackup({
    config,
    place: at,
    dataDir,
    nowMs,
    service: 'prepd',
    version: '1.2.3',
    isFirst: false,
    ...of,
  })

/** Opens a backup with the operator's own key. */
async function opened(name: string, key = identity) {
  const folder = join(root, 'opened')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  return { folder, manifest: await readArchive(await place.read(name), key, folder) }
}

describe('a backup', () => {
  test('holds the store with the world of the venue, the notices and every other file, for its recipient alone', async () => {
    const report = await make()
    const [name = ''] = await place.list()
    expect(name).toBe('prepd-20261123T053000Z.tar.zst.age')
    expect(report).toMatchObject({ backup: join(root, 'kept', name), left: [], drilled: true })
    const { folder, manifest } = await opened(name)
    expect(readdirSync(folder).sort()).toEqual([
      'prepd.logkey',
      'prepd.notices.sqlite',
      'prepd.sqlite',
    ])
    const rows = manifest.parts.map((part) => part.rows ?? {})
    expect(rows.find((each) => 'proofs' in each)).toMatchObject({ proofs: 50, entities: 1 })
    expect(
      await opened(name, await generateX25519Identity()).catch(({ message }) => message),
    ).toContain('the key does not open it')
  })

  test('leaves no copy and its time behind, of mode 0600, where the running server reads it', async () => {
    await make()
    const at = (name: string) => statSync(join(dataDir, name))
    expect(at('prepd.backup').mtimeMs).toBe(START_MS)
    expect(at('prepd.drill').mtimeMs).toBe(START_MS)
    expect(readdirSync(dataDir)).not.toContain('backup.new')
    expect(at('prepd.backup').mode & 0o777).toBe(0o600)
  })

  test('is not left where it is kept changed: what cannot be opened again is an error, and no backup counts', async () => {
    const cut: BackupTarget = {
      ...place,
      read: async (name) => (await bytesOf(name)).slice(0, -40).stream(),
    }
    await expect(make(START_MS, cut)).rejects.toThrow(/marked as damaged, since \d+ of \d+ bytes/)
    const turned: BackupTarget = {
      ...place,
      read: async (name) => flipped(await bytesOf(name)).stream(),
    }
    await expect(make(START_MS, turned)).rejects.toThrow('since it is cut short, or its last')
    await expect(findBackup(place, 'latest')).rejects.toThrow('there is no backup latest')
    expect(await place.list()).toEqual([`${backupName(START_MS)}.damaged`])
    expect(statSync(join(dataDir, 'prepd.backup')).mtimeMs).toBe(0)
    expect(readdirSync(dataDir)).not.toContain('backup.new')
    expect(await make(START_MS + 1000)).toMatchObject({ drilled: true })
  })

  test('of a data directory that has made none does not stand beside those of another, unless that is asked for', async () => {
    await make()
    const kept = await place.list()
    const fresh = join(root, 'fresh')
    openSqlite(join(fresh, 'prepd.sqlite'), START_MS).close()
    const late = START_MS + 60_000
    await expect(make(late, place, { dataDir: fresh })).rejects.toThrow(
      'prepd-20261123T053000Z.tar.zst.age is not of this data directory: restore a backup',
    )
    expect(await place.list()).toEqual(kept)
    expect(readdirSync(fresh)).not.toContain('prepd.backup')
    expect(await findBackup(place, 'latest')).toBe(backupName(START_MS))
    await make(late, place, { dataDir: fresh, isFirst: true })
    await make(late + 1000, place, { dataDir: fresh })
    await make(late + 2000)
    expect(await findBackup(place, 'latest')).toBe(backupName(late + 2000))
  })

  test('of a fresh data directory goes to an empty place, and not to one that does not say what it holds', async () => {
    const silent: BackupTarget = { ...place, list: () => Promise.reject(new Error('no answer')) }
    await expect(make(START_MS, silent)).rejects.toThrow('no answer')
    expect(await place.list()).toEqual([])
    expect(readdirSync(dataDir)).not.toContain('prepd.backup')
    expect((await make()).left).toEqual([])
  })

  test('counts the backups that it removes, and no copies that were interrupted', async () => {
    const kept = join(root, 'kept')
    const day = (days: number) => backupName(START_MS - days * DAY_MS)
    for (const name of [day(9), day(8), `${day(7)}.new`]) writeFileSync(join(kept, name), '')
    expect(await make(START_MS, place, { isFirst: true })).toMatchObject({ removed: 1 })
    expect(readdirSync(kept).sort()).toEqual([day(8), backupName(START_MS)])
  })

  test('is restored once in thirty days', async () => {
    expect((await make(START_MS)).drilled).toBe(true)
    expect((await make(START_MS + BACKUP_LIMITS.drillEveryMs - 1000)).drilled).toBe(false)
    expect((await make(START_MS + BACKUP_LIMITS.drillEveryMs)).drilled).toBe(true)
  })

  // Slow: six megabytes are encrypted, stored in parts and read again.
  test('goes to a bucket in parts, is read from there again, and old ones go', async () => {
    using s3 = bucket()
    const at = openBackupTarget(s3.to)
    writeFileSync(join(dataDir, 'large.bin'), randomBytes(6 * 1024 * 1024))
    const report = await make(START_MS, at)
    expect(report.backup).toBe('s3://backups/prepd/prepd-20261123T053000Z.tar.zst.age')
    for (const day of [1, 2, 3]) await make(START_MS + day * DAY_MS, at)
    expect(await at.list()).toEqual([
      backupName(START_MS + 2 * DAY_MS),
      backupName(START_MS + 3 * DAY_MS),
    ])
    expect(s3.server.refused()).toBe(0)
  })
})

describe('a restore', () => {
  const restoredInto = (dataDir: string, key = identity) =>
    place.list().then(async ([name = '']) => ({
      dataDir,
      identity: key,
      nowMs: START_MS,
      bytes: await place.read(name),
    }))

  test('puts every file into an empty directory, each table with its rows, for its owner alone', async () => {
    await make()
    const empty = join(root, 'new', 'data')
    await restoreBackup(await restoredInto(empty))
    expect(readdirSync(empty).sort()).toEqual([
      'prepd.backup',
      'prepd.lock',
      'prepd.logkey',
      'prepd.mark',
      'prepd.notices.sqlite',
      'prepd.sqlite',
    ])
    for (const name of readdirSync(empty)) expect(statSync(join(empty, name)).mode & 0o077).toBe(0)
    const store = openSqlite(join(empty, 'prepd.sqlite'), START_MS)
    expect(store.stats.proofs()).toBe(50)
    store.close()
    expect(readdirSync(join(root, 'new'))).toEqual(['data'])
  })

  test('makes the backups of the old directory those of the new one, which go on from the time of the one restored', async () => {
    await make()
    const empty = join(root, 'new')
    await restoreBackup({ ...(await restoredInto(empty)), nowMs: START_MS + DAY_MS })
    expect(statSync(join(empty, 'prepd.backup')).mtimeMs).toBe(START_MS)
    await make(START_MS + DAY_MS, place, { dataDir: empty })
    expect(await place.list()).toHaveLength(2)
  })

  test('of another key, or into a directory with a store, changes nothing', async () => {
    await make()
    const files = () => readdirSync(dataDir).filter((name) => !/-(?:shm|wal)$/.test(name))
    const before = files()
    await expect(restoreBackup(await restoredInto(dataDir))).rejects.toThrow(
      'holds a store already',
    )
    const empty = join(root, 'other')
    const key = await generateX25519Identity()
    await expect(restoreBackup(await restoredInto(empty, key))).rejects.toThrow()
    expect(existsSync(empty)).toBe(false)
    expect(files()).toEqual(before)
  })

  test('is drilled with the operator’s key, and a table that lost a row is found', async () => {
    await make()
    const { parts, ...manifest } = await drillBackup(await restoredInto(dataDir))
    const { folder } = await opened((await place.list())[0] ?? '')
    const wrong = parts.map((part) =>
      part.rows ? { ...part, rows: { ...part.rows, proofs: 51 } } : part,
    )
    const broken = runRestoreDrill(
      folder,
      join(root, 'drill'),
      { ...manifest, parts: wrong },
      START_MS,
    )
    await expect(broken).rejects.toThrow('prepd.sqlite: proofs has 50 rows, not 51')
  })
})

const bytesOf = async (name: string) =>
  new Blob([await new Response(await place.read(name)).arrayBuffer()])

function flipped(blob: Blob): Blob {
  return new Blob([blob.slice(0, -100), new Uint8Array([0xff, 0x00, 0xff]), blob.slice(-97)])
}

function bucket() {
  const server = startS3()
  const [accessKeyId, secretAccessKey] = [ACCESS_KEY.id, ACCESS_KEY.secret]
  const { endpoint } = server
  const s3 = { endpoint, bucket: BUCKET, prefix: 'prepd/', accessKeyId, secretAccessKey }
  return { server, to: { s3 }, [Symbol.dispose]: server.stop }
}
