import { VALKEY_LIMITS } from '../spec/engines/valkey.ts'

/** Whether an engine that does not answer is asked at all. */
export type Breaker = {
  /** False while it is open; after that one call at a time finds out whether the engine is back. */
  readonly mayAsk: () => boolean
  readonly answered: () => void
  readonly timedOut: () => void
}

/** A breaker that opens after so many calls in a row that had no answer. */
export function createBreaker(nowMs: () => number): Breaker {
  let timeouts = 0
  let openUntilMs = 0

  const isTripped = () => timeouts >= VALKEY_LIMITS.timeoutsMax

  function mayAsk(): boolean {
    if (!isTripped()) return true
    if (nowMs() < openUntilMs) return false
    // Whoever asks now asks for everybody; the others do not wait for that.
    openUntilMs = nowMs() + VALKEY_LIMITS.waitMaxMs
    return true
  }

  return {
    mayAsk,

    answered: () => {
      timeouts = 0
    },
    timedOut: () => {
      timeouts += 1
      if (isTripped()) openUntilMs = nowMs() + VALKEY_LIMITS.breakerOpenMs
    },
  }
}
