import type { Result } from '../../programs/contests.ts'
import { amountOf } from '../figures.ts'

/** What a contestant won, and what of its balance it did not. */
export function balancesOf({ pnl, deposits, withdrawals, startValue, endValue }: Result) {
  return {
    pnl: amountOf(pnl),
    total_deposit_amount: amountOf(deposits),
    total_withdrawal_amount: amountOf(withdrawals),
    start_account_value: amountOf(startValue),
    end_account_value: amountOf(endValue),
  }
}
