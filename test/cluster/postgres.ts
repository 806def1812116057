import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { clientSession } from '../../src/cluster/postgres/connection.ts'
import { migratePostgres } from '../../src/cluster/postgres/migrations.ts'
import { freePort } from '../free-port.ts'
import {
  asNobody,
  emptyCluster,
  linkLibraries,
  NATIVE,
  OWNER,
  own,
  PASSWORD,
} from './postgres-cluster.ts'
import { answers, childrenOf, isAlive, tried, until } from './processes.ts'

/** What prepd is: a role that owns its database and may do nothing else. */
const ROLE = 'prepd'
/** The database that others are copies of. */
const TABLES = 'prepd_tables'
/** A PostgreSQL of a test's own, on loopback. */
export type PostgresServer = {
  readonly port: number
  /** Its folder of data. */
  readonly data: string
  /** Makes an empty database that belongs to an ordinary role; answers its URL, at another port where one is given. */
  readonly newDatabase: (at?: number) => Promise<string>
  /** The same with the tables of prepd: to copy them costs a tenth of making them. */
  readonly readyDatabase: (at?: number) => Promise<string>
  /** Asks as its superuser. */
  readonly ask: (text: string, database?: string) => Promise<readonly Record<string, unknown>[]>
  readonly start: () => Promise<void>
  /** What a standby of it says to follow it, at another port where something stands between them. */
  readonly following: (at: number) => string
  /** Ends every process of it at once, as a machine that loses its power does. */
  readonly kill: () => Promise<void>
  /** Stops every process of it, none of whose connections ends; `thaw` lets them go on. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Ends it and removes its folder. */
  readonly stop: () => Promise<void>
}

export type PostgresOptions = {
  /** Settings of its own, such as `synchronous_standby_names`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Changes the new folder of data before the server starts. */
  readonly fill?: (data: string) => void
}

/** A server that no test may end. */
export type SharedPostgres = Pick<PostgresServer, 'port' | 'newDatabase' | 'readyDatabase' | 'ask'>

let shared: Promise<PostgresServer> | undefined

/** The PostgreSQL of all test files of this process, which ends with it. Each takes a new database, and changes nothing else. */
export function sharedPostgres(): Promise<SharedPostgres> {
  if (!shared) removeLeft()
  shared ??= startPostgres({ settings: { max_connections: '200' } }).then(endingWithUs)
  return shared
}

/** A server that neither keeps this process alive nor outlives it. */
function endingWithUs(server: PostgresServer): PostgresServer {
  process.once('exit', () => void server.kill())
  return server
}

/** Removes the folders of processes that have ended, and their servers with them. */
function removeLeft(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = new RegExp(`^${FOLDERS}(\\d+)-`).exec(name) ?? []
    if (pid && !isAlive(Number(pid))) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

const FOLDERS = 'prepd-postgres-'

/** Starts a PostgreSQL 18 with nothing in it. Always `await stop()`. */
export async function startPostgres({
  settings = {},
  fill,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), `${FOLDERS}${process.pid}-`))
  const data = join(folder, 'data')
  const libraries = join(folder, 'lib')
  linkLibraries(libraries)
  own(folder)
  const port = freePort()
  const env = {
    PATH: '/usr/bin:/bin',
    LD_LIBRARY_PATH: `${libraries}:${join(NATIVE, 'lib')}`,
    LC_ALL: 'C',
  }
  copyCluster(emptyCluster(env), data)
  fill?.(data)
  let child: ChildProcess | null = null
  let databases = 0
  let role: Promise<unknown> | null = null
  let withTables: Promise<string> | null = null

  async function connected<Value>(
    { user = OWNER, database = OWNER },
    work: (client: pg.Client) => Promise<Value>,
  ): Promise<Value> {
    const place = { host: '127.0.0.1', port, ssl: false as const }
    const client = new pg.Client({ ...place, user, password: PASSWORD, database })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }

  async function ask(text: string, database?: string) {
    const { rows } = await connected({ ...(database && { database }) }, (client) =>
      client.query(text),
    )
    return rows
  }

  /** Makes a database of the ordinary role, as a copy of nothing or of what is said. */
  async function make(name: string, copying = ''): Promise<string> {
    role ??= ask(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${PASSWORD}'`)
    await role
    await ask(`CREATE DATABASE ${name} OWNER ${ROLE} ${copying}`)
    return name
  }

  async function makeTables(): Promise<string> {
    const database = await make(TABLES)
    await connected({ user: ROLE, database }, (client) =>
      migratePostgres(clientSession(client, 60_000)),
    )
    return database
  }

  async function makeNext(at: number, copying = ''): Promise<string> {
    databases += 1
    const name = await make(`prepd_${databases}`, copying)
    return `postgres://${ROLE}:${PASSWORD}@127.0.0.1:${at}/${name}`
  }

  async function start(): Promise<void> {
    const words = Object.entries({ ...DEFAULTS, ...settings }).flatMap(([name, text]) => [
      '-c',
      `${name}=${text}`,
    ])
    const [command = '', ...args] = asNobody([
      join(NATIVE, 'bin/postgres'),
      '-D',
      data,
      '-p',
      String(port),
      ...words,
    ])
    child = spawn(command, args, { env, stdio: 'ignore' })
    child.unref()
    await until(async () => {
      if (child?.exitCode !== null) throw new Error('postgres ended at once')
      return answers(() => ask('SELECT 1'))
    })
  }

  function processes(): number[] {
    const pid = child?.pid
    return pid === undefined ? [] : [pid, ...childrenOf(pid)]
  }

  function signal(name: NodeJS.Signals): void {
    for (const pid of processes()) tried(() => process.kill(pid, name))
  }

  async function kill(): Promise<void> {
    const pids = processes()
    for (const pid of pids) tried(() => process.kill(pid, 'SIGKILL'))
    await until(async () => pids.every((pid) => !isAlive(pid)))
    child = null
  }

  await start()
  return {
    port,
    data,
    ask,
    following: (at) => `host=127.0.0.1 port=${at} user=${OWNER} password=${PASSWORD}`,
    start,
    kill,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    newDatabase: (at = port) => makeNext(at),
    readyDatabase: async (at = port) => {
      withTables ??= makeTables()
      // A copy through the log costs several times as much.
      return makeNext(at, `TEMPLATE ${await withTables} STRATEGY file_copy`)
    },
    stop: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Small and quick to start. What is committed outlives any process of it; the machine's power stays. */
const DEFAULTS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  shared_buffers: '16MB',
  max_connections: '100',
  wal_level: 'replica',
  timezone: 'UTC',
}

/** Copies the folder of data of a server that does not run. */
export function copyCluster(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to])
  if (status !== 0) throw new Error(`cp: ${stderr}`)
}
