import { LIMITS } from '../../spec/limits.ts'
import {
  type KeptOutcomes,
  type KeptWrite,
  type OwnedOutcome,
  outcomeBytes,
  readOutcome,
} from './kept-outcome.ts'

/** Writes that other instances send, as far as they tell of them. */
export type Elsewhere = {
  readonly keep: (write: KeptWrite, ended: OwnedOutcome) => void
  readonly release: (identity: string) => void
  /**
   * How a write ended that another instance has claimed, waiting a moment for news. `sending` says that an instance is
   * at it, and `again` that none said so: the write may have been given back, and is to be claimed once more. Null
   * says that nothing will be told.
   */
  readonly ended: (
    write: KeptWrite,
    waitedMs: number,
  ) => Promise<OwnedOutcome | 'sending' | 'again' | null>
  /** Answers the question of other instances whether this one is sending a write. */
  readonly answerWith: (isSending: (identity: string) => boolean) => void
}

/** How often whoever waits asks who is sending the write, and looks whether it was given back. */
const LOOK_MS = 250

/** Of a process that stands alone nothing is known elsewhere. */
export const NOWHERE: Elsewhere = {
  keep: () => undefined,
  release: () => undefined,
  ended: async () => null,
  answerWith: () => undefined,
}

export function createElsewhere(kept: KeptOutcomes): Elsewhere {
  async function ended(write: KeptWrite, waitedMs: number) {
    const leftMs = Math.max(0, LIMITS.upstreamWriteDeadlineMs - waitedMs)
    const found = await kept.look(write, Math.min(leftMs, LOOK_MS))
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
