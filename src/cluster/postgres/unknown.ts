import { LIMITS } from '../../contract/limits.ts'
import {
  CONFIRMED_MS,
  type DatabaseMarks,
  type DatabaseRegistry,
  LEASE_MS,
  NOTHING_LOST_MS,
} from '../../core/engines/database.ts'
import type { World } from '../../core/ports.ts'
import {
  type DatabaseHistory,
  type ExpectedDatabase,
  isEmpty,
  isRestarted,
  isUnwitnessed,
} from './history.ts'
import type { Accepted } from './known-database.ts'
import { FencedError } from './trouble.ts'

/** The evidence for which writes may have been sent before, in commits that a database lacks. */
export type Evidence = {
  /** Null where the registry is unreachable, and for a command. */
  readonly verdict: Accepted | null
  /** The own marks of this instance, for use without a registry; null if peers may know more. */
  readonly alone: DatabaseMarks | null
  /** The clock of the server. */
  readonly nowMs: number
  /** The witness that the database names; '' before the first. */
  readonly witness: string
  /** Whether the database goes on with another history than its own, or is behind the marks, or is known to nothing. */
  readonly isMoved: boolean
  readonly isBehind: boolean
  readonly isUnwitnessed: boolean
  /** Whether the server may have a successor that it does not know of. */
  readonly isStrict: boolean
  /** Instances that the database knows and that have not registered with the witness. */
  readonly missing: 'none' | 'silent' | 'living'
}

/**
 * Until which timestamp writes may have been sent before, in milliseconds since the epoch; 0 where nothing can be lost. Null where
 * an instance that still writes may use another witness: then nothing is written here.
 */
export function unknownUntilMs(evidence: Evidence): number | null {
  const { verdict, isUnwitnessed, missing } = evidence
  const isWhole = !evidence.isMoved && !evidence.isBehind
  if (!verdict) return isWhole && !isUnwitnessed ? 0 : aloneUntilMs(evidence)
  if (isUnwitnessed || !isWitness(evidence, verdict))
    return isWhole && missing === 'living' ? null : verdict.nowMs + aheadMaxMs(verdict)
  const untilMs = isWhole ? verdict.lostUntilMs : lostUntilMs(evidence, verdict)
  return untilMs === NOTHING_LOST_MS ? 0 : untilMs
}

/** How far ahead a text may be signed that was sent; another witness than a used one may have given a lease just now. */
function aheadMaxMs({ isUsed }: Accepted): number {
  return LIMITS.signatureAgeMaxMs + (isUsed ? LEASE_MS : 0)
}

/** Whether the registry knows what may have been sent: it was the witness all along, or no other history has been written to. */
function isWitness(evidence: Evidence, verdict: Accepted): boolean {
  const isWhole = !evidence.isMoved && !evidence.isBehind
  return verdict.witness === evidence.witness || (isWhole && knowsNewest(evidence, verdict))
}

function lostUntilMs({ isBehind }: Evidence, { lostUntilMs, nowMs, marks }: Accepted): number {
  // The standbys have confirmed every claim, so a timestamp ahead of an unpublished one is no loss either.
  if (!isBehind && lostUntilMs === NOTHING_LOST_MS) return lostUntilMs
  // A history whose predecessor the registry does not know may lack what was taken until now.
  const untilMs = isBehind || lostUntilMs === 0 ? nowMs : 0
  return Math.max(lostUntilMs, untilMs, marks.signedMs)
}

/** Whether a witness that is new to a complete database knows that only this history has been written to. */
function knowsNewest(
  { witness, isStrict, missing }: Evidence,
  { isSound, isUsed }: Accepted,
): boolean {
  if (witness === '' || !isStrict) return true
  // The database named a used one before: instances that have left it since may hold leases of the next.
  return !isUsed && (missing === 'none' || (missing === 'silent' && isSound))
}

function aloneUntilMs({ alone, nowMs, isUnwitnessed }: Evidence): number {
  const isKnown = alone !== null && !isUnwitnessed
  return isKnown ? Math.max(nowMs, alone.signedMs) : nowMs + LIMITS.signatureAgeMaxMs
}

type Waiting = Pick<World, 'monotonicMs'> & { readonly registry: DatabaseRegistry | null }

/**
 * Waits for leases under which instances may have written to an earlier run of a server: the copy of a volume may lack those writes
 * alone. Answers when they ended at the latest, by the registry's clock; 0 without an earlier run. Throws FencedError until then.
 */
export function createRunWaiting({ monotonicMs }: Pick<World, 'monotonicMs'>) {
  let seen = { run: '', sinceMs: 0, leaseEndMs: 0 }
  return (
    found: DatabaseHistory,
    expected: Pick<ExpectedDatabase, 'history' | 'run' | 'isWitnessed'>,
    verdict: Accepted | null,
  ): number => {
    // Before the first admission a database is new: its first run has just begun.
    const isUsed = expected.isWitnessed || found.run !== ''
    if (!verdict || !isUsed || !isRestarted(found, expected)) return 0
    const { run } = expected
    const { leaseEndMs, nowMs } = verdict
    // Later leases are given by this run. The first verdict knows the end of all others, though its clock steps back.
    if (seen.run !== run) seen = { run, sinceMs: monotonicMs(), leaseEndMs }
    if (monotonicMs() - seen.sinceMs < LEASE_MS) throw new FencedError('leased')
    return Math.max(nowMs, seen.leaseEndMs)
  }
}

/** Throws FencedError for a database that nothing knows, until peers that know it have had the time to be admitted first. */
export function createWaiting({ monotonicMs, registry }: Waiting) {
  let sinceMs: number | null = null
  return (
    found: DatabaseHistory,
    expected: Pick<ExpectedDatabase, 'run' | 'isWitnessed'>,
  ): void => {
    if (!registry || !isUnwitnessed(found, expected) || isEmpty(found)) return
    sinceMs ??= monotonicMs()
    if (monotonicMs() - sinceMs < CONFIRMED_MS) throw new FencedError('unwitnessed')
  }
}
