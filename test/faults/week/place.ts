import { Database } from 'bun:sqlite'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrateTo } from '../../../src/store/connection/migrations.ts'
import { openNoticeFile } from '../../../src/store/entity-file.ts'
import { startPostgres } from '../../cluster/postgres.ts'
import { startValkey } from '../../cluster/valkey.ts'
import { freePort } from '../../free-port.ts'
import { spawnPrepd, temporaryFolder } from '../../surface/spawned.ts'
import { writePair } from '../../tls-pair.ts'
import { onDisk } from '../disks.ts'
import { killable } from '../standby/place.ts'
import { UNLIMITED } from '../unlimited.ts'
import { startReceiver } from './receiver.ts'

/** A disk that has more than 1 GiB free until somebody fills it. */
const DISK = 'mount -t tmpfs -o size=1100m none "$1"'
const CLOCK = new URL('../storm/stepped-clock.ts', import.meta.url).pathname
/** The store's version and the release that the upgraded instance finds. */
const BEFORE = { store: 5, release: '0.9.0' } as const

type Settings = Readonly<Record<string, string>>
type Prepd = ReturnType<typeof spawnPrepd>

/** An instance of the executable that is killed and started again at the same address. */
async function instanceOf(folder: string, name: string, settings: Settings, disk?: string) {
  const dataDir = join(folder, name)
  const stepFile = join(folder, `${name}.step`)
  mkdirSync(dataDir, { mode: 0o700 })
  stepTo(stepFile, 0)
  const port = freePort()
  let prepd: Prepd | null = null
  const begin = () =>
    spawnPrepd({
      ...(disk !== undefined && { before: onDisk(disk, dataDir) }),
      env: { STEP_FILE: stepFile, BUN_OPTIONS: `--preload ${CLOCK}`, PATH: '/usr/bin:/bin' },
      settings: {
        ...{ DATA_DIR: dataDir, LISTEN: `127.0.0.1:${port}`, SERVICE_NAME: name, STOP_GRACE: '0' },
        ...UNLIMITED,
        ...settings,
      },
    })
  return {
    ...{ name, dataDir, begin },
    url: `${'TLS_CERT' in settings ? 'https' : 'http'}://127.0.0.1:${port}`,
    stepClock: (ms: number) => stepTo(stepFile, ms),
    /** Makes it read its files again, once they are changed. */
    reload: (change: () => void = () => undefined) => {
      change()
      prepd?.kill('SIGHUP')
    },
    /** Its own view of its disk. */
    disk: () => join(`/proc/${prepd?.pid}/root`, dataDir),
    ...killable(async () => {
      const own = begin()
      prepd = own
      await own.url()
      return {
        kill: () => {
          own.kill('SIGKILL')
          return own.ended()
        },
      }
    }),
  }
}

/** Sets a clock off by so many milliseconds. */
function stepTo(path: string, ms: number): void {
  const bytes = Buffer.alloc(Float64Array.BYTES_PER_ELEMENT)
  bytes.writeDoubleLE(ms)
  writeFileSync(path, bytes, { flag: ms === 0 ? 'w' : 'r+' })
}

/**
 * A venue, two instances before it on PostgreSQL and Valkey, one with a certificate that a release before had, one with a
 * small disk, and the receiver of their notices. `old` is not started yet.
 */
export async function startWeekPlace() {
  const folder = temporaryFolder()
  const inFolder = (name: string) => join(folder.path, name)
  const receiver = startReceiver(inFolder('notify.toml'))
  const wirePort = freePort()
  const VENUE_LISTEN = `127.0.0.1:${wirePort}`
  const venue = await instanceOf(folder.path, 'venue', { VENUE_LISTEN })
  const [server, valkey] = await Promise.all([startPostgres(), startValkey()])
  const common = { VENUE: `http://127.0.0.1:${wirePort}`, NOTIFY: receiver.path }
  const engines = { ...common, POSTGRES: await server.newDatabase(), VALKEY: valkey.url }
  const keyFile = inFolder('operator-key')
  const firstKey = 'the-key-of-before-'.repeat(2)
  writeFileSync(keyFile, firstKey, { mode: 0o600 })
  const pairs = pairsIn(folder.path)
  const at = (name: string, settings: Settings, disk?: string) =>
    instanceOf(folder.path, name, settings, disk)
  const [one, two, old, small] = await Promise.all([
    at('one', { ...engines, OPERATOR_KEY_FILE: keyFile, OPS_LISTEN: '127.0.0.1:0' }),
    at('two', engines),
    at('old', { ...common, TLS_CERT: pairs.used.cert, TLS_KEY: pairs.used.key }),
    at('small', common, DISK),
  ])
  writeOld(old.dataDir)
  const running = [venue, one, two, small]
  const stop = async () => {
    await Promise.all([...running, old].map(({ kill }) => kill()))
    await Promise.all([server.stop(), valkey.stop(), receiver.stop()])
    folder[Symbol.dispose]()
  }
  try {
    for (const { start } of running) await start()
  } catch (error) {
    await stop()
    throw error
  }
  return { venue, server, valkey, receiver, keyFile, firstKey, pairs, one, two, old, small, stop }
}

export type WeekPlace = Awaited<ReturnType<typeof startWeekPlace>>

/** A certificate in use that lasts, and how it changes places with one that is about to end. */
function pairsIn(folder: string) {
  const [long, short] = [writePair(folder, 'long', 0o600, 90), writePair(folder, 'short')]
  const used = { cert: join(folder, 'used.crt'), key: join(folder, 'used.key') }
  const use = ({ cert, key }: typeof used) => {
    copyFileSync(cert, used.cert)
    copyFileSync(key, used.key)
  }
  use(long)
  return { used, useLong: () => use(long), useShort: () => use(short) }
}

/** A data directory as a release before this one left it. */
function writeOld(dataDir: string): void {
  using database = new Database(join(dataDir, 'prepd.sqlite'), { create: true })
  migrateTo(database, BEFORE.store)
  const notices = openNoticeFile(dataDir)
  notices.commit([{ kind: 'version', key: 'version', json: BEFORE.release }])
  notices.close()
}
