import { REPLAY_HEADER } from '../../contract/headers.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { ClaimedUse, KeptWrite } from '../../core/claim.ts'
import { createSha256 } from '../../core/digest.ts'
import { Failure } from '../../core/failure.ts'
import type { Clock, Store } from '../../core/ports.ts'
import type { Reply } from '../scrub/reply.ts'
import {
  type Answers,
  createAnswers,
  NO_PEERS,
  type OwnedOutcome,
  type PeerOutcomes,
  type WriteOutcome,
} from './outcomes.ts'

export type Written = { readonly reply: Reply; readonly replayed: boolean }

export type WriteAttempt = KeptWrite & {
  /** The identity of the write, see `writeIdentity`. Two writes with one identity are the same write. */
  readonly identity: string
  /** The account that the write was sent for. The signature does not cover it, so only this account gets the answer. */
  readonly owner: string
  readonly signedAtMs: number
  /** The party whose share of the claims it takes: the account, or the caller whose key the venue has not accepted. */
  readonly claimant: string
  /** Whether it only reduces; asked where a bound of claims is reached. */
  readonly isReducing: () => boolean
  /** Whether it goes out even when its claim cannot be stored. */
  readonly goesUnclaimed: boolean
  /** Throws Failure for a signature that is too old to be sent: a claim takes time, and a process may be stopped. */
  readonly assertFresh: () => void
  /**
   * The use of limits, for the commit of the claim, which refuses a forbidden use; null for a write that uses no limit.
   */
  readonly use: () => Promise<ClaimedUse | null>
  /** Sends the write. Throws Failure; `certainlyNotDone` says whether a throw leaves the venue untouched. */
  readonly send: () => Promise<Reply>
  readonly certainlyNotDone: (error: unknown) => boolean
}

/** Forwards each write at most once, even when callers, connections or this process fail. */
export type WriteLedger = {
  readonly once: (attempt: WriteAttempt) => Promise<Written>
  /** Forgets answers whose signatures can no longer be fresh. */
  readonly sweep: (nowMs: number) => void
}

/** A write whose use of limits is known. */
type PendingWrite = WriteAttempt & { readonly using: ClaimedUse | undefined }

type EndedWrite = { readonly outcome: WriteOutcome; readonly replayed: boolean }

type Flight = { readonly owner: string; readonly landed: Promise<EndedWrite> }

/** The next step that finds the outcome of a write, in `meta.next`. */
const LOOK_FIRST =
  'Read GET /v1/orders (or GET /v1/order/{id}, GET /v1/positions) before you send this again.'

/** SHA-256 over the key's bytes and the signed text. A signature has many spellings; this identity has one. */
export function writeIdentity(publicKey: Uint8Array, signedText: string): string {
  return createSha256().update(publicKey).update(signedText).digest('hex')
}

type WriteLedgerOptions = {
  readonly clock: Clock
  readonly store: Store['once']
  readonly answersMaxBytes: number
  /** The other instances; absent for a process that runs alone. */
  readonly peers?: PeerOutcomes
}

/** The ledger: flights and answers in memory, claims in the store, written before anything is sent. */
export function createWriteLedger(parts: WriteLedgerOptions): WriteLedger {
  const { store, peers = NO_PEERS } = parts
  const flights = new Map<string, Flight>()
  const answers = createAnswers(parts.answersMaxBytes)
  const sending = createSending(peers)

  async function claimAndSend(attempt: WriteAttempt): Promise<EndedWrite> {
    const flying = { ...attempt, using: (await attempt.use()) ?? undefined }
    const isClaimed = await tryClaim(parts, flying)
    const there = isClaimed ? null : await awaitPeerOutcome(parts, answers, flying)
    if (there) return there
    const late = staleSignatureFailure(attempt)
    const outcome = late ? await giveBack(flying, { failure: late }) : await sendClaimed(flying)
    return { outcome, replayed: false }
  }

  async function sendClaimed(attempt: PendingWrite): Promise<WriteOutcome> {
    try {
      return keepOutcome(attempt, { reply: await sending(attempt) })
    } catch (error) {
      const end = attempt.certainlyNotDone(error) ? giveBack : keepOutcome
      return end(attempt, { failure: toWriteFailure(error) })
    }
  }

  async function giveBack({ identity, using }: PendingWrite, outcome: WriteOutcome) {
    await store.release(identity, using?.ids)
    peers.release(identity)
    return outcome
  }

  function keepOutcome(attempt: WriteAttempt, outcome: WriteOutcome): WriteOutcome {
    const ended = { owner: attempt.owner, outcome }
    answers.keep(attempt.identity, ended, attempt.expiresAtMs)
    peers.keep(attempt, ended)
    return outcome
  }

  // The flight is registered before the claim is made, so that a concurrent copy joins it.
  async function once(attempt: WriteAttempt): Promise<Written> {
    const { identity, owner } = attempt
    const flight = flights.get(identity)
    if (flight) return join(attempt, flight)
    const known = answers.find(identity)
    if (known && known.owner !== owner) throw new Failure('duplicate_request')
    if (known) return unwrap(known.outcome, true)
    const landed = claimAndSend(attempt).finally(() => flights.delete(identity))
    flights.set(identity, { owner, landed })
    const { outcome, replayed } = await landed
    return unwrap(outcome, replayed)
  }

  // Another account's attempt with the same text may have been refused and given back.
  async function join(attempt: WriteAttempt, { owner, landed }: Flight): Promise<Written> {
    const { outcome } = await landed
    return owner === attempt.owner ? unwrap(outcome, true) : once(attempt)
  }

  return { once, sweep: answers.sweep }
}

/** Sends writes, and answers peers which writes are being sent. */
function createSending(peers: PeerOutcomes): (attempt: WriteAttempt) => Promise<Reply> {
  const identities = new Set<string>()
  peers.answerWith((identity) => identities.has(identity))
  return async ({ identity, send }) => {
    identities.add(identity)
    try {
      return await send()
    } finally {
      identities.delete(identity)
    }
  }
}

/**
 * The end of a write that another instance has claimed; null when that instance gave it back and this one has claimed
 * it now.
 */
async function awaitPeerOutcome(
  parts: WriteLedgerOptions,
  answers: Answers,
  attempt: PendingWrite,
): Promise<EndedWrite | null> {
  const { clock, peers = NO_PEERS } = parts
  const beganMs = clock.nowMs()
  for (let activeMs = beganMs; clock.nowMs() - activeMs < LIMITS.peerSilenceMaxMs; ) {
    const ended = await peers.ended(attempt, clock.nowMs() - beganMs)
    if (ended === 'sending') activeMs = clock.nowMs()
    else if (ended !== 'again') return endedAtPeer(answers, attempt, ended)
    if (await tryClaim(parts, attempt).catch(rethrowAsUnknown)) return null
  }
  return endedAtPeer(answers, attempt, null)
}

function endedAtPeer(
  answers: Answers,
  { identity, owner, expiresAtMs }: WriteAttempt,
  ended: OwnedOutcome | null,
): EndedWrite {
  if (!ended) return { outcome: { failure: unknownOutcome() }, replayed: false }
  if (ended.owner !== owner) throw new Failure('duplicate_request')
  answers.keep(identity, ended, expiresAtMs)
  return { outcome: ended.outcome, replayed: true }
}

async function tryClaim(
  { clock, store }: Pick<WriteLedgerOptions, 'clock' | 'store'>,
  { identity, signedAtMs: sinceMs, expiresAtMs, goesUnclaimed, using, ...attempt }: PendingWrite,
): Promise<boolean> {
  try {
    const { claimant: owner, isReducing } = attempt
    const claim = {
      ...{ identity, sinceMs, expiresAtMs, isSigned: true, isRepeatable: goesUnclaimed },
      ...{ owner, isReducing },
    }
    return await store.claim(claim, clock.nowMs(), using)
  } catch (error) {
    if (goesUnclaimed && isUnkept(error)) return true
    throw error
  }
}

function isUnkept(error: unknown): boolean {
  return error instanceof Failure && error.code === 'store_unavailable'
}

/** If another instance holds the claim, the write may already have been sent, so the outcome is unknown. */
function rethrowAsUnknown(cause: unknown): never {
  throw isUnkept(cause) ? unknownOutcome({ cause }) : cause
}

/** The failure of a write whose signature is too old; null while it is fresh. */
function staleSignatureFailure({ assertFresh }: WriteAttempt): Failure | null {
  try {
    assertFresh()
    return null
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

// Anything but a Failure is a bug, after which the state at the venue is unknown.
function toWriteFailure(error: unknown): Failure {
  if (error instanceof Failure && error.code !== 'outcome_unknown') return error
  return unknownOutcome({ cause: error })
}

function unknownOutcome(options?: ErrorOptions): Failure {
  return new Failure('outcome_unknown', { next: LOOK_FIRST }, options)
}

function unwrap(outcome: WriteOutcome, replayed: boolean): Written {
  if ('failure' in outcome) throw replayed ? new Replayed(outcome.failure) : outcome.failure
  return { reply: outcome.reply, replayed }
}

/** The header of an answer that was given before. */
export const REPLAY = { [REPLAY_HEADER]: 'true' } as const

/** A refusal given again to a repeat; the answer carries the replay header. */
export class Replayed extends Failure {
  constructor(failure: Failure) {
    super(failure.code, failure.meta, { cause: failure })
  }
}
