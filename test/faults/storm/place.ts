import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '../../cluster/postgres.ts'
import { startProxy } from '../../cluster/proxy.ts'
import { startSilentProxy } from '../../cluster/silent-proxy.ts'
import { type RunningValkey, startValkey } from '../../cluster/valkey.ts'
import { spawnPrepd, temporaryFolder } from '../../surface/spawned.ts'
import { mayMount, onDisk } from '../disks.ts'
import { UNLIMITED } from '../unlimited.ts'

/** The descriptors that an instance may have. */
export const FILES_MAX = 512
/** Room for a store that is not full, and for few files. */
const DISK = 'mount -t tmpfs -o size=16m,nr_inodes=200 none "$1"'
const CLOCK = new URL('stepped-clock.ts', import.meta.url).pathname

/** A way to a server that can be cut, and that can go silent. */
type Way = Awaited<ReturnType<typeof startWay>>

async function startWay(to: number) {
  const cutting = await startProxy(to)
  const { port, silence, speak, stop } = await startSilentProxy(cutting.port)
  return {
    port,
    cut: cutting.cut,
    heal: cutting.heal,
    silence: () => silence(),
    speak,
    stop: async () => {
      await cutting.stop()
      await stop()
    },
  }
}

/** One of the instances, with everything that a fault can take from it. */
export type StormInstance = Awaited<ReturnType<typeof startStormInstance>>

type Shared = {
  readonly server: PostgresServer
  readonly database: string
  readonly valkey: RunningValkey
  readonly venue: string
  readonly stream: string
}

/** Starts the compiled binary with few descriptors, a small disk, a clock that can be stepped, and ways to its engines. */
async function startStormInstance({ server, database, valkey, venue, stream }: Shared) {
  const folder = temporaryFolder()
  const dataDir = join(folder.path, 'data')
  const stepFile = join(folder.path, 'step')
  mkdirSync(dataDir)
  writeFileSync(stepFile, Buffer.alloc(Float64Array.BYTES_PER_ELEMENT))
  const [postgresWay, valkeyWay] = await Promise.all([startWay(server.port), startWay(valkey.port)])
  const disk = mayMount() ? onDisk(DISK, dataDir) : 'true'
  const prepd = spawnPrepd({
    before: `ulimit -n ${FILES_MAX}; ${disk}`,
    env: { STEP_FILE: stepFile, BUN_OPTIONS: `--preload ${CLOCK}`, PATH: '/usr/bin:/bin' },
    settings: {
      DATA_DIR: dataDir,
      OPS_LISTEN: '127.0.0.1:0',
      LOG: 'warn',
      LOG_REQUESTS: '0',
      STOP_GRACE: '0',
      VENUE: venue,
      VENUE_STREAM: stream,
      POSTGRES: database.replace(`:${server.port}/`, `:${postgresWay.port}/`),
      VALKEY: valkey.url.replace(`:${valkey.port}`, `:${valkeyWay.port}`),
      ...UNLIMITED,
    },
  })
  const steps = openSync(stepFile, 'r+')
  let ending: Promise<number | null> | undefined
  async function end(): Promise<number | null> {
    prepd.kill('SIGTERM')
    const { code } = await prepd.ended()
    await Promise.all([postgresWay.stop(), valkeyWay.stop()])
    closeSync(steps)
    folder[Symbol.dispose]()
    return code
  }
  return {
    url: await prepd.url(),
    opsUrl: await prepd.opsUrl(),
    pid: prepd.pid,
    log: prepd.log,
    postgresWay,
    valkeyWay,
    /** Its own view of its disk. */
    disk: join(`/proc/${prepd.pid}/root`, dataDir),
    /** Sets its wall clock off by so many milliseconds. */
    stepClock: (ms: number) => {
      const bytes = Buffer.alloc(Float64Array.BYTES_PER_ELEMENT)
      bytes.writeDoubleLE(ms)
      writeSync(steps, bytes, 0, bytes.length, 0)
    },
    /** Resolves when it is gone, whoever ended it. */
    ended: prepd.ended,
    /** Ends it as an operator does, once; answers its exit code. */
    stop: () => {
      ending ??= end()
      return ending
    },
  }
}

/** How what was started is ended, last things first. */
export type Ends = (() => Promise<unknown>)[]

/** Everything that a storm rages over. */
export type StormPlace = {
  readonly server: PostgresServer
  readonly valkey: RunningValkey
  readonly venueWay: Way
  readonly instances: readonly StormInstance[]
}

/** Starts engines and instances before a venue; whatever it starts adds to `ends` how it is ended. */
export async function startStormPlace(
  count: number,
  venueUrl: string,
  stream: string,
  ends: Ends,
): Promise<StormPlace> {
  const server = await startPostgres({ settings: { max_connections: '120' } })
  ends.push(server.stop)
  const valkey = await startValkey()
  ends.push(valkey.stop)
  const venueWay = await startWay(Number(new URL(venueUrl).port))
  ends.push(venueWay.stop)
  const venue = `http://127.0.0.1:${venueWay.port}`
  const shared = { server, database: await server.newDatabase(), valkey, venue, stream }
  const instances: StormInstance[] = []
  for (let at = 0; at < count; at++) {
    const instance = await startStormInstance(shared)
    ends.push(instance.stop)
    instances.push(instance)
  }
  return { server, valkey, venueWay, instances }
}
