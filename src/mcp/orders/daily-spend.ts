import type { Clock } from '../../core/ports.ts'
import { DAY_MS } from '../../spec/durations.ts'
import type { ToolContext } from '../tool.ts'

/** What this process has sent in orders since midnight UTC, in micro-USDC. */
export function createDailySpend(clock: Clock): NonNullable<ToolContext['daily']> {
  let day = 0
  let micros = 0n
  function today(): bigint {
    const now = Math.floor(clock.nowMs() / DAY_MS)
    if (now !== day) {
      day = now
      micros = 0n
    }
    return micros
  }
  return {
    spent: today,
    add: (more) => {
      micros = today() + more
    },
  }
}
