import { VALKEY_LIMITS } from '../../contract/engines/valkey.ts'
import { after } from '../../core/loop/guarded.ts'

/** Decides whether calls still go to an engine that does not answer. */
export type Breaker = {
  /** True after `timeoutsMax` unanswered calls in a row, until a call is answered. While open, callers are refused at once. */
  readonly isOpen: () => boolean
  readonly answered: () => void
  readonly timedOut: () => void
  readonly close: () => void
}

/** A breaker that opens after `timeoutsMax` unanswered calls in a row. While it is open, only `probe` calls the engine. */
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
