import type { Claim } from '../../core/claim.ts'
import type { DatabaseMarks, DatabaseRegistry } from '../../core/engines/database.ts'
import { orElse } from '../../core/loop/guarded.ts'
import { outsideRequest } from '../../core/observing/request-context.ts'
import type { PostgresEndpoint } from '../../core/settings/engine-urls.ts'
import { type Accepted, type createMemory, NO_MARKS } from './known-database.ts'
import type { Server } from './server.ts'
import { FencedError } from './trouble.ts'

export type Confirming = {
  /** Null for a command, which writes no claims. */
  readonly registry: DatabaseRegistry | null
  /** The party that prevents writes to a primary that was replaced. */
  readonly fencing: 'prepd' | 'operator'
  readonly place: Pick<PostgresEndpoint, 'hosts'>
  readonly sleep: (ms: number) => Promise<void>
}

/** How long new numbers are collected before the registry gets them. */
const COLLECT_MS = 50

type Memory = ReturnType<typeof createMemory>

/** Whether a server has to be confirmed: it may have a successor that lacks what it commits. */
export function mustBeConfirmed(
  { registry, fencing, place }: Confirming,
  { hasStandby, isSynchronous }: Pick<Server, 'hasStandby' | 'isSynchronous'>,
): boolean {
  const maySucceed = place.hosts.length > 1 || hasStandby
  return registry !== null && fencing === 'prepd' && maySucceed && !isSynchronous
}

/** Whether the admitted server may be written to now, by what the registry has confirmed. */
export function createConfirmation(parts: Confirming, memory: Memory) {
  let admitted: Server | null = null
  const mustConfirm = () => admitted !== null && mustBeConfirmed(parts, admitted)

  function assertConfirmed(): void {
    if (mustConfirm() && !memory.isLeased()) throw new FencedError('unconfirmed')
  }

  /**
   * The registry's verdict on the admitted server; null where the registry is unreachable. It renews the lease only from a moment before
   * the database was seen to name this witness. Throws FencedError.
   */
  async function confirm(leaseFromMs?: number): Promise<Accepted | null> {
    const known = memory.known()
    if (!known) return null
    const isSynchronous = admitted?.isSynchronous ?? false
    const verdict = await memory.exchange({ ...known, isSynchronous }, leaseFromMs)
    if (!verdict) {
      assertConfirmed()
      return null
    }
    memory.raise(verdict.marks)
    if (verdict.witness === memory.witness()) return verdict
    if (mustConfirm()) throw new FencedError('witness')
    memory.admit(memory.known() ?? known, verdict.witness)
    return verdict
  }

  /** Without leases a commit has reached every standby only if the server still waited for them all when it answered. */
  async function assertSynchronous(standbyNames: () => Promise<string>): Promise<void> {
    if (!admitted?.isSynchronous) return
    if (!mustBeConfirmed(parts, { ...admitted, isSynchronous: false })) return
    if ((await standbyNames()) !== admitted.standbyNames) throw new FencedError('unconfirmed')
  }

  async function cover(
    claims: readonly Claim[],
    nowMs: number,
    standbyNames: () => Promise<string>,
  ): Promise<void> {
    assertConfirmed()
    await assertSynchronous(standbyNames)
    if (await isCovered(memory, claims, nowMs)) return assertConfirmed()
    if (mustConfirm()) throw new FencedError('unconfirmed')
    memory.raise({ ...NO_MARKS, signedMs: Math.max(...claims.map(({ sinceMs }) => sinceMs)) })
  }

  return {
    confirm,
    cover,
    mustConfirm,
    assertConfirmed,
    admitted: () => admitted,
    /** Takes a server as it was seen last. */
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
 * Whether the time covers every claim, or the registry has the claims ahead of it. A publication counts only if the lease
 * still holds afterwards, because a later instance reads publications once the lease has ended. A cancel is always covered.
 */
async function isCovered(
  { isAhead, publish }: Memory,
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

/** Collects numbers that were committed, and lets the registry have them soon. */
export function createNoting(
  { registry, sleep }: Confirming,
  { raise }: Pick<Memory, 'raise'>,
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
    // The next look at the server finds what is wrong.
    outsideRequest(publish).catch(orElse('store', undefined, FencedError))
  }
}
