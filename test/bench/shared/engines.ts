import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from '../../cluster/postgres.ts'
import { startValkey } from '../../cluster/valkey.ts'
import { CORES, startPrepd, startRole } from '../servers.ts'

/** The engines that instances share, on the core of the load: their own time is nobody's here. */
export type Engines = {
  /** A new database, as an ordinary role of it. */
  readonly newDatabase: () => Promise<string>
  /** Starts a prepd that keeps its records in the engines: all of them are one service, in one database. */
  readonly startShared: () => ReturnType<typeof startPrepd>
  /** Starts one that keeps them in its file. */
  readonly startAlone: () => ReturnType<typeof startPrepd>
  readonly stop: () => Promise<void>
}

/** Starts a PostgreSQL whose commits are on the disk, a Valkey and a venue that accepts everything. */
export async function startEngines(): Promise<Engines> {
  const [postgres, valkey, venue] = await Promise.all([
    startPostgres({ settings: { fsync: 'on', shared_buffers: '128MB' } }),
    startValkey(),
    startRole('venue', CORES.load),
  ])
  pin(postmasterOf(postgres))
  pin(Number(/^process_id:(\d+)/m.exec(await valkey.cli('info', 'server'))?.[1]))
  const database = await postgres.newDatabase()
  const before = { VENUE: venue.url, TRUSTED_PROXIES: '127.0.0.0/8' }
  return {
    newDatabase: () => postgres.newDatabase(),
    startShared: () => startPrepd({ ...before, POSTGRES: database, VALKEY: valkey.url }),
    startAlone: () => startPrepd(before),
    stop: async () => {
      await Promise.all([postgres.stop(), valkey.stop(), venue.stop()])
    },
  }
}

/** Its first process; those that serve connections are made by it and stay where it is. */
function postmasterOf({ data }: PostgresServer): number {
  return Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10)
}

function pin(pid: number): void {
  Bun.spawnSync(['taskset', '-a', '-cp', CORES.load, String(pid)])
}
