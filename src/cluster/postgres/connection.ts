import pg, { type ClientBase, type ClientConfig } from 'pg'
import { LIMITS } from '../../contract/limits.ts'
import { defaultOnFailure, guarded } from '../../core/loop/guarded.ts'
import type { EngineHost, PostgresEndpoint } from '../../core/settings/engine-urls.ts'
import { readBounded } from '../../core/settings/files.ts'
import type { ListedValues, Statement } from '../../store/connection/statement.ts'
import { ignoreConnectionLoss, PostgresError, postgresError } from './errors.ts'

/** PostgreSQL ends a transaction that is idle for this long. */
export const IDLE_IN_TRANSACTION_MAX_MS = 5 * LIMITS.postgresWaitMaxMs

/** The configuration of a connection. Sets every option, so that the driver reads no environment variables (`PG…`). */
export function clientConfig(place: PostgresEndpoint, { host, port }: EngineHost): ClientConfig {
  const { user, password, database, tls, waitMaxMs } = place
  return {
    host,
    port,
    user,
    password,
    database,
    ssl: tls !== null && {
      rejectUnauthorized: true,
      ...(tls.caPath !== null && { ca: readBounded(tls.caPath) }),
    },
    application_name: 'prepd',
    options: '',
    keepAlive: true,
    connectionTimeoutMillis: waitMaxMs,
    query_timeout: waitMaxMs,
    statement_timeout: waitMaxMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MAX_MS,
    types: { getTypeParser: columnParser },
  }
}

/** Parses 64-bit integers as numbers: times, sequences and counts all stay below 2^53. */
const columnParser: typeof pg.types.getTypeParser = (type: number, format) =>
  type === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(type, format)

type AnsweredRows<Row> = { readonly rows: readonly Row[]; readonly count: number }

/** One connection, which runs one query at a time. */
export type Session = {
  readonly ask: <Row extends object, Bound extends ListedValues>(
    statement: Statement<Row, Bound>,
    values: NoInfer<Bound>,
  ) => Promise<AnsweredRows<Row>>
  /** Runs a script of several statements, without values or rows. */
  readonly run: (script: string) => Promise<void>
}

/** Queries on a connection, each with a timeout of `waitMaxMs`. Throws PostgresError. */
export function clientSession(client: ClientBase, waitMaxMs: number): Session {
  return {
    ask: async <Row extends object>(
      statement: Statement<Row, ListedValues>,
      given: ListedValues,
    ) => {
      const { name, text, members } = toPositional(statement.text)
      const values = members.map((member) => requireValue(given, member))
      const query = { name, text, values, query_timeout: waitMaxMs }
      const { rows, rowCount } = await client.query<Row>(query).catch(refuse)
      return { rows, count: rowCount ?? 0 }
    },
    run: async (script) => void (await client.query(script).catch(refuse)),
  }
}

/** A statement in PostgreSQL's form: its text with numbered parameters, and the name under which a connection prepares it. */
type PositionalStatement = {
  readonly name: string
  readonly text: string
  readonly members: readonly string[]
}

const positionalStatements = new Map<string, PositionalStatement>()

function toPositional(sql: string): PositionalStatement {
  const before = positionalStatements.get(sql)
  if (before) return before
  const members: string[] = []
  const text = sql.replace(/\$(\w+)/g, (_, member: string) => {
    const at = members.indexOf(member)
    return `$${at < 0 ? members.push(member) : at + 1}`
  })
  const made = { name: Bun.hash(text).toString(36), text, members }
  positionalStatements.set(sql, made)
  return made
}

/** Throws for a missing value, which PostgreSQL would take for null. */
function requireValue(given: ListedValues, member: string): ListedValues[string] {
  const value = given[member]
  if (value === undefined) throw new RangeError(`a statement without its value of $${member}`)
  return value
}

function refuse(error: unknown): never {
  throw postgresError(error, true)
}

/** Uses a connection of its own, which is closed afterwards. Throws PostgresError if it cannot be opened. */
export async function withConnection<Value>(
  config: ClientConfig,
  use: (client: ClientBase) => Promise<Value>,
): Promise<Value> {
  const client = new pg.Client(config)
  client.on('error', guarded('store', ignoreConnectionLoss))
  try {
    await client.connect().catch((error: unknown) => {
      throw postgresError(error, false)
    })
    return await use(client)
  } finally {
    client.end().catch(ignoreConnectionLoss)
  }
}

/** SQL that deletes the rows of a table that meet a condition, except rows that a concurrent instance has locked. */
export function deleteUnlocked(table: string, condition: string): string {
  return `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${table} WHERE ${condition} FOR UPDATE SKIP LOCKED))`
}

/** Runs the steps as one transaction, which an error rolls back. */
export async function inTransaction<Value>(
  session: Session,
  steps: (session: Session) => Promise<Value>,
): Promise<Value> {
  await session.run('BEGIN')
  try {
    const value = await steps(session)
    await session.run('COMMIT')
    return value
  } catch (error) {
    // PostgreSQL rolls back by itself when it loses the connection.
    await session.run('ROLLBACK').catch(defaultOnFailure('store', undefined, PostgresError))
    throw error
  }
}
