import { mulDiv, ONE } from '../units.ts'
import { mainPrice, sharesAt, strategyWorth } from './value.ts'
import type { FeeRow, Ledger } from './vault.ts'

/** What main shares have gained beyond their best price so far is shared with the provider, in strategy shares. */
export function chargeFee(
  ledger: Ledger,
  nav: number,
  feeRate: number,
  at: Pick<FeeRow, 'period' | 'atMs'>,
): FeeRow {
  const { mainShares, provider, stakes } = ledger
  const before = sharesAt(ledger, nav)
  const gain = Math.max(0, mainPrice(before) - ledger.highWater)
  const due = mulDiv(mulDiv(gain, mainShares, ONE, 'floor'), feeRate, ONE, 'floor')
  const shares = due === 0 ? 0 : mulDiv(due, before.strategyShares, nav, 'floor')
  const amount = strategyWorth(before, shares)
  ledger.lpShares -= shares
  provider.shares += shares
  provider.fees += amount
  for (const stake of stakes.values()) stake.fees += feePart(amount, stake.shares, mainShares)
  if (mainShares > 0)
    ledger.highWater = Math.max(ledger.highWater, mainPrice(sharesAt(ledger, nav)))
  return { ...at, shares, amount, mainShares }
}

/** What some main shares bore of a fee. */
export function feePart(amount: number, shares: number, mainShares: number): number {
  return mainShares === 0 ? 0 : mulDiv(amount, shares, mainShares, 'floor')
}
