import type { Clock } from '../../core/ports.ts'
import type { ToolContext } from '../tool.ts'

const DAY_MS = 86_400_000

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
