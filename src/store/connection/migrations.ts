import type { Database } from 'bun:sqlite'
import agentJournal from '../agent-journal.sql' with { type: 'text' }
import journalOwners from '../agent-journal-owners.sql' with { type: 'text' }
import approvals from '../approvals.sql' with { type: 'text' }
import approvalsOfAccounts from '../approvals-of-accounts.sql' with { type: 'text' }
import askers from '../askers.sql' with { type: 'text' }
import appendedClaims from '../claims/append-only.sql' with { type: 'text' }
import claimOwners from '../claims/owners.sql' with { type: 'text' }
import claimRecords from '../claims/records.sql' with { type: 'text' }
import spendingOfOrders from '../claims/spending-of-orders.sql' with { type: 'text' }
import spendingOfWrites from '../claims/spending-of-writes.sql' with { type: 'text' }
import spendingSums from '../claims/spending-sums.sql' with { type: 'text' }
import commits from '../commits.sql' with { type: 'text' }
import beganCommits from '../commits-began.sql' with { type: 'text' }
import mandates from '../mandates.sql' with { type: 'text' }
import signedMandates from '../mandates-signed.sql' with { type: 'text' }
import operator from '../operator.sql' with { type: 'text' }
import schema from '../schema.sql' with { type: 'text' }
import standbys from '../standbys.sql' with { type: 'text' }
import traffic from '../traffic.sql' with { type: 'text' }
import holds from '../voucher/holds.sql' with { type: 'text' }
import vouchers from '../voucher/schema.sql' with { type: 'text' }
import webhooks from '../webhooks.sql' with { type: 'text' }

/**
 * Changes no table, only the file's version: entities now store money in a tagged form, which an earlier build would
 * misread as text.
 */
const TAGGED_ENTITIES = 'UPDATE entities SET kind = kind WHERE FALSE'

/**
 * Changes no table, only the file's version: secrets are now encrypted, and an earlier build would sign messages with
 * the ciphertext.
 */
const ENCRYPTED_SECRETS = 'UPDATE webhooks SET secret = secret WHERE FALSE'

/** The row at index n migrates a file from version n to version n + 1. Rows are appended and stay unchanged. */
const MIGRATIONS: readonly { readonly name: string; readonly statements: string }[] = [
  { name: 'first tables', statements: schema },
  { name: 'vouchers', statements: vouchers },
  { name: 'versions of entities', statements: TAGGED_ENTITIES },
  { name: 'numbered commits', statements: commits },
  { name: 'holds of vouchers', statements: holds },
  { name: 'controls and audit', statements: operator },
  { name: 'claims in the order they were made', statements: appendedClaims },
  { name: 'records of claims', statements: claimRecords },
  { name: 'standby cancels', statements: standbys },
  { name: 'mandates', statements: mandates },
  { name: 'spending', statements: spendingOfWrites },
  { name: 'journal of agents', statements: agentJournal },
  { name: 'approvals', statements: approvals },
  { name: 'spending of orders', statements: spendingOfOrders },
  { name: 'webhooks of accounts', statements: webhooks },
  { name: 'traffic', statements: traffic },
  { name: 'sums of spending', statements: spendingSums },
  { name: 'approvals of accounts', statements: approvalsOfAccounts },
  { name: 'signatures of mandates', statements: signedMandates },
  { name: 'owners of claims', statements: claimOwners },
  { name: 'beginning of a store', statements: beganCommits },
  { name: 'encrypted webhook secrets', statements: ENCRYPTED_SECRETS },
  { name: 'shares of the journal', statements: journalOwners },
  { name: 'askers of approvals', statements: askers },
]

/** The file version that this build writes. */
export const KNOWN_VERSION = MIGRATIONS.length

/** From this version on claims carry the numbers of commits. */
export const NUMBERED_CLAIMS_VERSION = 7

/** The file was written by a later version with unknown tables. */
export class StoreNewerError extends Error {
  override readonly name = 'StoreNewerError'
  constructor(path: string, version: number, known: number = MIGRATIONS.length) {
    super(
      `${path} was written by a newer prepd (store version ${version}, this one knows ${known})`,
    )
  }
}

/** Migrates a file to the latest version in one transaction. Throws StoreNewerError. */
export function migrate(database: Database, path: string): void {
  if (!migrateTo(database, MIGRATIONS.length))
    throw new StoreNewerError(path, readUserVersion(database))
}

/** Migrates a database to a version in one transaction. False if its version or the target is unknown. */
export function migrateTo(database: Database, to: number): boolean {
  const version = readUserVersion(database)
  if (version > to || to > MIGRATIONS.length) return false
  const missing = MIGRATIONS.slice(version, to)
  if (missing.length === 0) return true
  database.transaction(() => {
    for (const { statements } of missing) database.run(statements)
    database.run(`PRAGMA user_version = ${to}`)
  })()
  return true
}

/** The names of the migrations after a version. */
export function migrationNames(from: number): readonly string[] {
  return MIGRATIONS.slice(from).map(({ name }) => name)
}

export function readUserVersion(database: Database): number {
  const row = database.query<{ user_version: number }, []>('PRAGMA user_version').get()
  return row?.user_version ?? 0
}
