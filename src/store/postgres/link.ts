import type { Pool, PoolClient } from 'pg'
import { createPulse, type EngineFault, type EngineHealth } from '../../core/engines/health.ts'
import { createWaits } from '../../core/engines/waits.ts'
import { after } from '../../core/loop/guarded.ts'
import { makeRoom } from '../../core/loop/reserve.ts'
import type { World } from '../../core/ports.ts'
import { LIMITS } from '../../spec/limits.ts'
import { type Session, type Statement, sessionOf, type Values, within } from './connection.ts'
import { openPresence, type Presence } from './presence.ts'
import type { Found, Search } from './search.ts'
import { lookAt } from './server.ts'
import { PostgresError, postgresError, reasonOf } from './trouble.ts'

/** Questions to whichever server takes writes. All throw PostgresError, within the time that a request may wait. */
export type Link = Pick<Presence, 'generation' | 'close'> & {
  readonly health: EngineHealth
  /** When the request that the running code works for has waited for long enough, on the monotonic clock. */
  readonly endsMs: () => number
  readonly ask: <Row extends object>(
    statement: Statement,
    values?: Values,
    endsMs?: number,
  ) => Promise<{ readonly rows: readonly Row[]; readonly count: number }>
  /** Runs the steps as one transaction; a throw, which may be theirs, undoes them all. */
  readonly transact: <Value>(steps: (session: Session) => Promise<Value>) => Promise<Value>
  /** Reads the server's clock, and so sees whether it is there and still the one to write to. */
  readonly look: () => Promise<void>
}

/** Of the time that a request may wait, what is left for the answer when a connection is there: less is not begun with. */
const ANSWER_MIN_MS = 300
/** So many questions in a row without an answer, and the server is looked for again. */
const TIMEOUTS_MAX = 3
/** Faults after which nothing more is asked of a server. */
const ENDS: readonly EngineFault[] = ['lost', 'fenced']

type Parts = Pick<World, 'clock' | 'monotonicMs' | 'log'> &
  Search & {
    /** Judges the server again. Throws PostgresError where it is to be written to no more. */
    readonly confirm: () => Promise<void>
  }

/** Opens the connections to PostgreSQL. Throws what only the operator can mend, such as a wrong password. */
export async function openLink(parts: Parts): Promise<Link> {
  const { monotonicMs } = parts
  const pulse = createPulse('postgres')
  const waits = createWaits(monotonicMs, LIMITS.postgresWaitMaxMs)
  const presence = await openPresence({ ...parts, pulse })

  let timeouts = 0

  /** Works on a connection that nobody else uses meanwhile. */
  async function onConnection<Value>(
    endsMs: number,
    work: (session: Session, found: Found) => Promise<Value>,
  ): Promise<Value> {
    const found = await presence.server(endsMs - ANSWER_MIN_MS)
    const startedMs = monotonicMs()
    try {
      const client = await connected(found.pool, endsMs - ANSWER_MIN_MS - startedMs)
      const value = await used(client, work(sessionOf(client, endsMs - monotonicMs()), found))
      pulse.answered(monotonicMs() - startedMs)
      timeouts = 0
      return value
    } catch (error) {
      if (!(error instanceof PostgresError)) throw error
      pulse.failed(error.fault, monotonicMs() - startedMs, reasonOf(error))
      if (error.fault === 'timeout') timeouts += 1
      if (ENDS.includes(error.fault) || timeouts >= TIMEOUTS_MAX) presence.lose(found)
      throw error
    }
  }

  async function waited<Value>(
    endsMs: number,
    work: (session: Session) => Promise<Value>,
  ): Promise<Value> {
    if (endsMs - ANSWER_MIN_MS <= monotonicMs()) throw new PostgresError('timeout', false, false)
    return waits.counted(() => onConnection(endsMs, work))
  }

  const endsMs = () => monotonicMs() + waits.leftMs()
  return {
    ...presence,
    health: pulse,
    endsMs,
    ask: (statement, values, until = endsMs()) =>
      waited(until, (session) => session.ask(statement, values)),
    transact: (steps) => waited(endsMs(), (session) => within(session, steps)),
    look: async () => {
      const askedAtMs = parts.clock.nowMs()
      const { nowMs } = await onConnection(endsMs(), async (session, { server }) => {
        const seen = await lookAt(session)
        if (seen.run !== server.run) throw new PostgresError('lost', false, true)
        await parts.confirm()
        return seen
      })
      noteSkew(parts, pulse, nowMs - (askedAtMs + parts.clock.nowMs()) / 2)
    },
  }
}

type Pulse = ReturnType<typeof createPulse>

function noteSkew({ log }: Parts, pulse: Pulse, skewMs: number): void {
  const wasFar = Math.abs(pulse.clockSkewMs() ?? 0) >= LIMITS.engineSkewWarnMs
  const isFar = Math.abs(skewMs) >= LIMITS.engineSkewWarnMs
  pulse.clockRead(skewMs)
  if (isFar && !wasFar)
    log.warn('engine_clock_skew', { engine: 'postgres', skewMs: Math.round(skewMs) })
}

/** A connection within so many milliseconds; one that comes later goes back. Throws PostgresError. */
async function connected(pool: Pool, waitMs: number): Promise<PoolClient> {
  const late = Promise.withResolvers<never>()
  const timer = after('store', Math.max(1, waitMs), () => late.reject(new Error('timeout')))
  makeRoom()
  const coming = pool.connect()
  try {
    return await Promise.race([coming, late.promise])
  } catch (error) {
    coming.then(
      (client) => client.release(),
      () => undefined,
    )
    throw postgresError(error, false)
  } finally {
    clearTimeout(timer)
  }
}

/** Gives the connection back after the work, or ends it with whatever it is still doing. */
async function used<Value>(client: PoolClient, work: Promise<Value>): Promise<Value> {
  try {
    const value = await work
    client.release()
    return value
  } catch (error) {
    client.release(error instanceof PostgresError && error.isLost)
    throw error
  }
}
