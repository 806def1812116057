import { after, guarded } from '../core/loop/guarded.ts'
import type { Clock } from '../core/ports.ts'
import { toolRefusal } from './refusal.ts'
import type { BeginWait, Timers } from './tool.ts'

/** The timers of the process. */
export const TIMERS: Timers = { sleep, deadline: (ms) => AbortSignal.timeout(ms) }

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = guarded('mcp', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    })
    const timer = after('mcp', ms, done)
    signal.addEventListener('abort', done)
  })
}

/** Counts waits by caller. */
export type ToolWaits = { readonly of: (caller: string) => BeginWait }

const WAITS_MAX = 4

export function createToolWaits({ nowMs }: Clock): ToolWaits {
  /** Per caller, the latest end of each wait. */
  const endsOf = new Map<string, Set<{ readonly atMs: number }>>()
  return {
    of: (caller) => (waitMs) => {
      const own = endsOf.get(caller) ?? new Set()
      if (own.size >= WAITS_MAX) throw tooManyWaits(own, nowMs())
      const end = { atMs: nowMs() + waitMs }
      own.add(end)
      endsOf.set(caller, own)
      return () => {
        own.delete(end)
        if (own.size === 0) endsOf.delete(caller)
      }
    },
  }
}

function tooManyWaits(own: ReadonlySet<{ readonly atMs: number }>, nowMs: number) {
  const firstMs = Math.min(...Array.from(own, ({ atMs }) => atMs))
  const retryAfterSeconds = Math.max(1, Math.ceil((firstMs - nowMs) / 1000))
  return toolRefusal('rate_limited', { limit: 'waits', max: WAITS_MAX, retryAfterSeconds })
}
