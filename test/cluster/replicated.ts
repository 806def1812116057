import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { until } from './processes.ts'
import { startProxy } from './proxy.ts'

/** Starts a server and its standby, with a way between them that can be cut. Always `await stop()`. */
export async function startReplicated(kind: 'async' | 'sync') {
  const ends: (() => unknown)[] = []
  const primary = await startPostgres()
  ends.push(primary.stop)
  const way = await startProxy(primary.port)
  ends.push(way.stop)
  // Both begin as the same cluster, so that one can follow the other.
  const standby = await startPostgres({
    fill: (data) => {
      writeFileSync(join(data, 'standby.signal'), '')
      const follow = `primary_conninfo = '${primary.following(way.port)}'\n`
      writeFileSync(join(data, 'postgresql.auto.conf'), follow)
    },
  })
  ends.push(standby.stop)
  if (kind === 'sync') {
    await until(async () => (await followers(primary, 'async')) === 1)
    await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await primary.ask('SELECT pg_reload_conf()')
  }
  await until(async () => (await followers(primary, kind)) === 1)
  const url = await primary.newDatabase()
  return {
    primary,
    standby,
    way,
    /** The URL of their database at these ports of loopback. */
    urlOf: (ports: readonly number[]) =>
      url.replace(/@[^/]+/, `@${ports.map((port) => `127.0.0.1:${port}`).join(',')}`),
    stop: async () => {
      for (const end of ends.toReversed()) await end()
    },
  }
}

async function followers(primary: PostgresServer, kind: 'async' | 'sync'): Promise<number> {
  const [row] = await primary.ask(
    `SELECT count(*)::int AS rows FROM pg_stat_replication
     WHERE state = 'streaming' AND sync_state = '${kind}'`,
  )
  return Number(row?.['rows'])
}
