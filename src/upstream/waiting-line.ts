import { after } from '../core/loop/guarded.ts'
import { UpstreamError } from '../core/ports.ts'

/** Calls that wait for a slot, first come first served. */
export type WaitingLine = {
  readonly size: () => number
  /**
   * Waits to be the first and admitted; answers what `admit` then answers, at once. Throws UpstreamError `saturated`
   * (not sent) when `waitMaxMs` have passed.
   */
  readonly wait: <Slot>(waitMaxMs: number, admit: () => Slot) => Promise<Slot>
  /** Admits the first, if any waits. */
  readonly admitFirst: () => void
}

export function createWaitingLine(): WaitingLine {
  const waiting = new Set<() => void>()

  function wait<Slot>(waitMaxMs: number, admit: () => Slot): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const giveUp = after('upstream', waitMaxMs, () => {
      waiting.delete(enter)
      reject(new UpstreamError('saturated', false))
    })
    function enter(): void {
      clearTimeout(giveUp)
      waiting.delete(enter)
      resolve(admit())
    }
    waiting.add(enter)
    return promise
  }

  function admitFirst(): void {
    const [first] = waiting
    first?.()
  }

  return { size: () => waiting.size, wait, admitFirst }
}
