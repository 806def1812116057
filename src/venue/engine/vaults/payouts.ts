import { mulDiv, ONE } from '../units.ts'
import { divide } from './ledger.ts'
import { VAULT_RULES } from './terms.ts'
import { isPending, lpNavOf, sharesAt, stakeOf, strategyWorth } from './value.ts'
import type { Ledger, Transaction } from './vault.ts'

type Payout = { readonly nav: number; readonly payoutMax: number; readonly atMs: number }

/** Pays withdrawals in the order of their requests; the one that the gate meets is divided, and the rest waits. */
export function payOut(ledger: Ledger, { nav, payoutMax, atMs }: Payout): Transaction[] {
  const paid: Transaction[] = []
  // However small a vault has become, its last shares come out too.
  const passing = mulDiv(ledger.mainShares, VAULT_RULES.gate, ONE, 'floor')
  let gate = Math.max(VAULT_RULES.withdrawalMin, passing)
  let room = payoutMax
  let left = nav
  ledger.isGated = false
  for (const waiting of ledger.open.filter((each) => isPending(each, 'withdrawal'))) {
    const affordable = sharesWithin(ledger, waiting, left, room)
    const shares = Math.min(waiting.shares, affordable, waiting.role === 'lp' ? gate : affordable)
    if (shares < waiting.shares) ledger.isGated = true
    if (shares <= 0) continue
    const part = shares < waiting.shares ? divide(ledger, waiting, shares) : waiting
    redeem(ledger, part, left, atMs)
    if (part.role === 'lp') gate -= shares
    room -= part.amount
    left -= part.amount
    paid.push(part)
  }
  return paid
}

/** How many shares of a withdrawal's kind an amount pays for. */
function sharesWithin(ledger: Ledger, { role }: Transaction, nav: number, room: number): number {
  const shares = sharesAt(ledger, nav)
  const worth = role === 'lp' ? lpNavOf(shares) : nav
  const all = role === 'lp' ? ledger.mainShares : shares.strategyShares
  if (worth === 0) return 0
  return mulDiv(Math.max(0, Math.min(room, worth)), all, worth, 'floor')
}

function redeem(ledger: Ledger, withdrawal: Transaction, nav: number, atMs: number): void {
  const { role, wallet, shares, account } = withdrawal
  const stake = stakeOf(ledger, role, wallet)
  if (!stake) throw new RangeError('a withdrawal without a stake')
  const before = sharesAt(ledger, nav)
  const burned =
    role === 'lp' ? mulDiv(ledger.lpShares, shares, ledger.mainShares, 'floor') : shares
  withdrawal.amount = strategyWorth(before, burned)
  withdrawal.executedAtMs = atMs
  if (account !== null) withdrawal.claimedAtMs = atMs
  stake.basis -= mulDiv(stake.basis, shares, stake.shares, 'floor')
  stake.shares -= shares
  stake.paidOut += withdrawal.amount
  ledger.paidOut += withdrawal.amount
  if (role === 'provider') return
  ledger.lpShares -= burned
  ledger.mainShares -= shares
}
