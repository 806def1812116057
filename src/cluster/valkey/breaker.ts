import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import { after } from '../../core/loop/guarded.ts'

/** Decides whether an engine that does not answer is still asked. */
export type Breaker = {
  /** Open from `timeoutsMax` unanswered calls in a row until one is answered. Meanwhile callers are refused at once. */
  readonly isOpen: () => boolean
  readonly answered: () => void
  readonly timedOut: () => void
  readonly close: () => void
}

/**
 * A breaker that opens after `timeoutsMax` unanswered calls in a row. While it is open, only `probe` asks the engine.
 */
export function createBreaker(probe: () => Promise<unknown>): Breaker {
  let timeouts = 0
  let timer: Timer | undefined
  let isOver = false

  const isOpen = () => timeouts >= VALKEY_LIMITS.timeoutsMax

  function probeLater(): void {
    timer ??= after('valkey', VALKEY_LIMITS.breakerOpenMs, async () => {
      await probe()
      timer = undefined
      if (isOpen() && !isOver) probeLater()
    }).unref()
  }

  return {
    isOpen,
    answered: () => {
      timeouts = 0
    },
    timedOut: () => {
      timeouts += 1
      if (isOpen()) probeLater()
    },
    close: () => {
      isOver = true
      clearTimeout(timer)
    },
  }
}
