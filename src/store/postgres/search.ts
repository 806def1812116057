import pg, { type ClientConfig, type Pool } from 'pg'
import { guarded } from '../../core/loop/guarded.ts'
import { makeRoom } from '../../core/loop/reserve.ts'
import type { EngineHost, PostgresPlace } from '../../settings/engine-urls.ts'
import { LIMITS } from '../../spec/limits.ts'
import { configOf, type Session, sessionOf } from './connection.ts'
import { lookAt, type Server } from './server.ts'
import { FencedError, postgresError } from './trouble.ts'

/** Before anything is sent, more may have to be told to a server than a request may wait for. */
const GREETING_MAX_MS = 10_000

/** A server that takes writes, and connections to it alone. */
export type Found = { readonly server: Server; readonly pool: Pool }

export type Search = {
  readonly place: PostgresPlace
  /** Done with every server that is found, before anything else is asked of it. */
  readonly greet: (session: Session, server: Server) => Promise<void>
}

/** The first of the hosts that may be written to. Throws why one is fenced, or else what the last one gave. */
export async function findServer({ place, greet }: Search): Promise<Found> {
  let last: unknown
  for (const host of place.hosts) {
    try {
      return await openAt(host, { place, greet })
    } catch (error) {
      if (!(last instanceof FencedError)) last = error
    }
  }
  throw last
}

async function openAt(host: EngineHost, { place, greet }: Search): Promise<Found> {
  const config = configOf(place, host)
  const client = new pg.Client({ ...config, statement_timeout: GREETING_MAX_MS })
  client.on('error', guarded('store', ignore))
  try {
    makeRoom()
    await client.connect().catch(refuse)
    const server = await lookAt(sessionOf(client, LIMITS.postgresWaitMaxMs))
    await greet(sessionOf(client, GREETING_MAX_MS), server)
    return { server, pool: poolOf(config, server) }
  } finally {
    client.end().catch(ignore)
  }
}

function poolOf(config: ClientConfig, server: Server): Pool {
  const pool = new pg.Pool({
    ...config,
    max: LIMITS.postgresConnectionsMax,
    idleTimeoutMillis: 0,
    // Behind one address there may be another server by now.
    verify: (client, done) => {
      lookAt(sessionOf(client, LIMITS.postgresWaitMaxMs)).then(
        ({ run }) => done(run === server.run ? undefined : new Error('another server')),
        done,
      )
    },
  })
  // Whoever uses a connection learns of its end from what it asked.
  pool.on(
    'connect',
    guarded('store', (client) => client.on('error', guarded('store', ignore))),
  )
  return pool
}

function refuse(error: unknown): never {
  throw postgresError(error, false)
}

function ignore(): void {
  // What was lost is told by whatever is asked next.
}
