import { SECOND_MS } from '../../contract/durations.ts'
import { ADVANCE_PATH } from '../../contract/venue/advance.ts'
import { accountWrite } from '../account-call.ts'
import { figure } from '../rows.ts'
import type { SignedContext, Timers } from '../tool.ts'

const STEP_MS = SECOND_MS

/**
 * Timers for a wait on a virtual clock that only this account advances. Each sleep advances the clock by one second, or
 * less at the end of the wait. The deadline aborts when the clock cannot be advanced any more.
 */
export function steppedTimers(context: SignedContext, waitMs: number): Timers {
  const stopped = new AbortController()
  let leftMs = waitMs
  return {
    sleep: async (_, signal) => {
      if (signal.aborted) return
      const ms = Math.min(STEP_MS, leftMs)
      const answer = await accountWrite(context, {
        method: 'POST',
        path: ADVANCE_PATH,
        body: JSON.stringify({ steps: [{ ms }] }),
        lookUp: { tool: 'get_time', arguments: {} },
      })
      const [step] = Array.isArray(answer['steps']) ? answer['steps'] : []
      const passedMs = figure(step, 'advancedMs')
      leftMs -= passedMs
      if (passedMs <= 0) stopped.abort()
    },
    deadline: () => stopped.signal,
  }
}
