import pg, { type ClientConfig, type Pool, type PoolClient } from 'pg'
import { guarded, settledWithin } from '../../core/loop/guarded.ts'
import { makeRoom } from '../../core/loop/reserve.ts'
import type { PostgresPlace } from '../../core/settings/engine-urls.ts'
import { sessionOf } from './connection.ts'
import { lookAt, type Server } from './server.ts'
import { ignore, postgresError, sqlStateOf } from './trouble.ts'

/** The use of a connection. Each has a pool of its own, so that none waits for the connections of another. */
export type Use = 'claims' | 'vouchers' | 'other'

export type PoolRules = {
  readonly place: PostgresPlace
  /** Most connections of this instance, for all uses together. */
  readonly connectionsMax: number
  /** How long a connection without a question is kept; 0 for good. */
  readonly idleMs: number
  readonly monotonicMs: () => number
}

/** The connections to one server. */
export type Pools = {
  /**
   * A connection within so many milliseconds; one that comes later goes back. Where the server has none left, it waits for
   * one that this instance has, or that another gives back. Throws PostgresError.
   */
  readonly connect: (use: Use, waitMs: number) => Promise<PoolClient>
  /** Calls back when an idle connection breaks. */
  readonly onLost: (lost: () => void) => void
  /** Ends the idle ones; those in use are ended by whoever uses them. */
  readonly end: () => void
}

/** Vouchers and other questions have one connection of so many each, and claims have the rest. */
const SHARE = 5
/** SQLSTATE of a server, a database or a role whose connections are all taken. */
const TOO_MANY = '53300'
/** After this long, a pool that was refused a connection asks for more again. */
const REFUSED_MS = 1000
const RETRY_MS = 50

export function openPools(config: ClientConfig, server: Server, rules: PoolRules): Pools {
  const { waitMaxMs } = rules.place
  const share = Math.max(1, Math.floor(rules.connectionsMax / SHARE))
  const open = (max: number, min: number) =>
    openPool(
      poolOf({ ...config, max, min, idleTimeoutMillis: rules.idleMs }, server, waitMaxMs),
      max,
      rules,
    )
  const pools: Readonly<Record<Use, ReturnType<typeof openPool>>> = {
    claims: open(rules.connectionsMax - 2 * share, 1),
    vouchers: open(share, 0),
    other: open(share, 1),
  }
  return {
    connect: (use, waitMs) => pools[use].connect(waitMs),
    onLost: (lost) => {
      for (const { pool } of Object.values(pools)) pool.on('error', guarded('store', lost))
    },
    end: () => {
      for (const { pool } of Object.values(pools)) pool.end().catch(ignore)
    },
  }
}

function poolOf(config: pg.PoolConfig, server: Server, waitMaxMs: number): Pool {
  const pool = new pg.Pool({
    ...config,
    // Behind one address there may be another server by now.
    verify: (client, done) => {
      lookAt(sessionOf(client, waitMaxMs)).then(
        ({ run }) => done(run === server.run ? undefined : new Error('another server')),
        done,
      )
    },
  })
  // An idle connection may break before anybody wants to know of it.
  pool.on('error', guarded('store', ignore))
  // Whoever uses a connection learns of its end from what it asked.
  pool.on(
    'connect',
    guarded('store', (client) => client.on('error', guarded('store', ignore))),
  )
  return pool
}

/**
 * A pool that opens one connection at a time, and none for a while after the server refused one: meanwhile callers wait for
 * those it has, which answer sooner than a new one.
 */
function openPool(pool: Pool, max: number, { monotonicMs }: PoolRules) {
  let refusedAtMs = Number.NEGATIVE_INFINITY
  const opened = new Set<PoolClient>()
  pool.on(
    'connect',
    guarded('store', (client) => opened.add(client)),
  )
  pool.on(
    'remove',
    guarded('store', (client) => opened.delete(client)),
  )

  function sizeNow(): number {
    const isRefused = opened.size > 0 && monotonicMs() - refusedAtMs < REFUSED_MS
    return Math.min(max, isRefused ? opened.size : opened.size + 1)
  }

  /** Returns when it is worth asking again. Throws the error where that is not before `endsMs`. */
  async function failed(error: unknown, endsMs: number): Promise<void> {
    if (sqlStateOf(error) !== TOO_MANY || endsMs - monotonicMs() < RETRY_MS) throw error
    refusedAtMs = monotonicMs()
    if (opened.size === 0) await Bun.sleep(RETRY_MS)
  }

  async function connect(waitMs: number): Promise<PoolClient> {
    const endsMs = monotonicMs() + waitMs
    for (;;) {
      pool.options.max = sizeNow()
      try {
        return await connected(pool, endsMs - monotonicMs())
      } catch (error) {
        await failed(error, endsMs)
      }
    }
  }

  return { pool, connect }
}

/** A connection within so many milliseconds; one that comes later goes back. Throws PostgresError. */
async function connected(pool: Pool, waitMs: number): Promise<PoolClient> {
  makeRoom()
  const coming = pool.connect()
  try {
    return await settledWithin('store', Math.max(1, waitMs), coming, () => {
      throw new Error('timeout')
    })
  } catch (error) {
    coming.then((client) => client.release(), ignore)
    throw postgresError(error, false)
  }
}
