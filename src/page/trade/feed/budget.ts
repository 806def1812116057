import type { ResponseInfo } from '../../common/api.ts'

/** Below so many requests left, whoever polls slows down. */
const RESERVE = 15
const SLOWER = 4

export type Budget = ReturnType<typeof createBudget>

/** What the server's rate limits leave, from the headers of its answers. */
export function createBudget() {
  const remaining = new Map<string, number>()
  const paused = new Map<string, number>()
  return {
    note: ({ policy, remaining: left }: Pick<ResponseInfo, 'policy' | 'remaining'>) => {
      if (left !== null) remaining.set(policy, left)
    },
    /** After a refusal nothing of this policy is sent before the server's own time. */
    pause: (policy: string, untilMs: number) => {
      paused.set(policy, Math.max(untilMs, paused.get(policy) ?? 0))
    },
    /** How long to wait before the next request of a policy; 0 is now. */
    waitMs: (policy: string, nowMs: number) => Math.max(0, (paused.get(policy) ?? 0) - nowMs),
    /** By how much polling of a policy is stretched. */
    stretch: (policy: string) => ((remaining.get(policy) ?? RESERVE) < RESERVE ? SLOWER : 1),
  }
}
