// Slow: two servers and the commands that make their backups are executables that start.
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { DAY_MS } from '../../src/contract/durations.ts'
import { BACKUP_MARK_FILE } from '../../src/contract/operator/process.ts'
import { readArchive } from '../../src/operator/backup/archive.ts'
import { migrateTo } from '../../src/store/connection/migrations.ts'
import { settingsFolder } from '../settings-folder.ts'
import { spawnPrepd } from './spawned.ts'

const VERSION_BEFORE = 5

let folder: ReturnType<typeof settingsFolder>
let identity: string
let kept: string
let dataDir: string

beforeEach(async () => {
  folder = settingsFolder()
  identity = await generateX25519Identity()
  kept = folder.path('kept')
  dataDir = folder.path('data')
  mkdirSync(dataDir, { mode: 0o700 })
})
afterEach(() => folder[Symbol.dispose]())

/** A server whose backups go to a folder of this name. */
async function started(to: string) {
  const recipient = await identityToRecipient(identity)
  const file = `every_hours = 1\nrecipients = ["${recipient}"]\nfolder = "${to}"\n`
  const BACKUP = folder.write('backup.toml', file)
  const settings = { DATA_DIR: dataDir, BACKUP, LOG: 'info', OPS_LISTEN: '127.0.0.1:0' }
  return spawnPrepd({ settings: { ...settings, VENUE_MARKETS: 'PERP_BTC_USDC' } })
}

/** A store as an earlier version wrote it, with one proof. */
function writeOldStore(): void {
  using database = new Database(join(dataDir, 'prepd.sqlite'), { create: true })
  migrateTo(database, VERSION_BEFORE)
  database.run("INSERT INTO proofs VALUES ('0xa', 'key', 1)")
}

async function stopped(server: ReturnType<typeof spawnPrepd>): Promise<string> {
  server.kill('SIGTERM')
  return (await server.ended()).stderr
}

describe('a store of an earlier version', () => {
  test('is backed up as it was before it is brought over', async () => {
    writeOldStore()
    mkdirSync(kept)
    const server = await started(kept)
    await server.url()
    const [name = ''] = readdirSync(kept)
    expect(await stopped(server)).toMatch(/"backup_before_upgrade".*\n.*"store_upgraded"/)
    mkdirSync(folder.path('opened'))
    await readArchive(Bun.file(join(kept, name)).stream(), identity, folder.path('opened'))
    using copy = new Database(join(folder.path('opened'), 'prepd.sqlite'), { readonly: true })
    expect(copy.query('PRAGMA user_version').get()).toEqual({ user_version: VERSION_BEFORE })
    expect(copy.query('SELECT count(*) AS count FROM proofs').get()).toEqual({ count: 1 })
    const again = await started(kept)
    await again.url()
    expect(await stopped(again)).not.toContain('before_upgrade')
    expect(readdirSync(kept)).toEqual([name])
  })

  test('is brought over also where no backup can be made, and the log says why', async () => {
    writeOldStore()
    writeFileSync(kept, 'a file, where the folder should be')
    const server = await started(join(kept, 'backups'))
    await server.url()
    const log = await stopped(server)
    expect(log).toMatch(/"backup_before_upgrade_failed".*"reason":".* is not there: mount its disk/)
    expect(log).toContain('"store_upgraded"')
    expect(readdirSync(dataDir)).toContain(`prepd.sqlite.version-${VERSION_BEFORE}`)
  })
})

test('a backup that is older than two of its periods is on /readyz', async () => {
  const mark = join(dataDir, BACKUP_MARK_FILE)
  const readiness = async (ageMs: number) => {
    const atSeconds = (Date.now() - ageMs) / 1000
    writeFileSync(mark, '')
    utimesSync(mark, atSeconds, atSeconds)
    const server = await started(kept)
    const answer = await (await fetch(`${await server.opsUrl()}/readyz`)).json()
    await stopped(server)
    return Object(answer)
  }
  expect(await readiness(DAY_MS / 24)).toMatchObject({ ready: true })
  expect(await readiness(DAY_MS)).toMatchObject({
    ready: true,
    degraded: ['backup'],
    reasons: { backup: 'The last backup is older than two of its periods.' },
  })
})
