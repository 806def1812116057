import type { Claim } from '../../core/claim.ts'
import type { DatabaseMarks } from '../../core/engines/database.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { toHex } from '../../core/hex.ts'
import { expected } from '../../core/loop/guarded.ts'
import { NEW_STORE } from '../../core/loss.ts'
import type { World } from '../../core/ports.ts'
import {
  type Confirming,
  createConfirmation,
  createNoting,
  mustBeConfirmed,
} from './confirmation.ts'
import type { Session } from './connection.ts'
import {
  type DatabaseHistory,
  type DatabaseLosses,
  type ExpectedDatabase,
  ensureHistory,
  isBehind,
  isRestarted,
  isUnwitnessed,
  noticeLoss,
  seeNew,
} from './history.ts'
import {
  type Accepted,
  createMemory,
  higher,
  type MarkByDeployment,
  NO_MARKS,
} from './known-database.ts'
import type { Server } from './server.ts'
import { FencedError, PostgresError } from './trouble.ts'
import { createRunWaiting, createWaiting, unknownUntilMs } from './unknown.ts'
import { missingInstances, namedWitness, registerInstance, see } from './witnesses.ts'

/** Keeps this instance from a server that its peers have left, or that lost commits without anybody noticing. */
export type Fence = {
  /** Judges a server before a record is written to it; answers what it lost. Throws PostgresError. */
  readonly admit: (session: Session, server: Server) => Promise<DatabaseLosses>
  /** Judges the admitted server again, as it is seen by now. Throws PostgresError. */
  readonly look: (session: Session, server: Server) => Promise<void>
  /** Throws FencedError where the admitted server has to be confirmed, and this instance holds no lease. */
  readonly assertConfirmed: () => void
  /**
   * Returns when committed claims may be sent: a lease, or a publication, makes them known to any successor of this server.
   * `standbyNames` reads for which standbys the server waits by now. Throws FencedError where they may not.
   */
  readonly cover: (
    claims: readonly Claim[],
    nowMs: number,
    standbyNames: () => Promise<string>,
  ) => Promise<void>
  /** Takes numbers that were just committed. */
  readonly note: (marks: Partial<DatabaseMarks>) => void
  /** Returns when the registry has the numbers. Throws FencedError. */
  readonly settle: () => Promise<void>
}

type FenceOptions = Pick<World, 'monotonicMs' | 'log' | 'random'> &
  Confirming & {
    /** The identity that the instances of one deployment share beside the database. */
    readonly deployment: string
    /** The marks of a deployment that this instance knew last, also before it started. */
    readonly markOf: MarkByDeployment
  }

const BRANCH_BYTES = 16
const ADMITTED = { isAdmitted: true, isContinued: true } as const

export function createFence(parts: FenceOptions): Fence {
  const { registry } = parts
  const memory = createMemory(parts)
  const { confirm, ...confirmation } = createConfirmation(parts, memory)
  const assertWaited = createWaiting(parts)
  const runEndedMs = createRunWaiting(parts)
  /** The witness that this instance wrote to the database last. */
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
    const needsLease = mustBeConfirmed(parts, server)
    const isWitnessed = own !== null || verdict?.isKnown === true
    const seen = { ...server, isWitnessed }
    const runUntilMs = needsLease ? runEndedMs(database, seen, verdict) : 0
    if (needsLease) assertOpen(verdict)
    const marks = higher(state, verdict?.marks ?? NO_MARKS)
    assertWaited(database, seen)
    const known = { own, verdict, marks, isStranger, isWitnessed, runUntilMs }
    const expected = await expectation(parts, session, { server, database, ...known })
    const leaseFromMs = parts.monotonicMs()
    const noticed = await noticeAs(registry, session, { ...expected, needsLease })
    logFound(parts, { ...database, runUntilMs }, { ...noticed, marks })
    noted = expected.witness
    memory.admit({ ...state, ...ADMITTED, ...higher({ ...marks, ...noticed }, marks) }, noted)
    confirmation.see(server)
    // The first lease is one of a history that this instance was admitted to.
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
    await see(session, { ...server, witness }, await namedWitness(session))
    noted = witness
  }

  return { ...confirmation, admit, look, note: createNoting(parts, memory, confirm) }
}

/** Notes what a server lost. An instance that needs leases is known to its peers before, and the database names its witness afterwards. */
async function noticeAs(
  registry: FenceOptions['registry'],
  session: Session,
  expected: ExpectedDatabase & { readonly needsLease: boolean },
): Promise<DatabaseHistory> {
  // A command knows no marks: it leaves what there is to notice to the next instance.
  if (!registry) return (expected.isStranger ? seeNew : noticeLoss)(session, expected)
  if (expected.needsLease) await registerInstance(session, registry.instance)
  const noticed = await noticeLoss(session, expected)
  if (expected.needsLease) await assertNames(session, expected.witness)
  return noticed
}

/** Throws FencedError where a database names another witness by now. */
async function assertNames(session: Session, witness: string): Promise<void> {
  if ((await namedWitness(session)) !== witness) throw new FencedError('witness')
}

type Judged = {
  readonly server: Server
  readonly database: DatabaseHistory
  /** The marks that this instance knew by itself; null without any. */
  readonly own: DatabaseMarks | null
  readonly verdict: Accepted | null
  readonly marks: DatabaseMarks
  /** Until when writes may have been sent under leases of an earlier run of the server; 0 in the run of before. */
  readonly runUntilMs: number
} & Pick<ExpectedDatabase, 'isStranger' | 'isWitnessed'>

/** The history and records that a server must have. Throws PostgresError. */
async function expectation(
  parts: FenceOptions,
  session: Session,
  { server, database, own, verdict, runUntilMs, ...known }: Judged,
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
      isStrict: mustBeConfirmed(parts, server),
    })
    if (ms === null) throw new FencedError('witness')
    return isRestarted(found, server) ? Math.max(ms, runUntilMs) : ms
  }
  // Claims with timestamps up to this one are unknown as a whole.
  const sinceMs = untilMs(database)
  const published =
    isLosing && verdict && registry
      ? await registry.published(verdict.witness, sinceMs).catch(rethrowAsAway)
      : []
  const { hasStandby } = server
  const witness = verdict?.witness ?? ''
  // A command leaves a new run to the next instance, which waits for the leases of the earlier one.
  const noted = registry || known.isStranger ? run : database.run
  return { ...{ history, run: noted, hasStandby, witness, untilMs, published }, ...known }
}

/** The server is tried again where the registry was lost in between. */
function rethrowAsAway(error: unknown): never {
  expected('store', error, EngineAway)
  throw new PostgresError('unreachable', false, true)
}

/** Throws FencedError where the leases of a predecessor may not have ended. */
function assertOpen(verdict: Accepted | null): void {
  if (!verdict) throw new FencedError('unconfirmed')
  if (verdict.opensInMs > 0) throw new FencedError('leased')
}

/** The identity of a database and its history. */
function databaseIdentity(
  { deployment }: FenceOptions,
  { history, cluster, timeline }: Server,
  found: DatabaseHistory,
) {
  const { branch } = found
  const isContinued = found.history === history
  return { deployment: `${found.deployment} ${deployment}`, cluster, timeline, branch, isContinued }
}

function newBranch({ random }: FenceOptions): string {
  return toHex(random.bytes(BRANCH_BYTES))
}

type Found = DatabaseLosses & { readonly marks: DatabaseMarks }

function logFound(
  { log }: FenceOptions,
  before: DatabaseHistory & Pick<Judged, 'runUntilMs'>,
  { marks, ...found }: Found,
): void {
  if (found.beganMs > before.beganMs)
    log.info('store_created', { engine: 'postgres', message: NEW_STORE })
  const isLost = found.lostAtMs > Math.max(before.lostAtMs, before.runUntilMs)
  // A restart alone is no loss.
  if (!isLost && found.recordsLostAtMs <= before.recordsLostAtMs) return
  log.error('database_lost_commits', {
    claims: Math.max(0, marks.claims - before.claims),
    vouchers: Math.max(0, marks.vouchers - before.vouchers),
  })
}
