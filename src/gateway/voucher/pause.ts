import type { Clock } from '../../core/ports.ts'
import type { VoucherStore } from '../../store/voucher/port.ts'

/**
 * Pauses or resumes all vouchers and records the change. Returns false if that already is the state. When the promise
 * resolves, every request for a voucher that began earlier has ended.
 */
export function setPaused(store: VoucherStore, clock: Clock, pause: boolean): Promise<boolean> {
  return store.atomically(async (books) => {
    if ((await books.isPaused()) === pause) return false
    await books.record({ atMs: clock.nowMs(), event: pause ? 'paused' : 'resumed' })
    return true
  })
}
