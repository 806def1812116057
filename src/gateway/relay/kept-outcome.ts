import { Failure, type FailureMeta } from '../../core/failure.ts'
import { isObject } from '../../core/json.ts'
import { type Reply, restoreReply } from '../../scrub/reply.ts'
import { FAILURES, type FailureCode } from '../../spec/failures.ts'

/** How a write ended: its answer, or the definite refusal every repeat gets again. */
export type Outcome = { readonly reply: Reply } | { readonly failure: Failure }

/** An outcome, and the account that its write was sent for: nobody else gets it. */
export type OwnedOutcome = { readonly owner: string; readonly outcome: Outcome }

export type KeptWrite = {
  readonly identity: string
  /** The bytes of its signature: whoever has them may read what is kept. */
  readonly signature: Uint8Array
  readonly expiresAtMs: number
}

/** Outcomes of writes where all instances find them. */
export type KeptOutcomes = {
  /** Keeps an outcome until the claim of its write ends, as far as that can be done. */
  readonly keep: (write: KeptWrite, outcome: Uint8Array) => void
  /** Tells the other instances that a write has been given back, and that nothing is kept of it. */
  readonly release: (identity: string) => void
  /**
   * What is kept of a write, waiting for news of it at most so long: `sending` where nothing is and another instance
   * said that it is sending it, null where none did.
   */
  readonly look: (write: KeptWrite, maxMs: number) => Promise<Uint8Array | 'sending' | null>
  /** Answers the question of other instances whether this one is sending a write. */
  readonly answerWith: (isSending: (identity: string) => boolean) => void
  /** Whether nothing can be found at present. */
  readonly isAway: () => boolean
}

/** An outcome as bytes: a line of JSON, and the answer's own bytes. */
export function outcomeBytes({ owner, outcome }: OwnedOutcome): Uint8Array {
  if ('reply' in outcome) {
    return Buffer.concat([Buffer.from(`${JSON.stringify({ owner })}\n`), outcome.reply.bytes])
  }
  const { code, meta } = outcome.failure
  return Buffer.from(`${JSON.stringify({ owner, code, ...(meta && { meta }) })}\n`)
}

/** Null for bytes that are no outcome. */
export function readOutcome(bytes: Uint8Array): OwnedOutcome | null {
  const cut = bytes.indexOf(LINE_END)
  if (cut < 0) return null
  const head: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(0, cut)))
  if (!isObject(head)) return null
  const { owner, code, meta } = head
  if (typeof owner !== 'string') return null
  if (code === undefined)
    return { owner, outcome: { reply: restoreReply(bytes.subarray(cut + 1)) } }
  return isCode(code) ? { owner, outcome: { failure: new Failure(code, metaOf(meta)) } } : null
}

const LINE_END = 10

function isCode(code: unknown): code is FailureCode {
  return typeof code === 'string' && Object.hasOwn(FAILURES, code)
}

function metaOf(meta: unknown): FailureMeta | undefined {
  return isObject(meta) ? (meta as FailureMeta) : undefined
}
