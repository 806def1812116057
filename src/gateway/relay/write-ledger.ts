import { REPLAY_HEADER } from '../../contract/headers.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { ClaimedUse, StoredWrite } from '../../core/claim.ts'
import { createSha256 } from '../../core/digest.ts'
import { Failure } from '../../core/failure.ts'
import type { Clock, Store } from '../../core/ports.ts'
import type { Reply } from '../scrub/reply.ts'
import {
  type Answers,
  createAnswers,
  type OwnedOutcome,
  type PeerOutcomes,
  type WriteOutcome,
} from './outcomes.ts'

export type Written = { readonly reply: Reply; readonly replayed: boolean }

export type WriteAttempt = StoredWrite & {
  /** The identity of the write (`writeIdentity`). Attempts with the same identity count as one write. */
  readonly identity: string
  /** The account of the write. The signature does not cover the account, so only this account gets the answer. */
  readonly owner: string
  readonly signedAtMs: number
  /** The party whose share of claims the write uses: the account, or the caller while the venue has not accepted the key. */
  readonly claimant: string
  /** Whether the write only cancels or reduces; evaluated when a bound of claims is reached. */
  readonly isReducing: () => boolean
  /** Whether the write is sent even if its claim cannot be stored. */
  readonly goesUnclaimed: boolean
  /** Throws Failure if the signature is now too old to be sent. Called after the claim, which takes time. */
  readonly assertFresh: () => void
  /** The write's use of limits; null if no limit applies. The commit of the claim reserves it, or refuses the write. */
  readonly use: () => Promise<ClaimedUse | null>
  /** Sends the write. Throws Failure; `certainlyNotDone` decides whether the venue certainly did nothing. */
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

/** The text of `meta.next`: how to find the outcome of a write. */
const LOOK_FIRST =
  'Read GET /v1/orders (or GET /v1/order/{id}, GET /v1/positions) before you send this again.'

/** SHA-256 over the key's bytes and the signed text. The signature is left out, because it has several valid encodings. */
export function writeIdentity(publicKey: Uint8Array, signedText: string): string {
  return createSha256().update(publicKey).update(signedText).digest('hex')
}

type WriteLedgerOptions = {
  readonly clock: Clock
  readonly store: Store['once']
  readonly answersMaxBytes: number
  /** The outcomes at other instances. */
  readonly peers: PeerOutcomes
}

/** Creates the ledger. Pending writes and outcomes are in memory; claims are stored before anything is sent. */
export function createWriteLedger(parts: WriteLedgerOptions): WriteLedger {
  const { store, peers } = parts
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

  // Registers the pending write before its claim, so that a concurrent copy joins it.
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

  // A different account's pending write may be refused and released, so this attempt starts over after that write.
  async function join(attempt: WriteAttempt, { owner, landed }: Flight): Promise<Written> {
    const { outcome } = await landed
    return owner === attempt.owner ? unwrap(outcome, true) : once(attempt)
  }

  return { once, sweep: answers.sweep }
}

/** Returns a function that sends writes, and lets peers ask which writes are being sent. */
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
 * Waits for the outcome of a write that a different instance has claimed. Null if that instance released the claim, and
 * this instance has now claimed the write.
 */
async function awaitPeerOutcome(
  parts: WriteLedgerOptions,
  answers: Answers,
  attempt: PendingWrite,
): Promise<EndedWrite | null> {
  const { clock, peers } = parts
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

// An error that is no Failure is a bug, after which the outcome is unknown.
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

/** The header of a replayed answer. */
export const REPLAY = { [REPLAY_HEADER]: 'true' } as const

/** A replayed refusal; its answer has the replay header. */
export class Replayed extends Failure {
  constructor(failure: Failure) {
    super(failure.code, failure.meta, { cause: failure })
  }
}
