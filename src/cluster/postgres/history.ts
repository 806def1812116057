import type { Claim } from '../../core/claim.ts'
import type { AheadClaim, DatabaseMarks } from '../../core/engines/database.ts'
import { LOSS_CONTROL, type Loss } from '../../core/loss.ts'
import { statement } from '../../store/connection/statement.ts'
import { controlStatements } from '../../store/controls.ts'
import { inTransaction, type Session } from './connection.ts'
import { assertPublished } from './own-claims.ts'
import { recordSeenServer, type SeenServer } from './witnesses.ts'

const MAKE = statement<object, { history: string }>(
  `INSERT INTO prepd_lineage (id, lineage, lost_at) VALUES (0, $history, to_timestamp(0))
    ON CONFLICT (id) DO NOTHING`,
)
/** Starts a new branch if the history is new to this database. */
const BRANCH = statement<object, { history: string; branch: string }>(
  'UPDATE prepd_lineage SET branch = $branch, branch_of = $history WHERE branch_of <> $history',
)
const BEGIN = statement<object, { history: string }>(
  'UPDATE prepd_lineage SET lineage = $history, began_at = clock_timestamp()',
)
const READ = statement<DatabaseHistory>(
  `SELECT deployment, branch, run, witness, has_standby AS "hasStandby", lineage AS history, (extract(epoch FROM lost_at) * 1000)::float8 AS "lostAtMs",
      (extract(epoch FROM records_lost_at) * 1000)::float8 AS "recordsLostAtMs",
      (extract(epoch FROM began_at) * 1000)::float8 AS "beganMs",
      greatest(claims, (SELECT max(number) FROM prepd_claims),
        (SELECT max(number) FROM prepd_signed_claims)) AS claims,
      (SELECT coalesce(max(id), 0) FROM prepd_voucher_audit) AS vouchers,
      EXISTS (SELECT 1 FROM prepd_voucher_audit WHERE event <> 'lost') AS "hasVouchers",
      coalesce((SELECT id FROM prepd_voucher_audit WHERE event = 'lost'
        ORDER BY id DESC LIMIT 1), 0) AS "pauseId"
    FROM prepd_lineage`,
)
const LOCK = statement('SELECT 1 FROM prepd_lineage FOR UPDATE')
type LossValues = {
  readonly history: string
  readonly claims: number
  readonly untilMs: number
  readonly hasLostRecords: boolean
}
const LOSE = statement<object, LossValues>(
  `UPDATE prepd_lineage SET lineage = $history, claims = greatest(claims, $claims::bigint),
    records_lost_at = CASE WHEN $hasLostRecords::boolean THEN clock_timestamp() ELSE records_lost_at END,
    lost_at = greatest(lost_at, to_timestamp($untilMs::float8 / 1000),
      CASE WHEN $hasLostRecords THEN clock_timestamp() ELSE lost_at END)`,
)
/** Advances the sequences past the lost numbers. */
const SKIP = statement<object, CommittedMarks>(
  `SELECT setval(numbers, greatest(past, nextval(numbers))) FROM (VALUES
      (pg_get_serial_sequence('prepd_claims', 'number')::regclass, $claims::bigint),
      (pg_get_serial_sequence('prepd_voucher_audit', 'id')::regclass, $vouchers::bigint)
    ) AS behind (numbers, past)`,
)
const CONTROLS = controlStatements('prepd_')
const PAUSE = statement(
  `INSERT INTO prepd_voucher_audit (at_ms, event)
    VALUES ((extract(epoch FROM clock_timestamp()) * 1000)::bigint, 'lost')`,
)

/** The highest committed numbers that a database itself contains. */
export type CommittedMarks = Pick<DatabaseMarks, 'claims' | 'vouchers'>

/** The times at which a database lost records, in milliseconds since the epoch; 0 without a loss. */
export type DatabaseLosses = {
  /** The highest timestamp that a claim in a lost commit can have had. */
  readonly lostAtMs: number
  /** The time, by the database's clock, of the last check that found records missing or possibly missing. */
  readonly recordsLostAtMs: number
  /**
   * The time at which the database was created empty. An instance with a different database may have sent writes that
   * were signed earlier.
   */
  readonly beganMs: number
}

/** Whether the claim may already have been made in a commit that was lost. */
export function isLost(
  { sinceMs, isSigned = false, isRepeatable = false }: Claim,
  { lostAtMs, beganMs }: DatabaseLosses,
): boolean {
  return !isRepeatable && (sinceMs <= lostAtMs || (isSigned && sinceMs < beganMs))
}

/** The history of a database, as recorded in the database. */
export type DatabaseHistory = CommittedMarks &
  DatabaseLosses & {
    /** The random id of the database. */
    readonly deployment: string
    /** The history of commits that the database last recorded. */
    readonly history: string
    /** The random id of the database's branch of the history. */
    readonly branch: string
    /** The server run to which an instance was last admitted. */
    readonly run: string
    /** The id of the registry (witness) under which an instance was last admitted; '' before the first admission. */
    readonly witness: string
    /** Whether the database's servers have ever had a standby. */
    readonly hasStandby: boolean
    /** Whether the audit log of vouchers has an entry other than losses. */
    readonly hasVouchers: boolean
    /**
     * The number of the last audit entry that records a pause of vouchers because of a loss; 0 without such an entry.
     */
    readonly pauseId: number
  }

/**
 * Reads the history of a database. A new database starts with the server's history; a history that is new to the
 * database starts a new branch. Throws PostgresError.
 */
export async function ensureHistory(
  session: Session,
  { history, branch }: { readonly history: string; readonly branch: string },
): Promise<DatabaseHistory> {
  await session.ask(MAKE, { history })
  await session.ask(BRANCH, { history, branch })
  return read(session)
}

/** The state that a server's database should have. */
export type ExpectedDatabase = SeenServer & {
  readonly history: string
  /** Whether this instance or the registry knows the database's marks (highest numbers). */
  readonly isWitnessed: boolean
  readonly marks: DatabaseMarks
  /**
   * For a state of the database, the latest timestamp of writes that may have been sent under lost claims. Throws
   * PostgresError.
   */
  readonly untilMs: (found: DatabaseHistory) => number
  /** Published claims with later timestamps, which are restored if the database lost commits or may have lost some. */
  readonly published: readonly AheadClaim[]
  /** Whether this database is new to this instance. The marks (highest known numbers) then come from peers only. */
  readonly isStranger: boolean
}

/**
 * Records a loss if the database continues a different history, or if its numbers are below the marks (highest known
 * numbers). Returns the resulting history. After a loss
 * - nonces are deleted, because they may have been used,
 * - a database that is behind pauses vouchers until the operator adopts it,
 * - writes stop until the operator confirms, if records are missing or no instance knows the marks.
 */
export async function recordDatabaseLoss(
  session: Session,
  expected: ExpectedDatabase,
): Promise<DatabaseHistory> {
  const { history, untilMs } = expected
  const isWhole = (found: DatabaseHistory) =>
    found.history === history &&
    !isBehind(found, expected.marks) &&
    !isUnwitnessed(found, expected) &&
    (found.run === expected.run || expected.published.length === 0) &&
    untilMs(found) <= found.lostAtMs
  const first = await read(session)
  if (isWhole(first)) {
    await recordSeenServer(session, expected, first.witness)
    return first
  }
  return inTransaction(session, async () => {
    await session.ask(LOCK, {})
    const found = await read(session)
    if (!isWhole(found)) await record(session, found, expected)
    return read(session)
  })
}

/** Records the losses of a database. For an empty database with unknown marks (highest numbers), records its start. */
async function record(
  session: Session,
  found: DatabaseHistory,
  expected: ExpectedDatabase,
): Promise<void> {
  const { history } = expected
  const untilMs = expected.untilMs(found)
  const isUnknown = isUnwitnessed(found, expected)
  await recordSeenServer(session, expected, found.witness)
  if (isUnknown && isNewDatabase(found, expected)) {
    await session.ask(BEGIN, { history })
    return
  }
  const kind = lossKind(found, expected)
  const marks = isUnknown ? found : expected.marks
  const { claims } = marks
  await session.ask(LOSE, { history, untilMs, claims, hasLostRecords: kind !== null })
  await session.run('DELETE FROM prepd_nonces')
  if (isBehind(found, marks)) await session.ask(SKIP, marks)
  // Inserts the published claims in the transaction that records the loss. In a later transaction, their numbers could
  // hide that the database is behind.
  await assertPublished(session, expected.published)
  // If a moved database names a different witness, it may lack vouchers although its marks show no loss.
  const isUncompared = found.history !== history && found.witness !== expected.witness
  const mayHaveVouchers =
    kind === 'moved' || kind === 'unwitnessed' || found.vouchers > 0 || marks.vouchers > 0
  if ((kind !== null || isUncompared) && mayHaveVouchers) await session.ask(PAUSE, {})
  if (kind) await storeLoss(session, kind, await read(session))
}

/** The kind of loss that the marks (highest known numbers) show; null if they show no loss of records. */
function lossKind(found: DatabaseHistory, expected: ExpectedDatabase): Loss['kind'] | null {
  const { history, marks, isStranger } = expected
  if (isBehind(found, marks)) return 'behind'
  const isUnknown = isStranger && marks.claims === 0 && found.claims > 0
  if (isUnknown && found.history !== history) return 'moved'
  return isUnwitnessed(found, expected) && !isNewDatabase(found, expected) ? 'unwitnessed' : null
}

/**
 * Whether the expected records of a database are unknown, and its server has restarted since the last admission. Its
 * volume may then be an older copy.
 */
export function isUnwitnessed(
  { run }: Pick<DatabaseHistory, 'run'>,
  expected: Pick<ExpectedDatabase, 'run' | 'isWitnessed'>,
): boolean {
  return !expected.isWitnessed && run !== expected.run
}

/**
 * Notes the current server run for a database that an operator command created. In this run the database's records are
 * complete.
 */
export async function noteCreatedDatabase(
  session: Session,
  expected: ExpectedDatabase,
): Promise<DatabaseHistory> {
  const found = await read(session)
  if (found.run === '' && isEmpty(found)) await recordSeenServer(session, expected, found.witness)
  return found
}

/**
 * Whether a database is empty and continues the history that it began with. An empty database with another history may
 * have lost all of its records.
 */
export function isNewDatabase(
  found: DatabaseHistory,
  { history }: Pick<ExpectedDatabase, 'history'>,
): boolean {
  return isEmpty(found) && found.history === history
}

/** Whether a database has vouchers, or lacks entries about vouchers. A deployment without vouchers records losses too. */
export function hasVouchers(
  found: Pick<DatabaseHistory, 'vouchers' | 'hasVouchers'>,
  marks: CommittedMarks,
): boolean {
  return found.hasVouchers || marks.vouchers > found.vouchers
}

/** Whether the database has never had a claim or a voucher. */
function isEmpty({ claims, vouchers }: CommittedMarks): boolean {
  return claims === 0 && vouchers === 0
}

async function storeLoss(
  session: Session,
  kind: Loss['kind'],
  lost: DatabaseHistory,
): Promise<void> {
  const loss: Loss = {
    ...{ kind, fromMs: null, atMs: Math.round(lost.recordsLostAtMs) },
    unknownUntilMs: Math.round(lost.lostAtMs),
  }
  await session.ask(CONTROLS.put, { ...LOSS_CONTROL, value: JSON.stringify(loss) })
}

/** Whether a server has restarted within its history: its volume may then be an older copy. */
export function isRestarted(
  found: Pick<DatabaseHistory, 'history' | 'run'>,
  { history, run }: Pick<ExpectedDatabase, 'history' | 'run'>,
): boolean {
  return found.history === history && found.run !== run
}

export function isBehind(found: CommittedMarks, marks: CommittedMarks): boolean {
  return found.claims < marks.claims || found.vouchers < marks.vouchers
}

async function read(session: Session): Promise<DatabaseHistory> {
  const [row] = (await session.ask(READ, {})).rows
  if (!row) throw new RangeError('no history')
  return row
}
