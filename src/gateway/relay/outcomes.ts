import { isFailureCode } from '../../contract/failures.ts'
import { LIMITS } from '../../contract/limits.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { StoredWrite } from '../../core/claim.ts'
import { Failure, type FailureMeta } from '../../core/failure.ts'
import { isObject } from '../../core/json.ts'
import { type Reply, restoreReply } from '../scrub/reply.ts'

/** The outcome of a write: its answer, or a definite refusal. Every repeat of the write gets the same outcome. */
export type WriteOutcome = { readonly reply: Reply } | { readonly failure: Failure }

/** The outcome of a write. Only the account that sent the write (`owner`) gets the outcome. */
export type OwnedOutcome = { readonly owner: string; readonly outcome: WriteOutcome }

/** Stores the outcomes of writes for all instances. */
export type KeptOutcomes = {
  /** Stores an outcome until the claim of its write expires. Best effort. */
  readonly keep: (write: StoredWrite, outcome: Uint8Array) => void
  /** Announces to other instances that a write's claim was released without an outcome. */
  readonly release: (identity: string) => void
  /**
   * The stored outcome of a write. Waits at most `maxMs` for its announcement. `sending`: no outcome yet, but a
   * different instance announced that it is sending the write. Null: other instances know nothing about the write.
   */
  readonly look: (write: StoredWrite, maxMs: number) => Promise<Uint8Array | 'sending' | null>
  /** Sets the function by which other instances ask whether this instance is sending a write. */
  readonly answerWith: (isSending: (identity: string) => boolean) => void
  /** Whether the shared outcomes are unreachable. */
  readonly isAway: () => boolean
}

/** An outcome as bytes: a line of JSON, then the bytes of the answer. */
function outcomeBytes({ owner, outcome }: OwnedOutcome): Uint8Array {
  if ('reply' in outcome) {
    return Buffer.concat([Buffer.from(`${JSON.stringify({ owner })}\n`), outcome.reply.bytes])
  }
  const { code, meta } = outcome.failure
  return Buffer.from(`${JSON.stringify({ owner, code, ...(meta && { meta }) })}\n`)
}

/** Null for bytes that are no outcome. */
function readOutcome(bytes: Uint8Array): OwnedOutcome | null {
  const cut = bytes.indexOf(LINE_END)
  if (cut < 0) return null
  const head: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(0, cut)))
  if (!isObject(head)) return null
  const { owner, code, meta } = head
  if (typeof owner !== 'string') return null
  if (code === undefined)
    return { owner, outcome: { reply: restoreReply(bytes.subarray(cut + 1)) } }
  if (typeof code !== 'string' || !isFailureCode(code)) return null
  return { owner, outcome: { failure: new Failure(code, toFailureMeta(meta)) } }
}

const LINE_END = 10

function toFailureMeta(meta: unknown): FailureMeta | undefined {
  return isObject(meta) ? (meta as FailureMeta) : undefined
}

/** Outcomes of writes in memory. When the bytes run out, the oldest are evicted. */
export type Answers = {
  readonly keep: (identity: string, ended: OwnedOutcome, expiresAtMs: number) => void
  readonly find: (identity: string) => OwnedOutcome | undefined
  /** Forgets outcomes whose signatures can no longer be fresh. */
  readonly sweep: (nowMs: number) => void
}

/** Assumed memory of an outcome in addition to its body. */
const ENTRY_BYTES = 512

export function createAnswers(maxBytes: number): Answers {
  const kept = createBoundedMap<string, OwnedOutcome & { readonly expiresAtMs: number }>(maxBytes)
  return {
    keep: (identity, ended, expiresAtMs) => {
      const { outcome } = ended
      const sizeBytes = ENTRY_BYTES + ('reply' in outcome ? outcome.reply.bytes.byteLength : 0)
      kept.put(identity, { ...ended, expiresAtMs }, sizeBytes)
    },
    find: kept.get,
    sweep: (nowMs) => {
      for (const [identity, { expiresAtMs }] of kept.entries()) {
        if (expiresAtMs < nowMs) kept.drop(identity)
      }
    },
  }
}

/** The outcomes of writes that other instances claimed. */
export type PeerOutcomes = {
  readonly keep: (write: StoredWrite, ended: OwnedOutcome) => void
  readonly release: (identity: string) => void
  /**
   * Waits a short time for the outcome of a write that a different instance claimed. `sending`: an instance is sending
   * the write. `again`: no announcement, so try to claim the write again, as its claim may have been released. Null:
   * the outcome stays unknown.
   */
  readonly ended: (
    write: StoredWrite,
    waitedMs: number,
  ) => Promise<OwnedOutcome | 'sending' | 'again' | null>
  /** Sets the function by which other instances ask whether this instance is sending a write. */
  readonly answerWith: (isSending: (identity: string) => boolean) => void
}

/** For a process that runs alone: outcomes at peers are always unknown. */
export const NO_PEERS: PeerOutcomes = {
  keep: () => undefined,
  release: () => undefined,
  ended: async () => null,
  answerWith: () => undefined,
}

export function createPeerOutcomes(kept: KeptOutcomes): PeerOutcomes {
  async function ended(write: StoredWrite, waitedMs: number) {
    const leftMs = Math.max(0, LIMITS.upstreamWriteDeadlineMs - waitedMs)
    const found = await kept.look(write, Math.min(leftMs, LIMITS.peerLookEveryMs))
    if (found !== null && found !== 'sending') return readOutcome(found)
    return leftMs > 0 && !kept.isAway() ? (found ?? 'again') : null
  }

  return {
    keep: (write, outcome) => kept.keep(write, outcomeBytes(outcome)),
    release: kept.release,
    ended,
    answerWith: kept.answerWith,
  }
}
