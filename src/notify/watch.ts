import { NOTIFY_LIMITS, type Notice } from '../spec/operator/notify.ts'
import type { Condition } from './conditions.ts'
import type { Judge } from './judge.ts'

/** Since when a condition that was sent holds, by its name. */
type Open = Map<string, number>

type Parts = {
  readonly judge: Pick<Judge, 'look'>
  /** What is missing for readiness. */
  readonly missing: () => string | null
  /** The conditions that were notified and have not ended, also by an earlier process; each check changes them. */
  readonly open: Open
}

/** More time than this between two looks is a step of the clock. */
const PASSED_MAX_MS = 2 * NOTIFY_LIMITS.lookEveryMs

/** Judges all conditions: each call answers what has begun or ended since the call before. */
export function createWatch({ judge, missing, open }: Parts): (nowMs: number) => readonly Notice[] {
  const holding = new Map<string, { readonly sinceMs: number; readonly forMs: number }>()
  let lastMs: number | null = null
  let passedMs = 0

  return (nowMs) => {
    passedMs = Math.min(Math.max(nowMs - (lastMs ?? nowMs), 0), PASSED_MAX_MS)
    lastMs = nowMs
    return judge.look(nowMs, missing()).flatMap(({ name, condition, holds }) => {
      if (holds === null || condition.forMs === null) return []
      return holds ? held(name, condition, nowMs) : ended(name, condition)
    })
  }

  function held(name: string, condition: Condition, nowMs: number): Notice[] {
    const before = holding.get(name)
    const { sinceMs, forMs } = before
      ? { sinceMs: before.sinceMs, forMs: before.forMs + passedMs }
      : { sinceMs: nowMs, forMs: 0 }
    holding.set(name, { sinceMs, forMs })
    if (open.has(name) || forMs < (condition.forMs ?? 0)) return []
    open.set(name, sinceMs)
    const state = condition.over === null ? 'happened' : 'begun'
    const { level, title, action } = condition
    return [{ name, state, level, title, action, sinceMs }]
  }

  function ended(name: string, { over, level }: Condition): Notice[] {
    holding.delete(name)
    const sinceMs = open.get(name)
    open.delete(name)
    if (sinceMs === undefined || over === null) return []
    return [{ name, state: 'over', level, title: over, action: '', sinceMs }]
  }
}
