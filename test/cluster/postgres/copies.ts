import type { SharedStore } from '../../../src/cluster/postgres/store.ts'
import type { Claim } from '../../../src/core/claim.ts'
import type { SharedPostgres } from '../postgres.ts'
import { until } from '../processes.ts'

/** Puts a database back to what it was when this was called; its instances lose their connections. */
export async function copied(server: SharedPostgres, url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1)
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`
  const copy = async (from: string, to: string) => {
    await server.ask(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await until(async () => (await server.ask(end)).length === 0)
    if (to === name) await server.ask(`DROP DATABASE ${name}`)
    await server.ask(`CREATE DATABASE ${to} TEMPLATE ${from} OWNER prepd STRATEGY file_copy`)
    await server.ask(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  }
  await copy(name, `${name}_copy`)
  return () => copy(`${name}_copy`, name)
}

/** Claims, as soon as PostgreSQL is back. */
export async function claim({ once }: SharedStore, wanted: Claim): Promise<boolean> {
  let won: boolean | null = null
  await until(async () => {
    won = await once.claim(wanted, Date.now()).catch(() => null)
    return won !== null
  })
  return won === true
}
