import {
  type AheadClaim,
  type DatabaseMarks,
  type DatabaseRegistry,
  type DatabaseState,
  type DatabaseVerdict,
  DEPLOYMENT_KEPT_MS,
  LEASE_MS,
  type PublishedShare,
} from '../../core/engines/database.ts'
import { EngineAway } from '../../core/engines/health.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import type { World } from '../../core/ports.ts'
import type { CommitMark } from '../../store/connection/commit-mark.ts'
import { FencedError } from './errors.ts'

/** Opens the file with the marks (highest known numbers) of a deployment. */
export type MarkByDeployment = (deployment: string) => CommitMark

type KnownDatabaseOptions = Pick<World, 'monotonicMs'> & {
  readonly registry: DatabaseRegistry | null
  readonly markOf: MarkByDeployment
}

/** The marks (highest known numbers) of a database without known commits. */
export const NO_MARKS: DatabaseMarks = { claims: 0, vouchers: 0, signedMs: 0 }

/** Throws FencedError for a different branch of the same timeline. */
function assertSameBranch(known: OwnState | null, state: OwnState): void {
  const isSameTimeline = known?.cluster === state.cluster && known.timeline === state.timeline
  if (isSameTimeline && known?.branch !== state.branch) throw new FencedError('branch')
}

/**
 * The mark files (highest known numbers) of two deployments: the deployment to which this instance is admitted, and the
 * deployment that it is checking.
 */
function createMarks(markOf: MarkByDeployment) {
  type Mark = { readonly deployment: string; readonly file: CommitMark }
  let kept: Mark | null = null
  let judged: Mark | null = null
  return {
    read: (deployment: string): DatabaseMarks | null => {
      judged?.file.close()
      judged = null
      judged = { deployment, file: markOf(deployment) }
      const { commits: claims, vouchers, signedMs, isNew } = judged.file.read()
      return isNew ? null : { claims, vouchers, signedMs }
    },
    /** Writes the marks (highest known numbers) of an admitted deployment if they have changed. */
    keep: ({ deployment, claims, vouchers, signedMs }: OwnState, before: OwnState | null) => {
      if (judged?.deployment === deployment) {
        kept?.file.close()
        kept = judged
        judged = null
      }
      if (kept?.deployment !== deployment) return
      const isSame = before?.deployment === deployment
      if (!isSame || before.claims !== claims || before.signedMs !== signedMs)
        kept.file.write({ commits: claims, signedMs })
      if (!isSame || before.vouchers !== vouchers) kept.file.writeVouchers(vouchers)
    },
  }
}

/** The state of a database as this instance reports it to the registry. */
export type OwnState = Omit<DatabaseState, 'witness' | 'isLeased'>

type Lease = {
  /** When the lease ends, by this instance's monotonic clock. */
  readonly endsMs: number
  readonly answeredMs: number
  /** The time of the registry's clock in its answer, which arrived at `answeredMs`. */
  readonly nowMs: number
  /** False if each commit waits for every standby. The registry then grants no lease, and only its clock is used. */
  readonly isCounted: boolean
}

/** The lease under which this instance may write. */
function createLease({ monotonicMs }: Pick<KnownDatabaseOptions, 'monotonicMs'>) {
  let lease: Lease | null = null
  const held = () => (lease && monotonicMs() < lease.endsMs ? lease : null)
  return {
    take: (fromMs: number, nowMs: number, isCounted: boolean) => {
      lease = { endsMs: fromMs + LEASE_MS, answeredMs: monotonicMs(), nowMs, isCounted }
    },
    drop: () => {
      lease = null
    },
    isHeld: () => held()?.isCounted === true,
    /**
     * Whether a timestamp may be ahead of the registry's clock. Without a lease, the timestamp is compared with
     * `nowMs`.
     */
    isAhead: (sinceMs: number, nowMs: number): boolean => {
      const current = held()
      return sinceMs > (current ? current.nowMs + monotonicMs() - current.answeredMs : nowMs)
    },
  }
}

/** The newest history that the registry has reported as left by peers. */
function createPast() {
  let past: Pick<OwnState, 'cluster' | 'timeline'> | null = null
  return {
    /** Notes a verdict on a history. Throws FencedError if the history was refused. */
    note: (state: OwnState, verdict: DatabaseVerdict): Accepted => {
      if (verdict.refused === 'timeline') past = state
      if (verdict.refused !== null) throw new FencedError(verdict.refused)
      return verdict
    },
    /** Throws FencedError for a history that peers have left. */
    assertNot: ({ cluster, timeline }: OwnState) => {
      if (past?.cluster === cluster && timeline <= past.timeline) throw new FencedError('timeline')
    },
  }
}

/** Throws FencedError for a database that was replaced, as far as this instance knows without the registry. */
function assertNotReplaced(known: OwnState | null, state: OwnState, isForgotten: boolean): void {
  if (!known) return
  if (known.deployment !== state.deployment && !isForgotten) throw new FencedError('deployment')
  if (known.cluster === state.cluster && state.timeline < known.timeline)
    throw new FencedError('timeline')
}

/** Remembers the database to which this instance was last admitted, also while the registry is away. */
export function createMemory({ monotonicMs, registry, markOf }: KnownDatabaseOptions) {
  let known: OwnState | null = null
  let witness = ''
  const lease = createLease({ monotonicMs })
  const past = createPast()
  const marks = createMarks(markOf)
  let confirmedAtMs = Number.NEGATIVE_INFINITY

  /** Returns the registry's verdict; null if the registry is unreachable. Throws FencedError. */
  async function exchange(state: OwnState): Promise<Accepted | null> {
    const startedMs = monotonicMs()
    past.assertNot(state)
    assertNotReplaced(known, state, startedMs - confirmedAtMs >= DEPLOYMENT_KEPT_MS)
    const isLeased = isSameHistory(known, state) && lease.isHeld()
    const asked = registry?.exchange({ ...state, witness, isLeased })
    const answer = (await asked?.catch(defaultOnFailure('store', null, EngineAway))) ?? null
    if (!answer && registry) assertSameBranch(known, state)
    if (!answer) return null
    const verdict = past.note(state, answer)
    confirmedAtMs = startedMs
    return verdict
  }

  function keep(state: OwnState): void {
    marks.keep(state, known)
    known = state
  }

  return {
    exchange,
    /** Publishes claims in the registry. Returns false if that failed. */
    publish: async (claims: readonly AheadClaim[], share: PublishedShare): Promise<boolean> => {
      if (!known || !registry || witness === '') return false
      const asked = registry.publish({ ...known, witness }, claims, share)
      return asked.catch(defaultOnFailure('store', false, EngineAway))
    },
    /**
     * Admits this instance under a witness (the registry's id; '' without a registry). The next verdict starts its
     * lease.
     */
    admit: (state: OwnState, under: string) => {
      keep(state)
      witness = under
      lease.drop()
    },
    /**
     * Takes a verdict as a lease that begins at `fromMs`. This time must precede the read in which the database named
     * its witness.
     */
    take: ({ opensInMs, nowMs }: Accepted, fromMs: number | undefined, isCounted: boolean) => {
      if (fromMs !== undefined && opensInMs === 0) lease.take(fromMs, nowMs, isCounted)
    },
    witness: () => witness,
    known: () => known,
    /** This instance's marks (highest known numbers) of a deployment; null if it has never known any. */
    marksOf: (deployment: string): DatabaseMarks | null => {
      if (known?.deployment === deployment) return higher(known, NO_MARKS)
      return marks.read(deployment)
    },
    isLeased: lease.isHeld,
    isAhead: lease.isAhead,
    raise: (found: DatabaseMarks) => {
      if (known) keep({ ...known, ...higher(known, found) })
    },
  }
}

/** A verdict that accepts a database. */
export type Accepted = Extract<DatabaseVerdict, { refused: null }>

/** The higher value of each mark. */
export function higher(one: DatabaseMarks, other: DatabaseMarks): DatabaseMarks {
  return {
    claims: Math.max(one.claims, other.claims),
    vouchers: Math.max(one.vouchers, other.vouchers),
    signedMs: Math.max(one.signedMs, other.signedMs),
  }
}

function isSameHistory(one: OwnState | null, other: OwnState): boolean {
  return (
    one !== null &&
    one.deployment === other.deployment &&
    one.cluster === other.cluster &&
    one.timeline === other.timeline &&
    one.branch === other.branch
  )
}
