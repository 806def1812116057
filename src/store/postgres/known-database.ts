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
import type { CommitMark } from '../connection/commit-mark.ts'
import { FencedError } from './trouble.ts'

/** The file of the marks of a deployment. */
export type MarkOf = (deployment: string) => CommitMark

type Parts = Pick<World, 'monotonicMs'> & {
  readonly registry: DatabaseRegistry | null
  readonly markOf: MarkOf
}

/** Nothing that is known to be committed. */
export const NO_MARKS: DatabaseMarks = { claims: 0, vouchers: 0, signedMs: 0 }

/** Throws FencedError for another branch of the same timeline, which the registry has not confirmed. */
function assertSameBranch(known: DatabaseState | null, state: DatabaseState): void {
  const isSameTimeline = known?.cluster === state.cluster && known.timeline === state.timeline
  if (isSameTimeline && known?.branch !== state.branch) throw new FencedError('branch')
}

/** The marks of the deployment to which this instance was admitted, and of the one that it judges. */
function createMarks(markOf: MarkOf) {
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
    /** Keeps the marks of an admitted deployment, where they are others than before. */
    keep: (
      { deployment, claims, vouchers, signedMs }: DatabaseState,
      before: DatabaseState | null,
    ) => {
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

/** The state of the database to which this instance was admitted last, also while the registry is away. */
export function createMemory({ monotonicMs, registry, markOf }: Parts) {
  let known: DatabaseState | null = null
  const marks = createMarks(markOf)
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
    if (!verdict) {
      if (registry) assertSameBranch(known, state)
      return null
    }
    if (verdict.refused !== null) throw new FencedError(verdict.refused)
    confirmedAtMs = startedMs
    return verdict
  }

  function keep(state: DatabaseState): void {
    marks.keep(state, known)
    known = state
  }

  return {
    exchange,
    known: () => known,
    /** Null where this instance knows nothing of a deployment, nor did before it started. */
    marksOf: (deployment: string): DatabaseMarks | null => {
      if (known?.deployment === deployment) return higher(known, NO_MARKS)
      return marks.read(deployment)
    },
    isConfirmed: () => monotonicMs() - confirmedAtMs < CONFIRMED_MS,
    keep,
    raise: (found: DatabaseMarks) => {
      if (known) keep({ ...known, ...higher(known, found) })
    },
  }
}

/** The answer of a registry that takes a database. */
export type Accepted = Extract<DatabaseVerdict, { refused: null }>

/** The higher of each mark. */
export function higher(one: DatabaseMarks, other: DatabaseMarks): DatabaseMarks {
  return {
    claims: Math.max(one.claims, other.claims),
    vouchers: Math.max(one.vouchers, other.vouchers),
    signedMs: Math.max(one.signedMs, other.signedMs),
  }
}
