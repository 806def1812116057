import type { Clock } from '../../core/ports.ts'
import type { VoucherStore } from '../../store/voucher/port.ts'

/**
 * Pauses or resumes all vouchers and records it; false when that is the state already. By the time it returns, every
 * earlier issue has ended.
 */
export function setPaused(store: VoucherStore, clock: Clock, pause: boolean): Promise<boolean> {
  return store.atomically([], async (books) => {
    if ((await books.isPaused()) === pause) return false
    await books.record({ atMs: clock.nowMs(), event: pause ? 'paused' : 'resumed' })
    return true
  })
}
