import { createBoundedMap } from '../../core/bounded-map.ts'
import type { OwnedOutcome } from './kept-outcome.ts'

/** How writes ended, in memory, the oldest going first when the bytes run out. */
export type Answers = {
  readonly keep: (identity: string, ended: OwnedOutcome, expiresAtMs: number) => void
  readonly find: (identity: string) => OwnedOutcome | undefined
  /** Forgets those whose signatures can no longer be fresh. */
  readonly sweep: (nowMs: number) => void
}

/** What one remembered outcome costs beside its bytes. */
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
