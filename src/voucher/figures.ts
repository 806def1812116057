import type { ConsoleFigures } from '../spec/console/figures.ts'
import { VOUCHER_LIMITS } from '../spec/voucher.ts'
import type { VoucherDesk } from './desk.ts'

/** Whether vouchers are paused, and what each cap still allows. Tokens go by their place, never by their address. */
export function voucherFigures(
  { config, store }: Pick<VoucherDesk, 'config' | 'store'>,
  nowMs: number,
): NonNullable<ConsoleFigures['vouchers']> {
  const sinceMs = nowMs - VOUCHER_LIMITS.capWindowMs
  const caps = Array.from(config.caps, ([key, cap], at) => {
    const [token = '', chain = ''] = key.split(':')
    const chainId = Number(chain)
    const paid = store.paidSince(chainId, token, sinceMs)
    return { chainId, token: at + 1, cap: String(cap), paid: String(paid) }
  })
  return { isPaused: store.isPaused(), caps }
}
