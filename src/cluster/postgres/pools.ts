import pg, { type ClientConfig, type Pool, type PoolClient } from 'pg'
import { LIMITS } from '../../contract/limits.ts'
import { guarded, settledWithin } from '../../core/loop/guarded.ts'
import { createLanes, type LaneLimits } from '../../core/loop/lanes.ts'
import { makeRoom } from '../../core/loop/reserve.ts'
import { currentRequest } from '../../core/observing/request-context.ts'
import type { PostgresPlace } from '../../core/settings/engine-urls.ts'
import { sessionOf } from './connection.ts'
import { lookAt, type Server } from './server.ts'
import { CrowdedError, ignore, postgresError, sqlStateOf } from './trouble.ts'

/**
 * The use of a connection. Each use has a pool of its own, so that it never waits for the connections of another use.
 */
export type Use = 'claims' | 'vouchers' | 'other'

/** Whose share of the connections it takes, the caller's address where absent; and whether a write only cancels or reduces. */
export type Asker = {
  readonly owner?: string | undefined
  readonly isReducing?: (() => boolean) | undefined
}

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
   * A connection within `waitMs`, in turn with the other owners that wait. A connection that comes later goes back to the
   * pool. If the server has no connection left, the call waits for one of this instance. Throws PostgresError.
   */
  readonly connect: (use: Use, waitMs: number, asker?: Asker) => Promise<PoolClient>
  /** Calls back when an idle connection breaks. */
  readonly onLost: (lost: () => void) => void
  /** Ends the idle ones; those in use are ended by whoever uses them. */
  readonly end: () => void
}

/** Vouchers and other questions each have a fifth of the connections, and at least one. Claims have the rest. */
const SHARE = 5
/** SQLSTATE of a server, a database or a role whose connections are all taken. */
const TOO_MANY = '53300'
/** After this long, a pool that was refused a connection asks for more again. */
const REFUSED_MS = 1000
const RETRY_MS = 50

export function openPools(config: ClientConfig, server: Server, rules: PoolRules): Pools {
  const { waitMaxMs } = rules.place
  const share = Math.max(1, Math.floor(rules.connectionsMax / SHARE))
  const open = (widths: Widths, min: number) => {
    const max = widths.concurrentMax + (widths.reducingReserved ?? 0)
    const sized = { ...config, max, min, idleTimeoutMillis: rules.idleMs }
    return openPool(poolOf(sized, server, waitMaxMs), widths, rules)
  }
  const pools: Readonly<Record<Use, ReturnType<typeof openPool>>> = {
    claims: open(claimWidths(rules.connectionsMax - 2 * share), 1),
    vouchers: open({ concurrentMax: share, shares: LIMITS.postgresShares }, 0),
    other: open({ concurrentMax: share }, 1),
  }
  return {
    connect: (use, waitMs, asker) => pools[use].connect(waitMs, asker),
    onLost: (lost) => {
      for (const { pool } of Object.values(pools)) pool.on('error', guarded('store', lost))
    },
    end: () => {
      for (const { pool } of Object.values(pools)) pool.end().catch(ignore)
    },
  }
}

type Widths = Pick<LaneLimits, 'concurrentMax' | 'reducingReserved' | 'shares'>

/** A fifth of the connections for claims, rounded up, is reserved for reductions; 0 if there is only one. */
function claimWidths(connections: number): Widths {
  const reducingReserved = Math.min(connections - 1, Math.ceil(connections / SHARE))
  const concurrentMax = connections - reducingReserved
  return { concurrentMax, reducingReserved, shares: LIMITS.postgresShares }
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
  // A caller learns of the end of its connection from its own question.
  pool.on(
    'connect',
    guarded('store', (client) => client.on('error', guarded('store', ignore))),
  )
  return pool
}

/** A pool whose connections are given to owners in turn. A wait for one is no sign of the server's health. */
function openPool(pool: Pool, widths: Widths, rules: PoolRules) {
  const queuedMax = { read: 0, write: LIMITS.postgresQueuedMax }
  const waiting = { writeReserved: 0, queuedMax, answerShare: 0, elapsedMs: rules.monotonicMs }
  const lanes = createLanes('store', { ...widths, ...waiting }, () => new CrowdedError())
  const connectAt = opening(pool, rules)
  const slots = new WeakMap<PoolClient, () => void>()
  pool.on(
    'release',
    guarded('store', (_error, client) => {
      const leave = slots.get(client)
      slots.delete(client)
      leave?.()
    }),
  )

  async function connect(
    waitMs: number,
    { owner = currentRequest()?.limitKey, isReducing }: Asker = {},
  ): Promise<PoolClient> {
    const endsMs = rules.monotonicMs() + waitMs
    const queue = () => (isReducing?.() === true ? 'reducing' : 'write')
    const leave =
      lanes.take({ queue: 'write', owner }) ??
      (await lanes.enter({ queue: queue(), owner }, waitMs))
    try {
      const client = await connectAt(endsMs)
      slots.set(client, leave)
      return client
    } catch (error) {
      leave()
      throw error
    }
  }

  return { pool, connect }
}

/**
 * Connects until a moment of the monotonic clock. It opens one connection at a time. After the server refused one, it
 * opens no other for a while: callers wait for the existing connections, which answer sooner than a new one.
 */
function opening(pool: Pool, { monotonicMs }: PoolRules): (endsMs: number) => Promise<PoolClient> {
  const { max } = pool.options
  let refusedAtMs = Number.NEGATIVE_INFINITY
  const opened = new Set<PoolClient>()
  pool.on(
    'connect',
    guarded('store', (client) => {
      opened.add(client)
      grow()
    }),
  )
  pool.on(
    'remove',
    guarded('store', (client) => opened.delete(client)),
  )

  function sizeNow(): number {
    const isRefused = opened.size > 0 && monotonicMs() - refusedAtMs < REFUSED_MS
    return Math.min(max, isRefused ? opened.size : opened.size + 1)
  }

  /** Opens the next connection where callers wait for one: the pool itself gives them only those that come back. */
  function grow(): void {
    pool.options.max = sizeNow()
    if (pool.waitingCount > 0 && opened.size < pool.options.max)
      connected(pool, REFUSED_MS).then((client) => client.release(), noteRefusal)
  }

  function noteRefusal(error: unknown): void {
    if (sqlStateOf(error) === TOO_MANY) refusedAtMs = monotonicMs()
  }

  /** Returns when it is worth asking again. Throws the error where that is not before `endsMs`. */
  async function failed(error: unknown, endsMs: number): Promise<void> {
    if (sqlStateOf(error) !== TOO_MANY || endsMs - monotonicMs() < RETRY_MS) throw error
    noteRefusal(error)
    if (opened.size === 0) await Bun.sleep(RETRY_MS)
  }

  return async (endsMs) => {
    for (;;) {
      pool.options.max = sizeNow()
      try {
        return await connected(pool, endsMs - monotonicMs())
      } catch (error) {
        await failed(error, endsMs)
      }
    }
  }
}

/** A connection within a time in ms. A connection that comes later goes back to the pool. Throws PostgresError. */
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
