import { currentVisit, type Visit } from '../core/observing/visit.ts'
import { VALKEY_LIMITS } from '../spec/engines/valkey.ts'
import { EngineAway } from './away.ts'

/** What each request may still wait for the engine; what no request asked for has all of it each time. */
export type Waits = {
  /** Whether the request that the running code works for has any of it left. */
  readonly isSpent: () => boolean
  /** Waits for an answer as long as its request may. Throws EngineAway, or what the answer throws. */
  readonly within: <Answer>(answer: Promise<Answer>) => Promise<Answer>
}

export function createWaits(nowMs: () => number): Waits {
  const waitedMs = new WeakMap<Visit, number>()

  const leftMs = (visit: Visit) => VALKEY_LIMITS.waitMaxMs - (waitedMs.get(visit) ?? 0)

  async function within<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const visit = currentVisit()
    if (!visit) return answer
    const startedMs = nowMs()
    try {
      // The client itself gives up after a whole wait: only who has waited before needs another clock.
      return waitedMs.has(visit) ? await capped(answer, leftMs(visit)) : await answer
    } finally {
      const tookMs = nowMs() - startedMs
      if (tookMs > NOTED_MS) waitedMs.set(visit, (waitedMs.get(visit) ?? 0) + tookMs)
    }
  }

  return {
    isSpent: () => {
      const visit = currentVisit()
      return visit !== undefined && leftMs(visit) <= 0
    },
    within,
  }
}

/** Shorter waits are not worth adding up. */
const NOTED_MS = 10

async function capped<Answer>(answer: Promise<Answer>, maxMs: number): Promise<Answer> {
  let timer: Timer | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new EngineAway('timeout')), maxMs)
  })
  try {
    return await Promise.race([answer, timeout])
  } finally {
    clearTimeout(timer)
  }
}
