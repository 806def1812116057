import type { Clock } from '../../core/ports.ts'
import type { VoucherStore } from '../../store/voucher/port.ts'

/**
 * Pauses all vouchers or lets them be signed again, and keeps a record of it; false when it is so already. Nothing is
 * being issued when it is done.
 */
export function setPaused(store: VoucherStore, clock: Clock, pause: boolean): Promise<boolean> {
  return store.atomically([], async (books) => {
    if ((await books.isPaused()) === pause) return false
    await books.record({ atMs: clock.nowMs(), event: pause ? 'paused' : 'resumed' })
    return true
  })
}
