import type { Claim } from '../../core/claim.ts'
import type { DatabaseMarks } from '../../core/engines/database.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { toHex } from '../../core/hex.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { NEW_STORE_MESSAGE } from '../../core/loss.ts'
import type { World } from '../../core/ports.ts'
import type { Session } from './connection.ts'
import { FencedError, PostgresError } from './errors.ts'
import {
  type DatabaseHistory,
  type DatabaseLosses,
  type ExpectedDatabase,
  ensureHistory,
  hasVouchers,
  isBehind,
  isRestarted,
  isUnwitnessed,
  noteCreatedDatabase,
  recordDatabaseLoss,
} from './history.ts'
import {
  type Accepted,
  createMemory,
  higher,
  type MarkByDeployment,
  NO_MARKS,
} from './known-database.ts'
import { createPeerWait, createRestartWait, unknownUntilMs } from './lost-claims.ts'
import type { Server } from './server.ts'
import { missingInstances, namedWitness, recordSeenServer, registerInstance } from './witnesses.ts'
import {
  createCommitReporter,
  createWriteLease,
  needsWriteLease,
  type WriteLeaseOptions,
} from './write-lease.ts'

/** Protects this instance from writing to a server that its peers have left, or that has lost commits unnoticed. */
export type Fence = {
  /** Checks a server before a record is written to it. Returns the times of its losses. Throws PostgresError. */
  readonly admit: (session: Session, server: Server) => Promise<DatabaseLosses>
  /** Checks the admitted server again, in its latest state. Throws PostgresError. */
  readonly look: (session: Session, server: Server) => Promise<void>
  /** Throws FencedError if writes to the admitted server need a lease and this instance holds no lease. */
  readonly assertConfirmed: () => void
  /**
   * Resolves once the writes of committed claims may be sent, because any successor of this server will know the
   * claims: by a lease or by a publication. `standbyNames` reads the standbys that the server now waits for. Throws
   * FencedError if the writes must not be sent.
   */
  readonly cover: (
    claims: readonly Claim[],
    nowMs: number,
    standbyNames: () => Promise<string>,
  ) => Promise<void>
  /** Notes numbers that were just committed. */
  readonly note: (marks: Partial<DatabaseMarks>) => void
  /** Resolves once the registry has the numbers. Throws FencedError. */
  readonly settle: () => Promise<void>
}

type FenceOptions = Pick<World, 'monotonicMs' | 'log' | 'random'> &
  WriteLeaseOptions & {
    /** An identity of the deployment that is configured outside of the database, the same for all its instances. */
    readonly deployment: string
    /** This instance's marks (highest known numbers) of a deployment, kept across restarts. */
    readonly markOf: MarkByDeployment
  }

const BRANCH_BYTES = 16
const ADMITTED = { isAdmitted: true, isJoining: false, isContinued: true } as const

export function createFence(parts: FenceOptions): Fence {
  const { registry } = parts
  const memory = createMemory(parts)
  const { confirm, ...confirmation } = createWriteLease(parts, memory)
  const assertWaited = createPeerWait(parts)
  const runEndedMs = createRestartWait(parts)
  /** The witness (the registry's id) that this instance last wrote to the database. */
  let noted = ''

  async function admit(session: Session, found: Server): Promise<DatabaseLosses> {
    const { history, isSynchronous } = found
    const database = await ensureHistory(session, { history, branch: newBranch(parts) })
    const server = { ...found, hasStandby: found.hasStandby || database.hasStandby }
    const place = databaseIdentity(parts, server, database)
    const own = memory.marksOf(place.deployment)
    const isStranger = memory.known()?.deployment !== place.deployment
    const state = { ...place, isAdmitted: !isStranger, isSynchronous, ...(own ?? NO_MARKS) }
    const verdict = await memory.exchange(state)
    const needsLease = needsWriteLease(parts, server)
    const isWitnessed = own !== null || verdict?.isKnown === true
    const seen = { ...server, isWitnessed }
    const runUntilMs = needsLease ? runEndedMs(database, seen, verdict) : 0
    if (needsLease) assertOpen(verdict)
    const marks = higher(state, verdict?.marks ?? NO_MARKS)
    assertWaited(database, seen)
    const known = { own, verdict, marks, isStranger, isWitnessed, runUntilMs }
    const expected = await expectation(parts, session, { server, database, ...known })
    const leaseFromMs = parts.monotonicMs()
    const noticed = await recordLosses(registry, session, { ...expected, needsLease })
    logFound(parts, { ...database, runUntilMs }, { ...noticed, marks })
    noted = expected.witness
    memory.admit({ ...state, ...ADMITTED, ...higher({ ...marks, ...noticed }, marks) }, noted)
    confirmation.see(server)
    // The registry gives a lease only to an instance that is already admitted, so a second exchange is needed.
    if (verdict) await confirm(leaseFromMs)
    return noticed
  }

  async function look(session: Session, found: Server): Promise<void> {
    const before = confirmation.admitted()
    if (!before) return
    const server = { ...found, hasStandby: found.hasStandby || before.hasStandby }
    confirmation.see(server)
    const leaseFromMs = parts.monotonicMs()
    if (confirmation.mustConfirm()) await assertNames(session, memory.witness())
    const witness = (await confirm(leaseFromMs))?.witness ?? ''
    const isNew = witness !== '' && witness !== noted
    if (!isNew && server.hasStandby === before.hasStandby) return
    await recordSeenServer(session, { ...server, witness }, await namedWitness(session))
    noted = witness
  }

  return { ...confirmation, admit, look, note: createCommitReporter(parts, memory, confirm) }
}

/**
 * Records the losses of a server. An instance that needs leases registers in the database first, and afterwards checks
 * that the database names its witness.
 */
async function recordLosses(
  registry: FenceOptions['registry'],
  session: Session,
  expected: ExpectedDatabase & { readonly needsLease: boolean },
): Promise<DatabaseHistory> {
  // An operator command has no marks (highest known numbers). If the database is new to the command, the next instance
  // detects losses.
  if (!registry)
    return (expected.isStranger ? noteCreatedDatabase : recordDatabaseLoss)(session, expected)
  if (expected.needsLease) await registerInstance(session, registry.instance)
  const noticed = await recordDatabaseLoss(session, expected)
  if (expected.needsLease) await assertNames(session, expected.witness)
  return noticed
}

/** Throws FencedError if a database now names a different witness (the registry's id). */
async function assertNames(session: Session, witness: string): Promise<void> {
  if ((await namedWitness(session)) !== witness) throw new FencedError('witness')
}

type JudgedServer = {
  readonly server: Server
  readonly database: DatabaseHistory
  /** This instance's own marks (highest known numbers); null if it has no marks. */
  readonly own: DatabaseMarks | null
  readonly verdict: Accepted | null
  readonly marks: DatabaseMarks
  /**
   * The time until which writes may have been sent under leases of the server's previous run; 0 if the server has not
   * restarted.
   */
  readonly runUntilMs: number
} & Pick<ExpectedDatabase, 'isStranger' | 'isWitnessed'>

/** The history and the number of records that a server should have. Throws PostgresError. */
async function expectation(
  parts: FenceOptions,
  session: Session,
  { server, database, own, verdict, runUntilMs, ...known }: JudgedServer,
): Promise<ExpectedDatabase> {
  const { registry } = parts
  const { history, run, nowMs } = server
  const isLosing = runUntilMs > 0 || database.history !== history || isBehind(database, known.marks)
  const missing = await missingInstances(session, verdict?.members ?? [], nowMs)
  const untilMs = (found: DatabaseHistory): number => {
    const ms = unknownUntilMs({
      ...{ verdict, nowMs, missing, witness: found.witness },
      isMoved: found.history !== history,
      isBehind: isBehind(found, known.marks),
      isUnwitnessed: isUnwitnessed(found, { run, ...known }),
      alone: registry ? null : own,
      isStrict: needsWriteLease(parts, server),
    })
    if (ms === null) throw new FencedError('witness')
    return isRestarted(found, server) ? Math.max(ms, runUntilMs) : ms
  }
  // Claims with timestamps up to `sinceMs` count as lost in any case, so only later publications are read.
  const sinceMs = untilMs(database)
  const published =
    isLosing && verdict && registry
      ? await registry.published(verdict.witness, sinceMs).catch(rethrowAsUnreachable)
      : []
  const { hasStandby } = server
  const witness = verdict?.witness ?? ''
  // An operator command does not record a new run; the next instance does, after the leases of the earlier run have
  // ended.
  const noted = registry || known.isStranger ? run : database.run
  return { ...{ history, run: noted, hasStandby, witness, untilMs, published }, ...known }
}

/** Turns an outage of the registry into a PostgresError, after which the caller tries the server again. */
function rethrowAsUnreachable(error: unknown): never {
  reportUnexpected('store', error, EngineAway)
  throw new PostgresError('unreachable', false, true)
}

/** Throws FencedError while leases for a predecessor of the server may still hold. */
function assertOpen(verdict: Accepted | null): void {
  if (!verdict) throw new FencedError('unconfirmed')
  if (verdict.opensInMs > 0) throw new FencedError('leased')
}

/** The identity of a database and its history, which an instance registers during its admission. */
function databaseIdentity(
  { deployment }: FenceOptions,
  { history, cluster, timeline }: Server,
  found: DatabaseHistory,
) {
  const { branch } = found
  return {
    ...{ deployment: `${found.deployment} ${deployment}`, cluster, timeline, branch },
    ...{ isJoining: true, isContinued: found.history === history },
  }
}

function newBranch({ random }: FenceOptions): string {
  return toHex(random.bytes(BRANCH_BYTES))
}

type Found = DatabaseLosses & Pick<DatabaseHistory, 'pauseId'> & { readonly marks: DatabaseMarks }

function logFound(
  { log }: FenceOptions,
  before: DatabaseHistory & Pick<JudgedServer, 'runUntilMs'>,
  { marks, ...found }: Found,
): void {
  if (found.pauseId > before.pauseId && hasVouchers(before, marks))
    log.error('voucher store not adopted', { engine: 'postgres' })
  if (found.beganMs > before.beganMs)
    log.info('store_created', { engine: 'postgres', message: NEW_STORE_MESSAGE })
  const isLost = found.lostAtMs > Math.max(before.lostAtMs, before.runUntilMs)
  // A restart alone is no loss.
  if (!isLost && found.recordsLostAtMs <= before.recordsLostAtMs) return
  log.error('database_lost_commits', {
    claims: Math.max(0, marks.claims - before.claims),
    vouchers: Math.max(0, marks.vouchers - before.vouchers),
  })
}
