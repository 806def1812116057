import { type AgentJournal, begunText, endedText } from '../core/agent-journal.ts'
import { Failure } from '../core/failure.ts'
import { expected } from '../core/loop/guarded.ts'
import type { Clock } from '../core/ports.ts'
import type { WriteJournal } from './tool.ts'

type Parts = {
  readonly journal: Pick<AgentJournal, 'append'>
  readonly clock: Clock
  /** Whether the venue has accepted the caller's key for the account. */
  readonly isProven: () => Promise<boolean>
}

/**
 * The record of one caller's writes. Until the venue has accepted the caller's key, a write is recorded only
 * afterwards, and only when it was accepted with it: whoever has no account here adds no entries.
 */
export function writeJournal({ journal, clock, isProven }: Parts): WriteJournal {
  return {
    begin: async (write) => {
      const text = begunText(write)
      const begun = (await isProven()) ? await journal.append(text) : null
      return async (outcome) => {
        try {
          if (begun === null && !(await isProven())) return
          const of = begun ?? (await journal.append(text))
          await journal.append(endedText(of, clock.nowMs(), outcome))
        } catch (error) {
          // The write has its outcome; its entry goes on saying that it is unknown.
          expected('mcp', error, Failure)
        }
      }
    },
  }
}
