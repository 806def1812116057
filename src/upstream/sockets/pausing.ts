import { detached } from '../../core/loop/guarded.ts'
import { turn } from '../../core/loop/turn.ts'
import type { Wire } from './wire.ts'

/** Pauses a wire for as long as there is a reason. */
export type Pausing = {
  /** Says whether too much of its answer is unread. */
  readonly setUnread: (isUnread: boolean) => void
  /** Leaves others a turn of the loop after a read, where that was a long one. */
  readonly yieldAfter: (bytes: Buffer) => void
  /** Ends all pauses: its answer is over. */
  readonly end: () => void
}

const LONG_READ_BYTES = 65_536

/** No reason yet. */
export function createPausing({ pause, resume }: Pick<Wire, 'pause' | 'resume'>): Pausing {
  let isUnread = false
  let isYielding = false
  let isPaused = false

  function set(reasons: { readonly unread?: boolean; readonly yielding?: boolean }): void {
    isUnread = reasons.unread ?? isUnread
    isYielding = reasons.yielding ?? isYielding
    if (isPaused === (isUnread || isYielding)) return
    isPaused = !isPaused
    if (isPaused) pause()
    else resume()
  }

  async function yieldTurn(): Promise<void> {
    set({ yielding: true })
    await turn()
    set({ yielding: false })
  }

  return {
    setUnread: (unread) => set({ unread }),
    yieldAfter: ({ length }) => {
      if (length >= LONG_READ_BYTES) detached('upstream', yieldTurn())
    },
    end: () => set({ unread: false, yielding: false }),
  }
}
