import { larger, smaller } from '../core/decimals.ts'

/**
 * The USDC that an account can withdraw: the smaller of its holding and its free collateral less unsettled profit. Null
 * if one of these is unknown.
 */
export function withdrawableUsdc(
  holding: bigint | null,
  freeCollateral: bigint | null,
  unsettled: bigint | null,
): bigint | null {
  if (holding === null || freeCollateral === null || unsettled === null) return null
  return larger(0n, smaller(holding, freeCollateral - larger(0n, unsettled)))
}
