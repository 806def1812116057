import type { Clock } from '../../core/ports.ts'
import type { VoucherBooks, VoucherStore } from '../../store/voucher/port.ts'

/** Whether every request for a voucher is refused: vouchers are paused, or the store is not adopted. */
export async function areVouchersStopped(
  books: Pick<VoucherBooks, 'isPaused' | 'isAdopted'>,
): Promise<boolean> {
  return (await books.isPaused()) || !(await books.isAdopted())
}

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
