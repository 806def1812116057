import type { Client, ClientConfig } from 'pg'
import { LIMITS } from '../../contract/limits.ts'
import { guarded, settledWithin } from '../../core/loop/guarded.ts'
import { createLanes, type LaneLimits, type Lanes } from '../../core/loop/lanes.ts'
import { currentRequest } from '../../core/observing/request-context.ts'
import type { PostgresEndpoint } from '../../core/settings/engine-urls.ts'
import { type Connections, createConnections } from './connections.ts'
import { CrowdedError, PostgresError, sqlState } from './errors.ts'
import type { Server } from './server.ts'

/** The use of a connection. Each use has separate connections, so that no use waits for a connection of another use. */
export type ConnectionUse = 'claims' | 'vouchers' | 'other'

/**
 * The owner whose share of the connections a call uses (default: the caller's address). `isReducing`: whether the
 * call's write only cancels or reduces.
 */
export type ConnectionCaller = {
  readonly owner?: string | undefined
  readonly isReducing?: (() => boolean) | undefined
}

export type PostgresPoolOptions = {
  readonly place: PostgresEndpoint
  /** Maximum connections of this instance, for all uses together. */
  readonly connectionsMax: number
  /** How long an idle connection is kept; 0: no limit. */
  readonly idleMs: number
  readonly monotonicMs: () => number
}

/** A connection that one caller has until its release. `isLost` closes the connection. */
export type PooledConnection = {
  readonly client: Client
  readonly release: (isLost?: boolean) => void
}

/** The connections to one server. */
export type Pools = {
  /**
   * A connection within `waitMs`; waiting owners get connections in turn. If the server accepts no further connection,
   * the call waits until an open connection is free. Throws PostgresError.
   */
  readonly connect: (
    use: ConnectionUse,
    waitMs: number,
    asker?: ConnectionCaller,
  ) => Promise<PooledConnection>
  /** Calls back when an idle connection breaks. */
  readonly onLost: (lost: () => void) => void
  /** Closes idle connections now, and each busy connection at its release. */
  readonly end: () => void
}

/** Vouchers and other queries each get a fifth of the connections, at least one. Claims get the rest. */
const CONNECTION_SHARES = 5
/** SQLSTATE of a server, a database or a role whose connections are all taken. */
const TOO_MANY_CONNECTIONS = '53300'
/** After the server refused a connection, this instance opens no further connection for this long. */
const REFUSED_PAUSE_MS = 1000
const RETRY_MS = 50

export function openPools(config: ClientConfig, server: Server, rules: PostgresPoolOptions): Pools {
  const { waitMaxMs } = rules.place
  const { idleMs, connectionsMax } = rules
  const share = Math.max(1, Math.floor(connectionsMax / CONNECTION_SHARES))
  const open = (max: number, min: number, toWidths: ToSlots) => {
    const connections = createConnections(config, server, { min, max, idleMs, waitMaxMs })
    return { connections, connect: createPool(connections, max, toWidths, rules) }
  }
  const pools: Readonly<Record<ConnectionUse, ReturnType<typeof open>>> = {
    claims: open(connectionsMax - 2 * share, 1, claimSlots),
    vouchers: open(share, 0, unreservedSlots),
    other: open(share, 1, unreservedSlots),
  }
  const all = Object.values(pools)
  return {
    connect: (use, waitMs, asker) => pools[use].connect(waitMs, asker),
    onLost: (lost) => {
      for (const { connections } of all) connections.onLost(lost)
    },
    end: () => {
      for (const { connections } of all) connections.end()
    },
  }
}

/** Computes the slots for a number of open connections. */
type ToSlots = (
  connections: number,
) => Required<Pick<LaneLimits, 'concurrentMax' | 'reducingReserved'>>

/**
 * A fifth of the connections for claims, rounded up, is reserved for reductions. A single connection is not reserved.
 */
const claimSlots: ToSlots = (connections) => {
  const reducingReserved = Math.min(connections - 1, Math.ceil(connections / CONNECTION_SHARES))
  return { concurrentMax: connections - reducingReserved, reducingReserved }
}

const unreservedSlots: ToSlots = (connections) => ({
  concurrentMax: connections,
  reducingReserved: 0,
})

/**
 * Gives connections to owners in turn. The number of slots follows the number of open connections, so a call with a
 * slot finds a connection even if the server accepts fewer than `max`. Waiting for a slot says nothing about the
 * server's health.
 */
function createPool(
  connections: Connections,
  max: number,
  toWidths: ToSlots,
  { monotonicMs }: PostgresPoolOptions,
): (waitMs: number, asker?: ConnectionCaller) => Promise<PooledConnection> {
  const limits = openSlots(connections, toWidths, { growsTo: max, elapsedMs: monotonicMs })
  const lanes = createLanes('store', limits, () => new CrowdedError())
  const { grow, taken } = createOpening(connections, lanes, max, monotonicMs)

  async function enter(
    waitMs: number,
    { owner, isReducing }: ConnectionCaller,
  ): Promise<() => void> {
    const free = lanes.take({ queue: 'write', owner })
    if (free) return free
    const queue = isReducing?.() === true ? 'reducing' : 'write'
    const admitted = lanes.enter({ queue, owner }, waitMs)
    grow()
    return admitted
  }

  return async (waitMs, { owner = currentRequest()?.limitKey, isReducing } = {}) => {
    const endsMs = monotonicMs() + waitMs
    const leave = await enter(waitMs, { owner, isReducing })
    try {
      const client = await taken(endsMs)
      grow()
      const release = (isLost = false) => {
        connections.giveBack(client, isLost)
        leave()
        grow()
      }
      return { client, release }
    } catch (error) {
      leave()
      throw error
    }
  }
}

/** One slot per open connection. Without an open connection one call is admitted, which opens the first. */
function openSlots(
  { size }: Connections,
  toWidths: ToSlots,
  fixed: Pick<LaneLimits, 'growsTo' | 'elapsedMs'>,
): LaneLimits {
  const widths = () => toWidths(Math.max(1, size()))
  return {
    get concurrentMax() {
      return widths().concurrentMax
    },
    get reducingReserved() {
      return widths().reducingReserved
    },
    writeReserved: 0,
    shares: LIMITS.postgresShares,
    queuedMax: { read: 0, write: LIMITS.postgresQueuedMax },
    answerShare: 0,
    ...fixed,
  }
}

/** Opens connections one at a time, at most `max`. After the server refused one, it pauses for a while. */
function createOpening(
  connections: Connections,
  lanes: Lanes,
  max: number,
  monotonicMs: () => number,
) {
  let refusedAtMs = Number.NEGATIVE_INFINITY
  let isGrowing = false
  const openedBy = createSharedOpening(connections, keep, monotonicMs)

  /** Returns whether the server has no connection left, and notes the time if so. */
  function noteRefusal(error: unknown): boolean {
    const isRefused = sqlState(error) === TOO_MANY_CONNECTIONS
    if (isRefused) refusedAtMs = monotonicMs()
    return isRefused
  }

  function keep(client: Client): void {
    connections.giveBack(client, false)
    lanes.admit()
  }

  /** Opens connections one by one while calls wait. */
  function grow(): void {
    const size = connections.size()
    const isRefused = monotonicMs() - refusedAtMs < REFUSED_PAUSE_MS
    const isWanted = lanes.load('write').queued > 0 && size > 0 && size < max
    if (isGrowing || isRefused || !isWanted) return
    isGrowing = true
    const came = (client: Client) => {
      isGrowing = false
      keep(client)
      grow()
    }
    const failed = (error: unknown) => {
      isGrowing = false
      noteRefusal(error)
    }
    connections.open().then(guarded('store', came), guarded('store', failed))
  }

  /** A free connection, or a new one, for a call that has a slot. Throws PostgresError. */
  async function taken(endsMs: number): Promise<Client> {
    for (;;) {
      const client = connections.take() ?? (await openedBy(endsMs).catch(unlessRefused(endsMs)))
      if (client) return client
      await Bun.sleep(RETRY_MS)
    }
  }

  /** Handles the error of an attempt. Returns null if a connection may come before `endsMs`, otherwise rethrows. */
  function unlessRefused(endsMs: number): (error: unknown) => null {
    return (error) => {
      const mayCome = noteRefusal(error) || error instanceof CrowdedError
      if (mayCome && endsMs - monotonicMs() >= RETRY_MS) return null
      throw error
    }
  }

  return { grow, taken }
}

/**
 * Opens a connection for a call, which waits until `endsMs` of the monotonic clock. A connection that opens later goes
 * to a newer waiting call, or else is kept idle. Throws PostgresError.
 */
function createSharedOpening(
  { open }: Connections,
  keep: (client: Client) => void,
  monotonicMs: () => number,
): (endsMs: number) => Promise<Client> {
  const abandoned = new Set<Promise<Client>>()
  return (endsMs) => {
    const [coming = open()] = abandoned
    const isAbandoned = () => abandoned.delete(coming)
    isAbandoned()
    const came = (client: Client) => isAbandoned() && keep(client)
    return settledWithin('store', Math.max(1, endsMs - monotonicMs()), coming, () => {
      abandoned.add(coming)
      coming.then(guarded('store', came), isAbandoned)
      throw new PostgresError('timeout', false, true)
    })
  }
}
