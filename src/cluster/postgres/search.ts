import { releaseReserve } from '../../core/loop/descriptor-reserve.ts'
import type { EngineHost } from '../../core/settings/engine-urls.ts'
import { clientConfig, clientSession, type Session, withConnection } from './connection.ts'
import { FencedError } from './errors.ts'
import { type ConnectionUse, openPools, type Pools, type PostgresPoolOptions } from './pools.ts'
import { readServer, type Server } from './server.ts'

/** Maximum time to greet a new server. It may first have to store many claims, so it gets longer than a request. */
const GREETING_MAX_MS = 10_000

/** Uses that keep one connection open each: for claims, and for checks of the server. */
const KEPT_OPEN_USES: readonly ConnectionUse[] = ['claims', 'other']

/** A server that accepts writes, and connection pools for this server only. */
export type FoundServer = { readonly server: Server; readonly pools: Pools }

export type Search = PostgresPoolOptions & {
  /** Called with every server that is found, before any other query. */
  readonly greet: (session: Session, server: Server) => Promise<void>
}

/**
 * Finds the first host that may be written to. If every host fails, throws the first FencedError of a host. Without a
 * FencedError, throws the error of the last host.
 */
export async function findServer(search: Search): Promise<FoundServer> {
  let last: unknown
  for (const host of search.place.hosts) {
    try {
      return await openAt(host, search)
    } catch (error) {
      if (!(last instanceof FencedError)) last = error
    }
  }
  throw last
}

async function openAt(host: EngineHost, search: Search): Promise<FoundServer> {
  const { place, greet } = search
  const config = clientConfig(place, host)
  releaseReserve()
  return withConnection({ ...config, statement_timeout: GREETING_MAX_MS }, async (client) => {
    const server = await readServer(clientSession(client, place.waitMaxMs), place.hosts.length)
    await greet(clientSession(client, GREETING_MAX_MS), server)
    return { server, pools: await reserved(openPools(config, server, search), place.waitMaxMs) }
  })
}

/** Opens the connections that stay open. Throws PostgresError if the server has no free connection. */
async function reserved(pools: Pools, waitMaxMs: number): Promise<Pools> {
  try {
    for (const use of KEPT_OPEN_USES) (await pools.connect(use, waitMaxMs)).release()
    return pools
  } catch (error) {
    pools.end()
    throw error
  }
}
