import {
  CONFIRMED_MS,
  type DatabaseMarks,
  type DatabaseRegistry,
  type DatabaseState,
  type DatabaseVerdict,
  DEPLOYMENT_KEPT_MS,
  EngineAway,
} from '../../core/engines/health.ts'
import { orElse } from '../../core/loop/guarded.ts'
import type { World } from '../../core/ports.ts'
import type { Session } from './connection.ts'
import { type CommittedMarks, type DatabaseLosses, historyOf, noticeLoss } from './history.ts'
import type { Server } from './server.ts'
import { FencedError } from './trouble.ts'

/** Keeps this instance from a server that its peers have left, or that lost commits without anybody noticing. */
export type Fence = {
  /** Judges a server before anything is written to it; answers what it lost. Throws PostgresError. */
  readonly admit: (session: Session, server: Server) => Promise<DatabaseLosses>
  /** Judges the admitted server again. Throws FencedError. */
  readonly confirm: () => Promise<void>
  /** Throws FencedError where the admitted server was not confirmed lately, and has to be. */
  readonly assertConfirmed: () => void
  /** Takes numbers that were just committed. */
  readonly note: (marks: Partial<DatabaseMarks>) => void
}

type Parts = Pick<World, 'monotonicMs' | 'log'> & {
  /** What the instances of one deployment have in common beside the database. */
  readonly deployment: string
  /** Null for a command, which writes no claims. */
  readonly registry: DatabaseRegistry | null
  /** Whether a server without a synchronous standby has to be confirmed by the registry. */
  readonly isStrict: boolean
}

/** How long new numbers are collected before the registry gets them. */
const COLLECT_MS = 50
const NO_MARKS: DatabaseMarks = { claims: 0, vouchers: 0, signedMs: 0 }

export function createFence(parts: Parts): Fence {
  const { registry, isStrict } = parts
  const memory = createMemory(parts)
  let admitted: Server | null = null
  let isPublishing = false

  const mustConfirm = (server: Server | null) => isStrict && server?.isSynchronous === false

  async function admit(session: Session, server: Server): Promise<DatabaseLosses> {
    const { history, cluster, timeline } = server
    const database = await historyOf(session, history)
    const deployment = `${database.deployment} ${parts.deployment}`
    const state = { deployment, cluster, timeline, ...memory.marksOf(deployment) }
    const verdict = await memory.exchange(state)
    if (!verdict && mustConfirm(server)) throw new FencedError('unconfirmed')
    const marks = higher(state, verdict?.marks ?? NO_MARKS)
    const isStranger = memory.known()?.deployment !== deployment
    const expected = { history, isStranger, ...expectation(parts, verdict, marks) }
    // A command knows no marks: it leaves what there is to notice to the next instance.
    const found = isStranger && !registry ? database : await noticeLoss(session, expected)
    if (found.lostAtMs > database.lostAtMs) logLoss(parts, database, marks)
    memory.keep({ ...state, ...higher({ ...marks, ...found }, marks) })
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

/** What a server must have, by what the registry has answered. */
function expectation(
  { registry, isStrict }: Parts,
  verdict: Accepted | null,
  marks: DatabaseMarks,
) {
  // An instance alone does not know what its peers have sent.
  const signedMs = verdict || !registry ? marks.signedMs : 0
  const graceMs = isStrict ? (verdict?.predecessorLeftMs ?? 0) : 0
  return { marks: { ...marks, signedMs }, graceMs }
}

/** The state of the database to which this instance was admitted last, also while the registry is away. */
function createMemory({ monotonicMs, registry }: Parts) {
  let known: DatabaseState | null = null
  let confirmedAtMs = Number.NEGATIVE_INFINITY

  /** Throws FencedError for a database that this instance knows to be replaced. */
  function assertNotPast({ deployment, cluster, timeline }: DatabaseState): void {
    if (!known) return
    const isForgotten = monotonicMs() - confirmedAtMs >= DEPLOYMENT_KEPT_MS
    if (known.deployment !== deployment && !isForgotten) throw new FencedError('deployment')
    if (known.cluster === cluster && timeline < known.timeline) throw new FencedError('timeline')
  }

  /** The registry's verdict; null where the registry is unreachable. Throws FencedError. */
  async function exchange(state: DatabaseState): Promise<Accepted | null> {
    assertNotPast(state)
    const startedMs = monotonicMs()
    const asked = registry?.exchange(state).catch(orElse('store', null, EngineAway))
    const verdict = (await asked) ?? null
    if (!verdict) return null
    if (verdict.refused !== null) throw new FencedError(verdict.refused)
    confirmedAtMs = startedMs
    return verdict
  }

  return {
    exchange,
    known: () => known,
    marksOf: (deployment: string) =>
      known?.deployment === deployment ? higher(known, NO_MARKS) : NO_MARKS,
    isConfirmed: () => monotonicMs() - confirmedAtMs < CONFIRMED_MS,
    keep: (state: DatabaseState) => {
      known = state
    },
    raise: (marks: DatabaseMarks) => {
      if (known) known = { ...known, ...higher(known, marks) }
    },
  }
}

type Accepted = Extract<DatabaseVerdict, { refused: null }>

function higher(one: DatabaseMarks, other: DatabaseMarks): DatabaseMarks {
  return {
    claims: Math.max(one.claims, other.claims),
    vouchers: Math.max(one.vouchers, other.vouchers),
    signedMs: Math.max(one.signedMs, other.signedMs),
  }
}

function logLoss({ log }: Parts, found: CommittedMarks, expected: DatabaseMarks): void {
  log.error('database_lost_commits', {
    claims: Math.max(0, expected.claims - found.claims),
    vouchers: Math.max(0, expected.vouchers - found.vouchers),
  })
}
