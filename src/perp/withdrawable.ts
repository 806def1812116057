import { larger, smaller } from '../core/decimals.ts'

/**
 * The USDC that an account can withdraw: what it holds, as far as it is not needed as margin, where a profit that is not
 * settled does not count. Amounts are decimals of 18 places.
 */
export function withdrawableUsdc(holding: bigint, freeCollateral: bigint, unsettled: bigint) {
  return larger(0n, smaller(holding, freeCollateral - larger(0n, unsettled)))
}
