import type { ResponseInfo } from '../../common/api.ts'

/** Below so many requests left, whoever polls slows down. */
const RESERVE = 15
const SLOWER = 4

/** What the server's rate limits leave, from the headers of its answers. */
export type Budget = {
  readonly note: (info: Pick<ResponseInfo, 'policy' | 'remaining'>) => void
  /** After a refusal nothing of this policy is sent before the server's own time. */
  readonly pause: (policy: string, untilMs: number) => void
  /** How long to wait before the next request of a policy; 0 is now. */
  readonly waitMs: (policy: string, nowMs: number) => number
  /** By how much polling of a policy is stretched. */
  readonly stretch: (policy: string) => number
}

export function createBudget(): Budget {
  const remaining = new Map<string, number>()
  const paused = new Map<string, number>()
  return {
    note: ({ policy, remaining: left }) => {
      if (left !== null) remaining.set(policy, left)
    },
    pause: (policy, untilMs) => {
      paused.set(policy, Math.max(untilMs, paused.get(policy) ?? 0))
    },
    waitMs: (policy, nowMs) => Math.max(0, (paused.get(policy) ?? 0) - nowMs),
    stretch: (policy) => ((remaining.get(policy) ?? RESERVE) < RESERVE ? SLOWER : 1),
  }
}
