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
   * How a write ended that another instance has claimed: waits for it as long as a write may take. `again` is to be
   * claimed once more, since it may have been given back; null says that nothing will be told.
   */
  readonly ended: (write: KeptWrite, waitedMs: number) => Promise<OwnedOutcome | 'again' | null>
}

/** How often whoever waits looks whether the write was given back. */
const LOOK_MS = 500

/** Of a process that stands alone nothing is known elsewhere. */
export const NOWHERE: Elsewhere = {
  keep: () => undefined,
  release: () => undefined,
  ended: async () => null,
}

export function createElsewhere(kept: KeptOutcomes): Elsewhere {
  async function ended(write: KeptWrite, waitedMs: number): Promise<OwnedOutcome | 'again' | null> {
    const leftMs = Math.max(0, LIMITS.upstreamWriteDeadlineMs - waitedMs)
    const bytes = await kept.look(write, Math.min(leftMs, LOOK_MS))
    if (bytes) return readOutcome(bytes)
    return leftMs > 0 && !kept.isAway() ? 'again' : null
  }

  return {
    keep: (write, outcome) => kept.keep(write, outcomeBytes(outcome)),
    release: kept.release,
    ended,
  }
}
