import type { ResponseInfo } from '../../common/api.ts'

/** Interval at which held private reads check whether the write has finished. */
const HELD_MS = 250
/**
 * Private reads take half of the service's default limit of 300 calls per minute, and leave the other half for writes.
 */
const READS_PER_SECOND = 2.5
/** Maximum burst of private reads, in seconds of their rate; half of the default burst. */
const BURST_SECONDS = 12

export type Budget = ReturnType<typeof createBudget>

/** Decides when each kind of read may be sent, so that the server's rate limits always leave room for writes. */
export function createBudget() {
  const paused = new Map<string, number>()
  let perSecond = READS_PER_SECOND
  let sent = { count: 0, atMs: 0 }
  let writes = 0

  /** The number of private reads that still count as sent; it decreases at the allowed rate. */
  function sentAt(nowMs: number): number {
    return Math.max(0, sent.count - (Math.max(0, nowMs - sent.atMs) / 1000) * perSecond)
  }

  return {
    /** Takes the limit of private calls from a refusal's headers. */
    note: ({ policy, perSecond: limit }: ResponseInfo) => {
      if (limit !== null && (policy === 'relay' || policy === 'account')) perSecond = limit / 2
    },
    /** Stops reads of a policy until the time that the server's refusal named. */
    pause: (policy: string, untilMs: number) => {
      paused.set(policy, Math.max(untilMs, paused.get(policy) ?? 0))
    },
    /** Holds private reads back during a write, until the returned function is called. */
    hold: (): (() => void) => {
      writes += 1
      return () => {
        writes -= 1
      }
    },
    /** Counts one private read as sent now. */
    take: (nowMs: number) => {
      sent = { count: sentAt(nowMs) + 1, atMs: nowMs }
    },
    /** The wait in ms before the next read of a policy; 0 or less means now. */
    waitMs: (policy: string, nowMs: number): number => {
      const pausedMs = Math.max(0, (paused.get(policy) ?? 0) - nowMs)
      if (policy !== 'relay') return pausedMs
      const missing = sentAt(nowMs) + 1 - Math.max(1, perSecond * BURST_SECONDS)
      return Math.max(pausedMs, writes > 0 ? HELD_MS : 0, (missing / perSecond) * 1000)
    },
  }
}
