import type { Clock } from '../core/ports.ts'
import type { VoucherStore } from '../store/voucher/port.ts'

/** Pauses all vouchers or lets them be signed again, and keeps a record of it; false when it is so already. */
export function setPaused(store: VoucherStore, clock: Clock, pause: boolean): boolean {
  return store.atomically(() => {
    if (store.isPaused() === pause) return false
    store.record({ atMs: clock.nowMs(), event: pause ? 'paused' : 'resumed' })
    return true
  })
}
