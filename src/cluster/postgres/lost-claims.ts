import { LIMITS } from '../../contract/limits.ts'
import {
  type DatabaseMarks,
  type DatabaseRegistry,
  LEASE_MS,
  NOTHING_LOST_MS,
  SILENT_INSTANCE_WAIT_MS,
} from '../../core/engines/database.ts'
import type { World } from '../../core/ports.ts'
import { FencedError } from './errors.ts'
import {
  type DatabaseHistory,
  type ExpectedDatabase,
  isNewDatabase,
  isRestarted,
  isUnwitnessed,
} from './history.ts'
import type { Accepted } from './known-database.ts'

/** The facts from which `unknownUntilMs` decides which writes may have been sent under lost claims. */
export type LossEvidence = {
  /** The registry's verdict; null if the registry is unreachable, and for an operator command. */
  readonly verdict: Accepted | null
  /** This instance's own marks (highest known numbers), if it runs without a registry; otherwise null. */
  readonly alone: DatabaseMarks | null
  /** The clock of the server. */
  readonly nowMs: number
  /** The witness (the registry's id) that the database names; '' before the first admission. */
  readonly witness: string
  /** Whether the server continues a different history than the database records. */
  readonly isMoved: boolean
  readonly isBehind: boolean
  readonly isUnwitnessed: boolean
  /** Whether the server may have a successor that it does not know of. */
  readonly isStrict: boolean
  /**
   * Whether the database lists instances that have not registered with the witness, and whether such an instance is
   * still alive.
   */
  readonly missing: 'none' | 'silent' | 'living'
}

/**
 * The latest timestamp of writes that may have been sent under lost claims, in milliseconds since the epoch; 0 if no
 * claim can be lost. Null if a living instance may use a different witness. Then this instance must not write.
 */
export function unknownUntilMs(evidence: LossEvidence): number | null {
  const { verdict, isUnwitnessed, missing } = evidence
  const isWhole = !evidence.isMoved && !evidence.isBehind
  if (!verdict) return isWhole && !isUnwitnessed ? 0 : untilMsWithoutRegistry(evidence)
  if (isUnwitnessed || !registryKnowsClaims(evidence, verdict, isWhole))
    return isWhole && missing === 'living' ? null : verdict.nowMs + aheadMaxMs(verdict)
  const untilMs = isWhole ? verdict.lostUntilMs : lostUntilMs(evidence, verdict)
  return untilMs === NOTHING_LOST_MS ? 0 : untilMs
}

/**
 * How far ahead of the clock a sent write may be signed. If a witness is already in use, the length of a lease is
 * added, because a different witness may just have granted a lease.
 */
function aheadMaxMs({ isUsed }: Accepted): number {
  return LIMITS.signatureAgeMaxMs + (isUsed ? LEASE_MS : 0)
}

/** Whether the registry knows all claims: it was the database's witness before, or only this history has been written to. */
function registryKnowsClaims(evidence: LossEvidence, verdict: Accepted, isWhole: boolean): boolean {
  return verdict.witness === evidence.witness || (isWhole && knowsNewest(evidence, verdict))
}

function lostUntilMs({ isBehind }: LossEvidence, { lostUntilMs, nowMs, marks }: Accepted): number {
  // Every claim has reached every standby, so even unpublished claims are safe.
  if (!isBehind && lostUntilMs === NOTHING_LOST_MS) return lostUntilMs
  // If the registry does not know this history's predecessor, claims made until now may be missing.
  const untilMs = isBehind || lostUntilMs === 0 ? nowMs : 0
  return Math.max(lostUntilMs, untilMs, marks.signedMs)
}

/** Whether a witness that is new to a complete database knows that only this history has been written to. */
function knowsNewest(
  { witness, isStrict, missing }: LossEvidence,
  { isSound, isUsed }: Accepted,
): boolean {
  if (witness === '' || !isStrict) return true
  // The database named a different witness before. If the new witness is already in use, instances that left this
  // database may hold leases of the new witness.
  return !isUsed && (missing === 'none' || (missing === 'silent' && isSound))
}

function untilMsWithoutRegistry({ alone, nowMs, isUnwitnessed }: LossEvidence): number {
  const isKnown = alone !== null && !isUnwitnessed
  return isKnown ? Math.max(nowMs, alone.signedMs) : nowMs + LIMITS.signatureAgeMaxMs
}

type WaitOptions = Pick<World, 'monotonicMs'> & { readonly registry: DatabaseRegistry | null }

/**
 * After a restart of a server, throws FencedError until all leases of its previous run have ended. An older copy of its
 * volume would lack the writes sent under these leases. Then returns the latest possible end of these leases, by the
 * registry's clock; 0 without a restart.
 */
export function createRestartWait({ monotonicMs }: Pick<World, 'monotonicMs'>) {
  let seen = { run: '', sinceMs: 0, leaseEndMs: 0 }
  return (
    found: DatabaseHistory,
    expected: Pick<ExpectedDatabase, 'history' | 'run' | 'isWitnessed'>,
    verdict: Accepted | null,
  ): number => {
    // Before its first admission a database is new, without a previous run.
    const isUsed = expected.isWitnessed || found.run !== ''
    if (!verdict || !isUsed || !isRestarted(found, expected)) return 0
    const { run } = expected
    const { leaseEndMs, nowMs } = verdict
    // Keeps the lease end of the first verdict: later leases belong to the current run, and the registry's clock may
    // step back.
    if (seen.run !== run) seen = { run, sinceMs: monotonicMs(), leaseEndMs }
    if (monotonicMs() - seen.sinceMs < LEASE_MS) throw new FencedError('leased')
    return Math.max(nowMs, seen.leaseEndMs)
  }
}

/**
 * Throws FencedError for a database that neither this instance nor the registry knows. It throws until peers that know
 * the database have had time to be admitted first.
 */
export function createPeerWait({ monotonicMs, registry }: WaitOptions) {
  let sinceMs: number | null = null
  return (
    found: DatabaseHistory,
    expected: Pick<ExpectedDatabase, 'history' | 'run' | 'isWitnessed'>,
  ): void => {
    if (!registry || !isUnwitnessed(found, expected) || isNewDatabase(found, expected)) return
    sinceMs ??= monotonicMs()
    if (monotonicMs() - sinceMs < SILENT_INSTANCE_WAIT_MS) throw new FencedError('unwitnessed')
  }
}
