import type { FenceReason } from '../../core/engines/database.ts'
import type { EngineFault } from '../../core/engines/health.ts'
import { Failure } from '../../core/failure.ts'
import { systemErrorCode } from '../../core/loop/guarded.ts'

/** A query that failed. */
export class PostgresError extends Error {
  override readonly name: string = 'PostgresError'
  readonly fault: EngineFault
  /** Whether PostgreSQL may have run the query; false only if it certainly did not. */
  readonly isSent: boolean
  /** Whether the connection must be closed. */
  readonly isLost: boolean
  constructor(fault: EngineFault, isSent: boolean, isLost: boolean, options?: ErrorOptions) {
    super(unreachableCause(options?.cause) ?? `postgres ${fault}`, options)
    this.fault = fault
    this.isSent = isSent
    this.isLost = isLost
  }
}

const FENCE_REASONS: Readonly<Record<FenceReason, string>> = {
  timeline: 'it is on an earlier timeline than the server to which other instances write',
  branch: 'other instances write to another server that was promoted at the same time',
  cluster: 'other instances write to another cluster',
  deployment: 'other instances have, or had within ten minutes, another database, venue or broker',
  unwitnessed:
    'nothing here knows what it should have, so instances that may know it go first, for five seconds',
  leased:
    'instances at its predecessor, or before Valkey started anew, may write for three seconds more',
  witness: 'Valkey has started anew, or another instance that still runs uses another Valkey',
  unconfirmed:
    'it may have been replaced: it has no synchronous standby for all commits, and Valkey cannot confirm that it is the newest',
}

/** The server would accept writes but must not get any for now. `reason` is a sentence for the operator. */
export class FencedError extends PostgresError {
  readonly reason: string
  constructor(kind: FenceReason) {
    super('fenced', false, true)
    this.reason = FENCE_REASONS[kind]
    this.message = `PostgreSQL is not written to: ${this.reason}`
  }
}

/** The reason of an error for the operator, beyond its fault; undefined without a reason. */
export function fencedReason(error: unknown): string | undefined {
  return error instanceof FencedError ? error.reason : undefined
}

/** This instance had no free connection in time. Says nothing about the server. */
export class CrowdedError extends PostgresError {
  override readonly name: string = 'CrowdedError'
  constructor() {
    super('crowded', false, false)
  }
}

/** A connection pooler in front of the server drops the settings of connections. */
export class PoolerError extends PostgresError {
  override readonly name: string = 'PoolerError'
  constructor(options?: ErrorOptions) {
    super('refused', false, true, options)
  }
}

/** A later version has migrated the database to tables that this version does not know. */
export class SchemaNewerError extends Error {
  override readonly name = 'SchemaNewerError'
}

/** SQLSTATE of a server that refuses all queries: it is stopping, starting, or read-only. */
const NOT_SERVING = /^(?:08|57P0|25006)/
const CANCELLED = '57014'
/** SQLSTATE of faults that a retry cannot fix: password, database, privileges. */
const PERMANENT_STATES = /^(?:28|3D000|42501)/

/** Faults that the operator has to fix, by the SQLSTATE or by the error of the connection. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/^28P01$/, 'it refuses the role or its password'],
  [/^28000$/, 'its pg_hba.conf does not let the role in from here, or not without TLS'],
  [/^3D000$/, 'it has no such database'],
  [/^42501$/, 'the role lacks a right'],
  [/^08P01$/, 'a pooler stands before it that passes on no settings of a connection'],
  [/^53300$/, 'it has no free connection'],
  [/does not support SSL/, 'it takes no TLS, which sslmode=verify-full asks for'],
  [/CERT|SELF_SIGNED|ALTNAME|^ERR_(?:TLS|SSL)/, 'its TLS certificate is not trusted'],
]

/** Why PostgreSQL was not reached, as text for the operator with the SQLSTATE; null if unknown. */
export function unreachableCause(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if (error instanceof PostgresError) return unreachableCause(error.cause)
  const state = sqlState(error)
  const given = [state, systemErrorCode(error), error.message]
  const known = CAUSES.find(([pattern]) => given.some((text) => pattern.test(text)))
  const suffix = state === '' ? '' : ` (SQLSTATE ${state})`
  if (known) return known[1] + suffix
  return state === '' ? null : `${withoutValues(error.message)}${suffix}`
}

/** Matches quoted text, except the name of a database object that follows its kind. Such text can be a caller's value. */
const QUOTED_VALUE =
  /(?<!\b(?:column|constraint|database|index|relation|role|schema|table) )"[^"]*"/g

/** PostgreSQL's message without quoted values. */
function withoutValues(message: string): string {
  return message.replace(QUOTED_VALUE, '"…"')
}

/** SQLSTATE of a pooler that refuses the settings of a connection. */
const SETTINGS_REFUSED = '08P01'

/** PostgreSQL's SQLSTATE; '' if the connection itself failed. */
export function sqlState(error: unknown): string {
  const given = error instanceof PostgresError ? error.cause : error
  const code = systemErrorCode(given)
  return /^[0-9A-Z]{5}$/.test(code) ? code : ''
}

/** Converts a driver's error. Returns a PostgresError unchanged. */
export function postgresError(error: unknown, isSent: boolean): PostgresError {
  if (error instanceof PostgresError) return error
  const state = sqlState(error)
  const options = { cause: error }
  if (state === SETTINGS_REFUSED && !isSent) return new PoolerError(options)
  if (state === CANCELLED) return new PostgresError('timeout', isSent, false, options)
  if (state !== '' && !NOT_SERVING.test(state))
    return new PostgresError('refused', isSent, false, options)
  const isLate = error instanceof Error && /time ?out/i.test(error.message)
  return new PostgresError(isLate ? 'timeout' : 'lost', isSent, true, options)
}

/** Whether a start should fail, because only the operator can fix the error. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof SchemaNewerError || error instanceof PoolerError) return true
  return PERMANENT_STATES.test(sqlState(error))
}

/** Awaits an answer of PostgreSQL. Throws Failure `store_unavailable` if there is no answer. */
export async function awaitPostgres<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (error) {
    throw toStoreFailure(error)
  }
}

/** Converts a PostgresError to the failure for callers. Returns other errors unchanged. */
function toStoreFailure(error: unknown): unknown {
  if (!(error instanceof PostgresError)) return error
  return new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause: error })
}

/** Ignores the loss of a connection. */
export function ignoreConnectionLoss(): void {
  // The next query on the connection reports the loss.
}
