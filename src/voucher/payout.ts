import { mulDiv } from '../core/decimals.ts'
import { ZERO_ADDRESS } from '../core/hex.ts'
import type { PayoutTerms } from '../store/voucher/port.ts'
import { payoutKey, type SourceChain } from './config.ts'
import type { VaultDeposit } from './events.ts'

/**
 * What a deposit pays: `amount × mul ÷ div`, floored to the paid token's units. Null when its token or destination
 * is not served, nobody would receive it, or what is left is nothing, or more than one deposit may pay.
 */
export function payoutOf(
  deposit: VaultDeposit,
  { payouts }: Pick<SourceChain, 'payouts'>,
): PayoutTerms | null {
  const { token, destinationChainId, recipient } = deposit
  const rule = token === null ? undefined : payouts.get(payoutKey(token, destinationChainId))
  if (!rule || recipient === ZERO_ADDRESS) return null
  const amount = mulDiv(deposit.amount, rule.mul, rule.div, 'floor')
  if (amount <= 0n || amount > rule.max) return null
  return { redeemer: rule.redeemer, token: rule.token, amount }
}
