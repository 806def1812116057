import {
  CONFIRMED_MS,
  type DatabaseMarks,
  type DatabaseRegistry,
} from '../../core/engines/health.ts'
import { toHex } from '../../core/hex.ts'
import { orElse } from '../../core/loop/guarded.ts'
import { NEW_STORE } from '../../core/loss.ts'
import type { World } from '../../core/ports.ts'
import type { Session } from './connection.ts'
import {
  type DatabaseHistory,
  type DatabaseLosses,
  type Expected,
  historyOf,
  isEmpty,
  isUnwitnessed,
  noticeLoss,
  seeNew,
} from './history.ts'
import { type Accepted, createMemory, higher, type MarkOf, NO_MARKS } from './known-database.ts'
import type { Server } from './server.ts'
import { FencedError } from './trouble.ts'

/** Keeps this instance from a server that its peers have left, or that lost commits without anybody noticing. */
export type Fence = {
  /** Judges a server before a record is written to it; answers what it lost. Throws PostgresError. */
  readonly admit: (session: Session, server: Server) => Promise<DatabaseLosses>
  /** Judges the admitted server again. Throws FencedError. */
  readonly confirm: () => Promise<void>
  /** Throws FencedError where the admitted server was not confirmed lately, and has to be. */
  readonly assertConfirmed: () => void
  /** Takes numbers that were just committed. */
  readonly note: (marks: Partial<DatabaseMarks>) => void
}

type Parts = Pick<World, 'monotonicMs' | 'log' | 'random'> & {
  /** What the instances of one deployment have in common beside the database. */
  readonly deployment: string
  /** Null for a command, which writes no claims. */
  readonly registry: DatabaseRegistry | null
  /** Whether a server without a synchronous standby has to be confirmed by the registry. */
  readonly isStrict: boolean
  /** What this instance last knew of a deployment, also before it started. */
  readonly markOf: MarkOf
}

/** How long new numbers are collected before the registry gets them. */
const COLLECT_MS = 50
const BRANCH_BYTES = 16
const ADMITTED = { isAdmitted: true, isContinued: true } as const

export function createFence(parts: Parts): Fence {
  const { registry, isStrict } = parts
  const memory = createMemory(parts)
  const assertWaited = createWaiting(parts)
  let admitted: Server | null = null
  let isPublishing = false
  const mustConfirm = (server: Server | null) => isStrict && server?.isSynchronous === false

  async function admit(session: Session, server: Server): Promise<DatabaseLosses> {
    const { history } = server
    const database = await historyOf(session, { history, branch: newBranch(parts) })
    const place = placeOf(parts, server, database)
    const own = memory.marksOf(place.deployment)
    const isStranger = memory.known()?.deployment !== place.deployment
    const state = { ...place, isAdmitted: !isStranger, ...(own ?? NO_MARKS) }
    const verdict = await memory.exchange(state)
    if (!verdict && mustConfirm(server)) throw new FencedError('unconfirmed')
    const marks = higher(state, verdict?.marks ?? NO_MARKS)
    const expected = expectation(parts, server, { own, verdict, marks, isStranger })
    assertWaited(database, expected)
    // A command knows no marks: it leaves what there is to notice to the next instance.
    const notice = isStranger && !registry ? seeNew : noticeLoss
    const found = await notice(session, expected)
    logFound(parts, database, { ...found, marks })
    memory.keep({ ...place, ...ADMITTED, ...higher({ ...marks, ...found }, marks) })
    admitted = server
    return found
  }

  async function confirm(): Promise<void> {
    const known = memory.known()
    if (!known) return
    const verdict = await memory.exchange(known)
    if (verdict) memory.raise(verdict.marks)
    else assertConfirmed()
  }

  function assertConfirmed(): void {
    if (mustConfirm(admitted) && !memory.isConfirmed()) throw new FencedError('unconfirmed')
  }

  async function publish(): Promise<void> {
    await Bun.sleep(COLLECT_MS)
    isPublishing = false
    await confirm()
  }

  function note(marks: Partial<DatabaseMarks>): void {
    memory.raise({ ...NO_MARKS, ...marks })
    if (isPublishing || !registry) return
    isPublishing = true
    // The next look at the server finds what is wrong.
    publish().catch(orElse('store', undefined, FencedError))
  }

  return { admit, confirm, assertConfirmed, note }
}

/** The identity of a database and its history. */
function placeOf(
  { deployment }: Parts,
  { history, cluster, timeline }: Server,
  found: DatabaseHistory,
) {
  const { branch } = found
  const isContinued = found.history === history
  return { deployment: `${found.deployment} ${deployment}`, cluster, timeline, branch, isContinued }
}

function newBranch({ random }: Parts): string {
  return toHex(random.bytes(BRANCH_BYTES))
}

type Known = {
  /** What this instance knew by itself; null for nothing. */
  readonly own: DatabaseMarks | null
  readonly verdict: Accepted | null
  readonly marks: DatabaseMarks
  readonly isStranger: boolean
}

/** What a server must have, by what this instance knew and the registry has answered. */
function expectation(
  { registry, isStrict }: Parts,
  { history, run }: Server,
  { own, verdict, marks, isStranger }: Known,
) {
  // An instance alone does not know what its peers have sent.
  const signedMs = verdict || !registry ? marks.signedMs : 0
  const graceMs = isStrict ? (verdict?.predecessorLeftMs ?? 0) : 0
  const isWitnessed = own !== null || verdict?.isKnown === true
  return { history, run, isStranger, isWitnessed, marks: { ...marks, signedMs }, graceMs }
}

/** Throws FencedError for a database that nothing knows, until peers that know it have had the time to be admitted first. */
function createWaiting({ monotonicMs, registry }: Parts) {
  let sinceMs: number | null = null
  return (found: DatabaseHistory, expected: Expected): void => {
    if (!registry || !isUnwitnessed(found, expected) || isEmpty(found)) return
    sinceMs ??= monotonicMs()
    if (monotonicMs() - sinceMs < CONFIRMED_MS) throw new FencedError('unwitnessed')
  }
}

type Found = DatabaseLosses & { readonly marks: DatabaseMarks }

function logFound({ log }: Parts, before: DatabaseHistory, { marks, ...found }: Found): void {
  if (found.beganMs > before.beganMs)
    log.info('store_created', { engine: 'postgres', message: NEW_STORE })
  if (found.lostAtMs <= before.lostAtMs) return
  log.error('database_lost_commits', {
    claims: Math.max(0, marks.claims - before.claims),
    vouchers: Math.max(0, marks.vouchers - before.vouchers),
  })
}
