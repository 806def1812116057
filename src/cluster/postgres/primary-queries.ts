import { MINUTE_MS } from '../../contract/durations.ts'
import { LIMITS } from '../../contract/limits.ts'
import {
  createEngineHealth,
  createEngineWaits,
  type EngineFault,
  type EngineHealth,
} from '../../core/engines/health.ts'
import type { World } from '../../core/ports.ts'
import type { ListedValues, Statement } from '../../store/connection/statement.ts'
import { clientSession, inTransaction, type Session } from './connection.ts'
import { awaitPostgres, CrowdedError, fencedReason, PostgresError } from './errors.ts'
import type { ConnectionCaller, ConnectionUse, PooledConnection } from './pools.ts'
import { openPrimary, type Primary } from './primary.ts'
import type { FoundServer, Search } from './search.ts'
import { readServer, type Server } from './server.ts'

/** Queries to the current primary. All throw PostgresError, at the latest when the request's maximum wait is over. */
export type Link = Pick<Primary, 'generation' | 'close'> &
  Asking & {
    readonly health: EngineHealth
    /** When the current request's maximum wait is over, by the monotonic clock. */
    readonly endsMs: () => number
    /** The queries of this link on the connections of a given use, on behalf of `asker`. */
    readonly using: (use: ConnectionUse, asker?: ConnectionCaller) => Asking
    /** Reads the server's clock, and checks that the server still answers and is still the primary. */
    readonly look: () => Promise<void>
  }

type Asking = {
  readonly ask: <Row extends object, Bound extends ListedValues>(
    statement: Statement<Row, Bound>,
    values: NoInfer<Bound>,
    endsMs?: number,
  ) => Promise<{ readonly rows: readonly Row[]; readonly count: number }>
  /** Runs the steps as one transaction. An error of a step rolls it back and is rethrown. */
  readonly transact: <Value>(
    steps: (session: Session) => Promise<Value>,
    endsMs?: number,
  ) => Promise<Value>
}

/** The part of a request's maximum wait that is reserved for the answer. A query starts only if at least this much is left. */
const ANSWER_SHARE = 0.3
/** After this many unanswered queries in a row, the search for the primary starts over. */
const TIMEOUTS_MAX = 3
/** Faults after which a server gets no more queries. */
const FINAL_FAULTS: readonly EngineFault[] = ['lost', 'fenced']

type LinkOptions = Pick<World, 'clock' | 'monotonicMs' | 'log'> &
  Search & {
    /** Checks the server again, in its latest state. Throws PostgresError if it must not be written to any more. */
    readonly confirm: (session: Session, server: Server) => Promise<void>
  }

/** An asker that goes ahead of other callers, as a reduction does. */
export const PRIORITY_CALLER: ConnectionCaller = { isReducing: () => true }

type Caller = ConnectionCaller & { readonly use: ConnectionUse }
const CHECK_CALLER: Caller = { ...PRIORITY_CALLER, use: 'other' }

type Work<Value> = (session: Session, found: FoundServer) => Promise<Value>

/** Opens the connections to PostgreSQL. Throws only errors that the operator has to fix, such as a wrong password. */
export async function openLink(parts: LinkOptions): Promise<Link> {
  const { monotonicMs } = parts
  const answerMinMs = ANSWER_SHARE * parts.place.waitMaxMs
  const pulse = withCrowdedLog(createEngineHealth('postgres'), parts)
  const waits = createEngineWaits(monotonicMs, parts.place.waitMaxMs)
  const primary = await openPrimary({ ...parts, pulse })
  let timeouts = 0

  /** Runs the work on a connection that no other call uses until the work ends. */
  async function onConnection<Value>(
    caller: Caller,
    endsMs: number,
    work: Work<Value>,
  ): Promise<Value> {
    const found = await primary.server(endsMs - answerMinMs)
    const startedMs = monotonicMs()
    try {
      const taken = await found.pools.connect(caller.use, endsMs - answerMinMs - startedMs, caller)
      const session = clientSession(taken.client, Math.max(1, endsMs - monotonicMs()))
      const value = await useConnection(taken, work(session, found))
      pulse.answered(monotonicMs() - startedMs)
      timeouts = 0
      return value
    } catch (error) {
      if (!isServerError(error)) throw countCrowdedError(pulse, error)
      pulse.failed(error.fault, monotonicMs() - startedMs, fencedReason(error))
      if (isServerSilent(error, caller)) timeouts += 1
      if (FINAL_FAULTS.includes(error.fault) || timeouts >= TIMEOUTS_MAX) primary.lose(found)
      throw error
    }
  }

  async function waited<Value>(caller: Caller, endsMs: number, work: Work<Value>): Promise<Value> {
    if (endsMs - answerMinMs <= monotonicMs()) throw new PostgresError('timeout', false, false)
    return waits.counted(() => onConnection(caller, endsMs, work))
  }

  const endsMs = () => monotonicMs() + waits.leftMs()
  const using = (use: ConnectionUse, asker: ConnectionCaller = {}): Asking => ({
    ask: (statement, values, until = endsMs()) =>
      waited({ ...asker, use }, until, (session) => session.ask(statement, values)),
    transact: (steps, until = endsMs()) =>
      waited({ ...asker, use }, until, (session) => inTransaction(session, steps)),
  })
  return {
    ...primary,
    ...using('other'),
    health: pulse,
    endsMs,
    using,
    look: async () => {
      const askedAtMs = parts.clock.nowMs()
      const { nowMs } = await onConnection(CHECK_CALLER, endsMs(), (session, { server }) =>
        confirmed(parts, session, server),
      )
      noteSkew(parts, pulse, nowMs - (askedAtMs + parts.clock.nowMs()) / 2)
    },
  }
}

/** Whether an error comes from the server. False for a lack of free connections on this instance. */
function isServerError(error: unknown): error is PostgresError {
  return error instanceof PostgresError && !(error instanceof CrowdedError)
}

/** Counts a call that got no connection; returns the error. */
function countCrowdedError({ crowded }: Pulse, error: unknown): unknown {
  if (error instanceof CrowdedError) crowded()
  return error
}

/** A pulse that also logs calls that got no connection: the first call at once, further calls as a count per minute. */
function withCrowdedLog(pulse: Pulse, { log, monotonicMs }: LinkOptions): Pulse {
  let [calls, loggedMs] = [0, Number.NEGATIVE_INFINITY]
  const logDue = () => {
    if (calls === 0 || monotonicMs() - loggedMs < MINUTE_MS) return
    log.warn('engine_crowded', { engine: 'postgres', calls })
    calls = 0
    loggedMs = monotonicMs()
  }
  const crowded = () => {
    pulse.crowded()
    calls += 1
    logDue()
  }
  const answered = (tookMs: number) => {
    pulse.answered(tookMs)
    logDue()
  }
  return { ...pulse, crowded, answered }
}

/**
 * Whether the error means that the server is silent. A timeout of a voucher query does not mean silence, because
 * voucher transactions can wait for each other's locks.
 */
function isServerSilent({ fault, isLost }: PostgresError, { use }: Caller): boolean {
  return fault === 'timeout' && isLost && use !== 'vouchers'
}

/**
 * Checks the server again. Throws PostgresError if a different server answers, or if writes to the server are no longer
 * allowed.
 */
async function confirmed(
  { confirm, place }: LinkOptions,
  session: Session,
  server: Server,
): Promise<Server> {
  const seen = await readServer(session, place.hosts.length)
  if (seen.run !== server.run) throw new PostgresError('lost', false, true)
  await confirm(session, seen)
  return seen
}

type Pulse = ReturnType<typeof createEngineHealth>

function noteSkew({ log }: LinkOptions, pulse: Pulse, skewMs: number): void {
  const wasFar = Math.abs(pulse.clockSkewMs() ?? 0) >= LIMITS.engineSkewWarnMs
  const isFar = Math.abs(skewMs) >= LIMITS.engineSkewWarnMs
  pulse.clockRead(skewMs)
  if (isFar && !wasFar)
    log.warn('engine_clock_skew', { engine: 'postgres', skewMs: Math.round(skewMs) })
}

/** Gives the connection back after the work, or closes it if the work failed with `isLost`. */
async function useConnection<Value>(
  { release }: PooledConnection,
  work: Promise<Value>,
): Promise<Value> {
  try {
    const value = await work
    release()
    return value
  } catch (error) {
    release(error instanceof PostgresError && error.isLost)
    throw error
  }
}

/** The queries of a table. All throw Failure `store_unavailable` if PostgreSQL does not answer. */
export type Queries = Pick<Asking, 'transact'> & {
  readonly rows: <Row extends object, Bound extends ListedValues>(
    statement: Statement<Row, Bound>,
    values: NoInfer<Bound>,
  ) => Promise<readonly Row[]>
  /** The first row; null without rows. */
  readonly row: <Row extends object, Bound extends ListedValues>(
    statement: Statement<Row, Bound>,
    values: NoInfer<Bound>,
  ) => Promise<Row | null>
  /** The number of changed rows. */
  readonly change: <Bound extends ListedValues>(
    statement: Statement<object, Bound>,
    values: NoInfer<Bound>,
  ) => Promise<number>
}

export function guardedQueries({ ask, transact }: Pick<Link, 'ask' | 'transact'>): Queries {
  return {
    rows: async (statement, values) => (await awaitPostgres(ask(statement, values))).rows,
    row: async (statement, values) => (await awaitPostgres(ask(statement, values))).rows[0] ?? null,
    change: async (statement, values) => (await awaitPostgres(ask(statement, values))).count,
    transact: (steps) => awaitPostgres(transact(steps)),
  }
}
