import { larger, smaller } from '../core/decimals.ts'

/** The USDC that an account can withdraw: the smaller of its holding and its free collateral less unsettled profit. */
export function withdrawableUsdc(holding: bigint, freeCollateral: bigint, unsettled: bigint) {
  return larger(0n, smaller(holding, freeCollateral - larger(0n, unsettled)))
}
