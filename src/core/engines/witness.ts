import {
  type DatabaseMarks,
  type DatabaseState,
  type DatabaseVerdict,
  DEPLOYMENT_KEPT_MS,
  LEASE_MS,
  NOTHING_LOST_MS,
  SILENT_INSTANCE_WAIT_MS,
} from './database.ts'

/** The registry's record of the newest history. */
export type WitnessRecord = DatabaseMarks & {
  readonly deployment: string
  readonly cluster: string
  readonly timeline: number
  /** The timeline's branch; '' if an earlier version registered it. */
  readonly branch: string
  readonly isAdmitted: boolean
  readonly seenMs: number
  /** The registry's run id and a random id; '' if an earlier version registered it. */
  readonly witness: string
  /** Whether an instance with the previous witness's lease has registered its history with this witness. */
  readonly isSound: boolean
  /** Whether an instance was admitted under this witness. */
  readonly isUsed: boolean
  /** Whether every named standby has confirmed the latest commits of this history. */
  readonly isSynced: boolean
  readonly leaseEndMs: number
  readonly lostUntilMs: number
  readonly opensAtMs: number
  readonly members: readonly string[]
}

/** The registry at one moment: its clock, its run id, and an id that was never used before. */
export type WitnessMoment = {
  readonly nowMs: number
  readonly run: string
  readonly newId: string
  readonly instance: string
}

type Refusal = Extract<DatabaseVerdict, { refused: string }>
type RegistryExchange = { readonly record: WitnessRecord; readonly verdict: DatabaseVerdict }

const MEMBERS_MAX = 64

/** The registry's new record and its verdict after an instance registers its database. A refusal changes nothing. */
export function registryExchange(
  before: WitnessRecord | null,
  state: DatabaseState,
  moment: WitnessMoment,
): RegistryExchange | Refusal {
  const known = currentRecord(before, moment)
  const change = historyChange(known, state)
  // While this instance slept, a different history may have taken over. Then the instance has to be admitted again.
  const isUnjudged = change !== 'same' && !state.isJoining
  const refused = refusal(known, state, moment.nowMs) ?? (isUnjudged ? 'branch' : null)
  if (refused) return { refused }
  const held = change === 'same' ? known : successorRecord(known, moment.nowMs)
  const isKnown = known.deployment === state.deployment && isAdmittedBefore(known)
  const record = registeredRecord(held, state, moment, { isKnown, isOther: change === 'other' })
  return { record, verdict: verdictFrom(record, isKnown, moment.nowMs) }
}

function isAdmittedBefore({ isAdmitted, branch, cluster }: WitnessRecord): boolean {
  return isAdmitted || (branch === '' && cluster !== '')
}

const NOTHING: Omit<WitnessRecord, 'witness' | 'opensAtMs'> = {
  ...{ deployment: '', cluster: '', timeline: 0, branch: '', isAdmitted: false, seenMs: 0 },
  ...{ claims: 0, vouchers: 0, signedMs: 0, isSound: false, isUsed: false, isSynced: false },
  ...{ leaseEndMs: 0, lostUntilMs: 0, members: [] },
}

/**
 * An empty memory, or one from a previous process of the registry, becomes a new witness once the old witness's leases
 * have ended.
 */
function currentRecord(before: WitnessRecord | null, { run, nowMs, newId }: WitnessMoment) {
  if (before?.witness.startsWith(`${run} `)) return before
  const { deployment, cluster, timeline, branch, isAdmitted, seenMs, ...marks } = before ?? NOTHING
  const { claims, vouchers, signedMs } = marks
  return {
    ...NOTHING,
    ...{ deployment, cluster, timeline, branch, isAdmitted, seenMs, claims, vouchers, signedMs },
    ...{ witness: `${run} ${newId}`, opensAtMs: nowMs + LEASE_MS },
  }
}

/** Why a history must not be written to: its peers write to a newer one, or recently wrote to a different one. */
function refusal(known: WitnessRecord, state: DatabaseState, nowMs: number) {
  const silentMs = nowMs - known.seenMs
  if (known.deployment === '') return null
  if (known.deployment !== state.deployment)
    return silentMs < DEPLOYMENT_KEPT_MS ? 'deployment' : null
  if (known.cluster !== state.cluster) return silentMs < SILENT_INSTANCE_WAIT_MS ? 'cluster' : null
  if (known.timeline > state.timeline) return 'timeline'
  const isOther = historyChange(known, state) === 'other'
  return isOther && silentMs < SILENT_INSTANCE_WAIT_MS ? 'branch' : null
}

/** How a history relates to the newest known history: `same`, `later` (its successor) or `other` (a replacement). */
function historyChange(known: WitnessRecord, state: DatabaseState) {
  if (known.deployment === '') return 'same'
  if (known.deployment !== state.deployment) return 'later'
  if (known.cluster !== state.cluster) return 'other'
  if (known.timeline < state.timeline) return 'later'
  return known.branch === '' || known.branch === branchText(state) ? 'same' : 'other'
}

/** The record for a successor history, which begins when the predecessor's leases end. */
function successorRecord(known: WitnessRecord, nowMs: number): WitnessRecord {
  const { isSynced, lostUntilMs, leaseEndMs, opensAtMs } = known
  return {
    ...known,
    lostUntilMs: Math.max(lostUntilMs, ...(isSynced ? [NOTHING_LOST_MS] : [leaseEndMs, nowMs])),
    opensAtMs: Math.max(opensAtMs, leaseEndMs),
    leaseEndMs: 0,
    isSynced: false,
  }
}

export function branchText({ timeline, branch }: Pick<DatabaseState, 'timeline' | 'branch'>) {
  return `${timeline} ${branch}`
}

type Compared = { readonly isKnown: boolean; readonly isOther: boolean }

function registeredRecord(
  held: WitnessRecord,
  state: DatabaseState,
  { nowMs, instance }: WitnessMoment,
  { isKnown, isOther }: Compared,
): WitnessRecord {
  const isForeign = held.deployment !== '' && held.deployment !== state.deployment
  const marks = isForeign ? NOTHING : held
  // A database that resumes after a replacement lacks the replacement's claims. So one claim more is required of this
  // database.
  const skipped = isOther && state.isContinued ? 1 : 0
  const isOpen = held.opensAtMs <= nowMs
  return {
    ...held,
    ...{ deployment: state.deployment, cluster: state.cluster, timeline: state.timeline },
    branch: branchText(state),
    isAdmitted: isKnown || state.isAdmitted,
    seenMs: nowMs,
    claims: Math.max(marks.claims, state.claims) + skipped,
    vouchers: Math.max(marks.vouchers, state.vouchers),
    signedMs: Math.max(marks.signedMs, state.signedMs),
    isSound: held.isSound || state.isLeased,
    isUsed: held.isUsed || state.witness === held.witness,
    // If every named standby has a claim, it also has all earlier claims.
    isSynced: state.isSynchronous && (held.isSynced || state.claims > marks.claims),
    // If the registry's clock steps back, a lease must still last as long as its holder assumes.
    leaseEndMs:
      isOpen && !state.isSynchronous
        ? Math.max(held.leaseEndMs, nowMs + LEASE_MS)
        : held.leaseEndMs,
    members: [...new Set([...held.members, instance])].slice(-MEMBERS_MAX),
  }
}

function verdictFrom(record: WitnessRecord, isKnown: boolean, nowMs: number): DatabaseVerdict {
  const { claims, vouchers, signedMs, witness, isSound, isUsed } = record
  return {
    ...{ refused: null, isKnown, witness, nowMs },
    marks: { claims, vouchers, signedMs },
    ...{ isSound, isUsed },
    ...{ lostUntilMs: record.lostUntilMs, leaseEndMs: record.leaseEndMs },
    opensInMs: Math.max(0, record.opensAtMs - nowMs),
    members: record.members,
  }
}
