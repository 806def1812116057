import { mulDiv } from '../units.ts'
import { chargeFee } from './fee.ts'
import { settleOpen } from './ledger.ts'
import { payOut } from './payouts.ts'
import {
  isPending,
  mainPrice,
  periodAt,
  periodStartMs,
  sharesAt,
  stakeOf,
  strategyPrice,
  strategySharesOf,
} from './value.ts'
import { type FeeRow, type Ledger, newStake, type PeriodRow, type Transaction } from './vault.ts'

/** What the end of a period has done. */
export type Closing = {
  readonly fee: FeeRow
  readonly period: PeriodRow
  /** Deposits that are traded with from now on. */
  readonly deposits: readonly Transaction[]
  /** Deposits that found a vault worth nothing, to be given back. */
  readonly returned: readonly Transaction[]
  /** Withdrawals that are to be paid out. */
  readonly payouts: readonly Transaction[]
  /** What is over. */
  readonly finished: readonly Transaction[]
}

type Terms = {
  readonly nav: number
  /** What can be taken out without touching the margin of what is open. */
  readonly payoutMax: number
  readonly feeRate: number
}

/**
 * Ends the period that a moment closes: the provider's fee first, then withdrawals as far as the gate lets them, then
 * deposits, unless shares are worth nothing; all at the prices of this moment. Shares and payments are rounded down: what that leaves is everybody's.
 */
export function closePeriod(
  ledger: Ledger,
  { nav, payoutMax, feeRate }: Terms,
  atMs: number,
): Closing {
  const period = periodAt(ledger, atMs) - 1
  const fee = chargeFee(ledger, nav, feeRate, { period, atMs })
  const payouts = payOut(ledger, { nav, payoutMax, atMs })
  const withdrawn = amountOf(payouts)
  const waiting = ledger.open.filter((each) => isPending(each, 'deposit'))
  // Whoever came in at no price would share their money with those who have lost theirs.
  const isWorthless = strategyPrice(sharesAt(ledger, nav - withdrawn)) === 0
  const [deposits, returned] = isWorthless ? [[], waiting] : [waiting, []]
  takeIn(ledger, deposits, nav - withdrawn, atMs)
  for (const deposit of returned) deposit.executedAtMs = deposit.claimedAtMs = atMs
  return {
    fee,
    period: {
      period,
      startMs: periodStartMs(ledger, period),
      endMs: atMs,
      deposited: amountOf(deposits),
      withdrawn,
    },
    deposits,
    returned,
    payouts,
    finished: settleOpen(ledger, atMs),
  }
}

function amountOf(transactions: readonly Transaction[]): number {
  return transactions.reduce((sum, { amount }) => sum + amount, 0)
}

/** Turns deposits into shares. */
function takeIn(ledger: Ledger, deposits: readonly Transaction[], nav: number, atMs: number): void {
  const isFirst = ledger.mainShares === 0
  let value = nav
  for (const deposit of deposits) {
    mint(ledger, deposit, value, atMs)
    value += deposit.amount
  }
  if (isFirst) ledger.highWater = mainPrice(sharesAt(ledger, value))
}

function mint(ledger: Ledger, deposit: Transaction, nav: number, atMs: number): void {
  const { role, wallet, amount } = deposit
  const stake = stakeOf(ledger, role, wallet) ?? newStake(wallet)
  const all = strategySharesOf(ledger)
  const strategy = all === 0 ? amount : mulDiv(amount, all, nav, 'floor')
  deposit.executedAtMs = atMs
  deposit.shares = strategy
  if (role === 'lp') {
    const { mainShares, lpShares, stakes } = ledger
    deposit.shares = lpShares === 0 ? strategy : mulDiv(strategy, mainShares, lpShares, 'floor')
    ledger.lpShares += strategy
    ledger.mainShares += deposit.shares
    stakes.set(wallet, stake)
  }
  stake.shares += deposit.shares
  stake.basis += amount
  stake.paidIn += amount
  ledger.paidIn += amount
}
