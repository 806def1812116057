import pg, { type Client, type ClientConfig } from 'pg'
import { releaseReserve } from '../../core/loop/descriptor-reserve.ts'
import { after, guarded } from '../../core/loop/guarded.ts'
import { clientSession } from './connection.ts'
import { CrowdedError, ignoreConnectionLoss, PostgresError, postgresError } from './errors.ts'
import { readServer, type Server } from './server.ts'

type PoolBounds = {
  /** The number of idle connections that stay open. */
  readonly min: number
  /** Maximum number of connections, including those that are being opened. */
  readonly max: number
  /** How long an idle connection beyond `min` is kept; 0: no limit. */
  readonly idleMs: number
  /** Maximum time to verify the server of a new connection. */
  readonly waitMaxMs: number
}

/** The open connections of one use to one server. */
export type Connections = {
  /** The number of open connections, idle and in use. */
  readonly size: () => number
  /** Takes the most recently used idle connection; null without an idle connection. */
  readonly take: () => Client | null
  /**
   * Opens a connection, which the caller gives back. Throws CrowdedError at the maximum, and PostgresError `lost` after
   * `end`, also for a connection that is being opened when `end` is called.
   */
  readonly open: () => Promise<Client>
  /** Keeps a connection for the next query, or closes a lost connection. */
  readonly giveBack: (client: Client, isLost: boolean) => void
  /** Calls back when an idle connection breaks. */
  readonly onLost: (lost: () => void) => void
  /** Closes idle connections now, and each busy connection once its user returns it. */
  readonly end: () => void
}

export function createConnections(
  config: ClientConfig,
  server: Server,
  { min, max, idleMs, waitMaxMs }: PoolBounds,
): Connections {
  const opened = new Set<Client>()
  const opening = createPendingConnections()
  const idle = new Map<Client, NodeJS.Timeout | null>()
  let lost = ignoreConnectionLoss
  let isEnded = false

  /**
   * Only a broken idle connection is reported here. If a connection breaks in use, its user sees the error of the
   * query.
   */
  function broken(client: Client): void {
    const wasIdle = forget(client)
    if (wasIdle && !isEnded) lost()
  }

  /** Forgets a connection. Returns whether it was idle. */
  function forget(client: Client): boolean {
    opened.delete(client)
    return unidle(client)
  }

  function unidle(client: Client): boolean {
    clearTimeout(idle.get(client) ?? undefined)
    return idle.delete(client)
  }

  function discard(client: Client): void {
    forget(client)
    client.end().catch(ignoreConnectionLoss)
  }

  function expire(client: Client): void {
    if (opened.size > min) discard(client)
  }

  return {
    size: () => opened.size,
    take: () => {
      const client = [...idle.keys()].at(-1)
      if (!client) return null
      unidle(client)
      return client
    },
    open: async () => {
      if (isEnded) throw lostConnection()
      if (opened.size + opening.size() >= max) throw new CrowdedError()
      const client = await opening.awaited(openClient(config, server, waitMaxMs, broken))
      opened.add(client)
      return client
    },
    giveBack: (client, isLost) => {
      if (isLost || isEnded || !opened.has(client)) return discard(client)
      const isSpare = idleMs > 0 && opened.size > min
      idle.set(client, isSpare ? after('store', idleMs, () => expire(client)).unref() : null)
    },
    onLost: (next) => {
      lost = next
    },
    end: () => {
      isEnded = true
      opening.end()
      for (const client of [...idle.keys()]) discard(client)
    },
  }
}

/** Connections that are being opened. After `end`, each is closed as soon as it opens. */
function createPendingConnections() {
  const ends = new Set<(error: PostgresError) => void>()

  async function awaited(coming: Promise<Client>): Promise<Client> {
    const { promise: ended, reject } = Promise.withResolvers<never>()
    ends.add(reject)
    try {
      return await Promise.race([coming, ended])
    } catch (error) {
      coming.then((client) => client.end()).catch(ignoreConnectionLoss)
      throw error
    } finally {
      ends.delete(reject)
    }
  }

  const end = () => {
    for (const reject of ends) reject(lostConnection())
  }
  return { size: () => ends.size, awaited, end }
}

function lostConnection(): PostgresError {
  return new PostgresError('lost', false, true)
}

/**
 * Opens a connection and verifies that the expected server answers, because the address may belong to a different
 * server by now. Throws PostgresError.
 */
async function openClient(
  config: ClientConfig,
  server: Server,
  waitMaxMs: number,
  broken: (client: Client) => void,
): Promise<Client> {
  const client = new pg.Client(config)
  for (const event of ['error', 'end'] as const)
    client.on(
      event,
      guarded('store', () => broken(client)),
    )
  try {
    releaseReserve()
    await client.connect()
    const { run } = await readServer(clientSession(client, waitMaxMs))
    if (run !== server.run) throw new Error('another server')
    return client
  } catch (error) {
    client.end().catch(ignoreConnectionLoss)
    throw postgresError(error, false)
  }
}
