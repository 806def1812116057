import { larger, smaller } from '../core/decimals.ts'

/**
 * The USDC that an account can withdraw: its holding, up to the free collateral without unsettled profit. Amounts are
 * decimals of 18 places.
 */
export function withdrawableUsdc(holding: bigint, freeCollateral: bigint, unsettled: bigint) {
  return larger(0n, smaller(holding, freeCollateral - larger(0n, unsettled)))
}
