import type { Claim } from '../../core/claim.ts'
import type { DatabaseMarks, DatabaseRegistry } from '../../core/engines/database.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { outsideRequest } from '../../core/observing/request-context.ts'
import type { PostgresEndpoint } from '../../core/settings/engine-urls.ts'
import { FencedError } from './errors.ts'
import { type Accepted, type createMemory, NO_MARKS } from './known-database.ts'
import type { Server } from './server.ts'

export type WriteLeaseOptions = {
  /** The shared memory in Valkey; null for an operator command, which writes no claims. */
  readonly registry: DatabaseRegistry | null
  /** The party that has to prevent writes to a replaced primary. */
  readonly fencing: 'prepd' | 'operator'
  readonly place: Pick<PostgresEndpoint, 'hosts'>
  readonly sleep: (ms: number) => Promise<void>
}

/** New numbers are collected for this long before they are sent to the registry. */
const COLLECT_MS = 50

type KnownDatabaseMemory = ReturnType<typeof createMemory>

/**
 * Whether writes to a server need a lease of the registry, because a standby that lacks the server's commits could
 * replace the server.
 */
export function needsWriteLease(
  { registry, fencing, place }: WriteLeaseOptions,
  { hasStandby, isSynchronous }: Pick<Server, 'hasStandby' | 'isSynchronous'>,
): boolean {
  const maySucceed = place.hosts.length > 1 || hasStandby
  return registry !== null && fencing === 'prepd' && maySucceed && !isSynchronous
}

/** Decides whether the admitted server may be written to now, from the registry's verdicts. */
export function createWriteLease(parts: WriteLeaseOptions, memory: KnownDatabaseMemory) {
  let admitted: Server | null = null
  const mustConfirm = () => admitted !== null && needsWriteLease(parts, admitted)

  function assertConfirmed(): void {
    if (mustConfirm() && !memory.isLeased()) throw new FencedError('unconfirmed')
  }

  /**
   * Returns the registry's verdict on the admitted server; null if the registry is unreachable. Renews the lease from
   * `leaseFromMs`. This time must precede the read in which the database named this witness. Without `leaseFromMs`, no
   * lease is renewed. Throws FencedError.
   */
  async function confirm(leaseFromMs?: number): Promise<Accepted | null> {
    const known = memory.known()
    if (!known) return null
    const isSynchronous = admitted?.isSynchronous ?? false
    const verdict = await memory.exchange({ ...known, isSynchronous })
    if (!verdict) {
      assertConfirmed()
      return null
    }
    memory.raise(verdict.marks)
    if (verdict.witness === memory.witness()) {
      memory.take(verdict, leaseFromMs, !isSynchronous)
      return verdict
    }
    if (mustConfirm()) throw new FencedError('witness')
    memory.admit(memory.known() ?? known, verdict.witness)
    return verdict
  }

  async function cover(
    claims: readonly Claim[],
    nowMs: number,
    standbyNames: () => Promise<string>,
  ): Promise<void> {
    await assertSynchronous(parts, admitted, standbyNames)
    if (await isKnownToSuccessor(memory, claims, nowMs)) return assertConfirmed()
    if (mustConfirm()) throw new FencedError('unconfirmed')
    memory.raise({ ...NO_MARKS, signedMs: Math.max(...claims.map(({ sinceMs }) => sinceMs)) })
  }

  return {
    confirm,
    cover,
    mustConfirm,
    assertConfirmed,
    admitted: () => admitted,
    /** Notes the latest state of the admitted server. */
    see: (server: Server) => {
      admitted = server
    },
    settle: async (): Promise<void> => {
      const verdict = await confirm()
      if (!verdict && mustConfirm()) throw new FencedError('unconfirmed')
    },
  }
}

/**
 * For a server without leases, throws FencedError if the server no longer waits for the same standbys. Then a commit
 * may have missed a standby.
 */
async function assertSynchronous(
  parts: WriteLeaseOptions,
  admitted: Server | null,
  standbyNames: () => Promise<string>,
): Promise<void> {
  if (!admitted?.isSynchronous) return
  if (!needsWriteLease(parts, { ...admitted, isSynchronous: false })) return
  if ((await standbyNames()) !== admitted.standbyNames) throw new FencedError('unconfirmed')
}

/**
 * Whether a successor would know every claim. It knows a claim whose timestamp is not ahead of the clock, or that is
 * published in the registry. Cancels, which may be repeated, need no cover. The caller must check the lease again
 * afterwards: a later instance reads the publications once the lease has ended.
 */
async function isKnownToSuccessor(
  { isAhead, publish }: KnownDatabaseMemory,
  claims: readonly Claim[],
  nowMs: number,
): Promise<boolean> {
  const ahead = claims.filter(
    ({ isRepeatable = false, sinceMs }) => !isRepeatable && isAhead(sinceMs, nowMs),
  )
  const [first] = ahead
  if (!first) return true
  const { owner = '', isReducing = () => false } = first
  const published = ahead.map(({ isSigned = false, ...claim }) => ({ ...claim, isSigned }))
  return publish(published, { owner, isReducing })
}

/** Collects the numbers of commits, and sends them to the registry in batches. */
export function createCommitReporter(
  { registry, sleep }: WriteLeaseOptions,
  { raise }: Pick<KnownDatabaseMemory, 'raise'>,
  confirm: () => Promise<unknown>,
): (marks: Partial<DatabaseMarks>) => void {
  let isPublishing = false

  async function publish(): Promise<void> {
    await sleep(COLLECT_MS)
    isPublishing = false
    await confirm()
  }

  return (marks) => {
    raise({ ...NO_MARKS, ...marks })
    if (isPublishing || !registry) return
    isPublishing = true
    // The error is ignored here, because the next check of the server finds its cause.
    outsideRequest(publish).catch(defaultOnFailure('store', undefined, FencedError))
  }
}
