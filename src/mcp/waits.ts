import { refusal } from './refusal.ts'
import type { BeginWait } from './tool.ts'

/** Counts waits by caller. */
export type Waits = { readonly of: (caller: string) => BeginWait }

const WAITS_MAX = 4

export function createWaits(): Waits {
  const counts = new Map<string, number>()
  return {
    of: (caller) => () => {
      const own = counts.get(caller) ?? 0
      if (own >= WAITS_MAX) throw refusal('rate_limited', { limit: 'waits', max: WAITS_MAX })
      counts.set(caller, own + 1)
      return () => {
        const left = (counts.get(caller) ?? 1) - 1
        if (left === 0) counts.delete(caller)
        else counts.set(caller, left)
      }
    },
  }
}
