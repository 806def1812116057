import { statement } from '../../store/connection/statement.ts'
import agentJournal from './agent-journal.sql' with { type: 'text' }
import journalOwners from './agent-journal-owners.sql' with { type: 'text' }
import approvals from './approvals.sql' with { type: 'text' }
import approvalsOfAccounts from './approvals-of-accounts.sql' with { type: 'text' }
import askers from './askers.sql' with { type: 'text' }
import branches from './branches.sql' with { type: 'text' }
import { inTransaction, type Session } from './connection.ts'
import { SchemaNewerError } from './errors.ts'
import losses from './losses.sql' with { type: 'text' }
import mandates from './mandates.sql' with { type: 'text' }
import signedMandates from './mandates-signed.sql' with { type: 'text' }
import marks from './marks.sql' with { type: 'text' }
import records from './records.sql' with { type: 'text' }
import schema from './schema.sql' with { type: 'text' }
import signedClaims from './signed-claims.sql' with { type: 'text' }
import signers from './signers.sql' with { type: 'text' }
import spending from './spending.sql' with { type: 'text' }
import spendingOfOrders from './spending-of-orders.sql' with { type: 'text' }
import spendingSums from './spending-sums.sql' with { type: 'text' }
import standbys from './standbys.sql' with { type: 'text' }
import traffic from './traffic.sql' with { type: 'text' }
import vouchers from './vouchers.sql' with { type: 'text' }
import webhooks from './webhooks.sql' with { type: 'text' }
import witnesses from './witnesses.sql' with { type: 'text' }

type Step = {
  readonly name: string
  readonly statements: string
  /** Set if an earlier version can no longer open the tables after this step. Its running processes continue. */
  readonly endsEarlier?: true
}

/**
 * Each row migrates a database from the version that equals its index to the next. Rows are appended and stay
 * unchanged.
 */
const MIGRATIONS: readonly Step[] = [
  { name: 'first tables', statements: schema },
  { name: 'vouchers', statements: vouchers },
  { name: 'marks of deployments', statements: marks },
  { name: 'signers of vouchers', statements: signers },
  { name: 'records of claims', statements: records },
  { name: 'standby cancels', statements: standbys },
  { name: 'mandates', statements: mandates },
  { name: 'spending', statements: spending },
  { name: 'journal of agents', statements: agentJournal },
  { name: 'approvals', statements: approvals },
  { name: 'spending of orders', statements: spendingOfOrders },
  // An earlier version cannot see signed claims, so it would take their numbers for lost commits.
  { name: 'signed claims', statements: signedClaims, endsEarlier: true },
  { name: 'webhooks of accounts', statements: webhooks },
  { name: 'traffic of instances', statements: traffic },
  { name: 'sums of spending', statements: spendingSums },
  { name: 'approvals of accounts', statements: approvalsOfAccounts },
  { name: 'signatures of mandates', statements: signedMandates },
  { name: 'shares of the journal', statements: journalOwners },
  { name: 'losses of records', statements: losses },
  { name: 'branches of histories', statements: branches },
  { name: 'askers of approvals', statements: askers },
  { name: 'witnesses of histories', statements: witnesses },
]
const OLDEST_COMPATIBLE_VERSION = MIGRATIONS.findLastIndex(({ endsEarlier }) => endsEarlier) + 1

/** The key of an advisory lock: an arbitrary number that other programs on this database are unlikely to use. */
const LOCK = 0x70726570

const SCHEMA_EXISTS = statement<{ isThere: boolean }>(
  `SELECT to_regclass('prepd_schema') IS NOT NULL AS "isThere"`,
)
/** The version of the tables, and the lowest version that a program must know to use them. */
type Version = { readonly version: number; readonly worksWith: number }
const VERSION = statement<Version>('SELECT version, works_with AS "worksWith" FROM prepd_schema')

/** The result of a migration: the versions before and after, and the names of the steps between these versions. */
type Migration = { readonly from: number; readonly to: number; readonly changes: string }

/**
 * Migrates a database to the latest version, one instance at a time and one transaction per step. Steps only add, so
 * earlier versions keep working until a step sets `endsEarlier`. Returns null if no migration was due. Throws
 * SchemaNewerError if the tables are too new for this version.
 */
export async function migratePostgres(session: Session): Promise<Migration | null> {
  const { version, worksWith } = await readSchemaVersion(session)
  if (worksWith > MIGRATIONS.length)
    throw new SchemaNewerError(
      `the database is of a newer prepd (its tables are of version ${version})`,
    )
  return version < MIGRATIONS.length ? inTransaction(session, applyMigrations) : null
}

async function applyMigrations(session: Session): Promise<Migration | null> {
  await session.run(`SELECT pg_advisory_xact_lock(${LOCK})`)
  await session.run(
    `CREATE TABLE IF NOT EXISTS prepd_schema (
       id int PRIMARY KEY CHECK (id = 0), version int NOT NULL, works_with int NOT NULL);
     INSERT INTO prepd_schema VALUES (0, 0, 1) ON CONFLICT DO NOTHING`,
  )
  const { version } = await readSchemaVersion(session)
  const missing = MIGRATIONS.slice(version)
  if (missing.length === 0) return null
  for (const { statements } of missing) await session.run(statements)
  await session.run(
    `UPDATE prepd_schema SET version = ${MIGRATIONS.length}, works_with = ${OLDEST_COMPATIBLE_VERSION}`,
  )
  return {
    from: version,
    to: MIGRATIONS.length,
    changes: missing.map(({ name }) => name).join(', '),
  }
}

async function readSchemaVersion(session: Session): Promise<Version> {
  const { rows: found } = await session.ask(SCHEMA_EXISTS, {})
  if (!found[0]?.isThere) return { version: 0, worksWith: 1 }
  const { rows } = await session.ask(VERSION, {})
  return rows[0] ?? { version: 0, worksWith: 1 }
}
