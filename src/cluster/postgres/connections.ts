import pg, { type Client, type ClientConfig } from 'pg'
import { after, guarded } from '../../core/loop/guarded.ts'
import { makeRoom } from '../../core/loop/reserve.ts'
import { clientSession } from './connection.ts'
import { readServer, type Server } from './server.ts'
import { CrowdedError, ignore, PostgresError, postgresError } from './trouble.ts'

type Rules = {
  /** The number of idle connections that stay open. */
  readonly min: number
  /** Most connections, with those that are being opened. */
  readonly max: number
  /** How long an idle connection beyond `min` is kept; 0 for good. */
  readonly idleMs: number
  /** How long a new connection may take to show which server it reaches. */
  readonly waitMaxMs: number
}

/** The open connections of one use to one server. */
export type Connections = {
  /** The number of open connections, idle and in use. */
  readonly size: () => number
  /** The idle connection that was used last; null without one. */
  readonly take: () => Client | null
  /**
   * Opens one more, which the caller gives back. Throws PostgresError: `crowded` beside as many as there may be, and
   * `lost` after the end, also if it was being opened then.
   */
  readonly open: () => Promise<Client>
  /** Keeps a connection for the next question, or ends a lost one. */
  readonly giveBack: (client: Client, isLost: boolean) => void
  /** Calls back when an idle connection breaks. */
  readonly onLost: (lost: () => void) => void
  /** Ends the idle ones now, and each of the others when it is given back. */
  readonly end: () => void
}

export function createConnections(
  config: ClientConfig,
  server: Server,
  { min, max, idleMs, waitMaxMs }: Rules,
): Connections {
  const opened = new Set<Client>()
  const opening = createOpenings()
  const idle = new Map<Client, NodeJS.Timeout | null>()
  let lost = ignore
  let isEnded = false

  /** A caller learns of the end of its connection from its own question. */
  function broken(client: Client): void {
    const wasIdle = forget(client)
    if (wasIdle && !isEnded) lost()
  }

  /** Returns whether the connection was idle. */
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
    client.end().catch(ignore)
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

/** Connections that are being opened. At the end they are lost: each is closed as soon as it is open. */
function createOpenings() {
  const ends = new Set<(error: PostgresError) => void>()

  async function awaited(coming: Promise<Client>): Promise<Client> {
    const { promise: ended, reject } = Promise.withResolvers<never>()
    ends.add(reject)
    try {
      return await Promise.race([coming, ended])
    } catch (error) {
      coming.then((client) => client.end()).catch(ignore)
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

/** A new connection. It is verified, since another server may have the address by now. Throws PostgresError. */
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
    makeRoom()
    await client.connect()
    const { run } = await readServer(clientSession(client, waitMaxMs))
    if (run !== server.run) throw new Error('another server')
    return client
  } catch (error) {
    client.end().catch(ignore)
    throw postgresError(error, false)
  }
}
