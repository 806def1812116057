import { mulDiv } from '../core/decimals.ts'
import { ZERO_ADDRESS } from '../core/hex.ts'
import type { PayoutTerms } from '../store/voucher/port.ts'
import { type Payout, payoutKey, type SourceChain } from './config.ts'
import type { VaultDeposit } from './events.ts'

/**
 * What a deposit pays: `amount × mul ÷ div`, floored to the paid token's units. Null when it is not served, or what is
 * left is nothing, or more than one deposit may pay.
 */
export function payoutOf(deposit: VaultDeposit, chain: Served): PayoutTerms | null {
  const rule = ruleOf(deposit, chain)
  if (!rule) return null
  const amount = mulDiv(deposit.amount, rule.mul, rule.div, 'floor')
  if (amount <= 0n || amount > rule.max) return null
  return { redeemer: rule.redeemer, token: rule.token, amount }
}

/** Whether deposits like this one are paid at all: its token and destination, to somebody. */
export function isServed(deposit: VaultDeposit, chain: Served): boolean {
  return ruleOf(deposit, chain) !== null
}

type Served = Pick<SourceChain, 'payouts'>

function ruleOf(
  { token, destinationChainId, recipient }: VaultDeposit,
  { payouts }: Served,
): Payout | null {
  if (token === null || recipient === ZERO_ADDRESS) return null
  return payouts.get(payoutKey(token, destinationChainId)) ?? null
}
