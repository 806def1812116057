import { marginOf } from '../margin/margin.ts'
import { mulDiv, ONE } from '../units.ts'
import { VAULT_RULES } from './terms.ts'
import type { Ledger, Role, Sample, Stake, Transaction, Vault } from './vault.ts'

/** The shares of a vault at one value of it: what prices are made of. */
export type Shares = Pick<Sample, 'nav' | 'mainShares' | 'lpShares' | 'strategyShares'>

/** What a vault is worth: the equity of its account at the marks of now; never below zero. */
export function navOf({ account }: Pick<Vault, 'account'>): number {
  return Math.max(0, marginOf(account).collateral)
}

/** Whether a vault is worth enough to be shared. */
export function takesDeposits(vault: Vault): boolean {
  return navOf(vault) >= VAULT_RULES.valueMin
}

/** All strategy shares. */
export function strategySharesOf({ lpShares, provider }: Ledger): number {
  return lpShares + provider.shares
}

export function sharesAt(ledger: Ledger, nav: number): Shares {
  const { mainShares, lpShares } = ledger
  return { nav, mainShares, lpShares, strategyShares: strategySharesOf(ledger) }
}

/** What some strategy shares are worth, rounded down. */
export function strategyWorth({ nav, strategyShares }: Shares, shares: number): number {
  return strategyShares === 0 ? 0 : mulDiv(nav, shares, strategyShares, 'floor')
}

/** What all liquidity providers have together. */
export function lpNavOf(shares: Shares): number {
  return strategyWorth(shares, shares.lpShares)
}

/** What some main shares are worth, rounded down. */
export function mainWorth(shares: Shares, main: number): number {
  const { mainShares } = shares
  return mainShares === 0 ? 0 : mulDiv(lpNavOf(shares), main, mainShares, 'floor')
}

/** The price of a main share; one before there are any. */
export function mainPrice(shares: Shares): number {
  const { mainShares } = shares
  return mainShares === 0 ? ONE : mulDiv(lpNavOf(shares), ONE, mainShares, 'floor')
}

/** The price of a strategy share; one before there are any. */
export function strategyPrice({ nav, strategyShares }: Shares): number {
  return strategyShares === 0 ? ONE : mulDiv(nav, ONE, strategyShares, 'floor')
}

/** What a stake is worth. */
export function stakeWorth(shares: Shares, role: Role, { shares: own }: Pick<Stake, 'shares'>) {
  return role === 'lp' ? mainWorth(shares, own) : strategyWorth(shares, own)
}

/** The number of the period that a time is in; they begin with zero. */
export function periodAt({ startedAtMs }: Pick<Ledger, 'startedAtMs'>, atMs: number): number {
  return Math.floor((atMs - startedAtMs) / VAULT_RULES.periodMs)
}

export function periodStartMs({ startedAtMs }: Pick<Ledger, 'startedAtMs'>, period: number) {
  return startedAtMs + period * VAULT_RULES.periodMs
}

/** Whose stake it is; undefined for a wallet that has none. */
export function stakeOf({ provider, stakes }: Ledger, role: Role, wallet: string) {
  if (role === 'lp') return stakes.get(wallet)
  return provider.wallet === wallet ? provider : undefined
}

/** Everybody's stake, the provider's first. */
export function stakesOf({ provider, stakes }: Ledger): Stake[] {
  return [provider, ...stakes.values()]
}

export function isOwn({ wallet, role }: Transaction, of: Pick<Transaction, 'wallet' | 'role'>) {
  return wallet === of.wallet && role === of.role
}

/** What shares of a wallet could be given back: those that are not locked, asked for already, or to be kept. */
export function availableOf(ledger: Ledger, role: Role, stake: Stake, atMs: number): number {
  const { wallet, shares } = stake
  let bound = 0
  for (const transaction of ledger.open) {
    if (!isOwn(transaction, { wallet, role })) continue
    const { type, executedAtMs } = transaction
    const isPending = executedAtMs === 0
    if (type === 'withdrawal' ? isPending : !isPending && isLocked(transaction, atMs))
      bound += transaction.shares
  }
  const kept =
    role === 'lp' ? 0 : mulDiv(strategySharesOf(ledger), VAULT_RULES.providerSharesMin, ONE, 'ceil')
  return Math.max(0, Math.min(shares - bound, shares - kept))
}

export function isLocked({ executedAtMs }: Transaction, atMs: number): boolean {
  return atMs < executedAtMs + VAULT_RULES.lockMs
}

/** What of a wallet's withdrawals can be claimed. */
export function claimableOf({ open }: Ledger, of: Pick<Transaction, 'wallet' | 'role'>): number {
  let sum = 0
  for (const transaction of open)
    if (isClaimable(transaction) && isOwn(transaction, of)) sum += transaction.amount
  return sum
}

/** Whether a withdrawal has been paid for and is not fetched yet. */
export function isClaimable({ type, executedAtMs, account }: Transaction): boolean {
  return type === 'withdrawal' && executedAtMs > 0 && account === null
}

/** What of a wallet's money is in a vault without earning: brought and not traded with yet, or not fetched yet. */
export function idleOf(ledger: Ledger, of: Pick<Transaction, 'wallet' | 'role'>): number {
  let sum = claimableOf(ledger, of)
  for (const transaction of ledger.open)
    if (isPending(transaction, 'deposit') && isOwn(transaction, of)) sum += transaction.amount
  return sum
}

export function isPending({ type, executedAtMs }: Transaction, wanted: Transaction['type']) {
  return type === wanted && executedAtMs === 0
}

/** A vault as it is now. */
export function sampleOf(vault: Vault, atMs: number): Sample {
  const { ledger, account, escrow, before } = vault
  return {
    atMs,
    ...sharesAt(ledger, navOf(vault)),
    idle: escrow.holding,
    paidIn: ledger.paidIn,
    paidOut: ledger.paidOut,
    volume: before.volume + account.volume,
    fees: before.fees + account.feesPaid,
  }
}

/** What a vault has won or lost since it began. */
export function pnlOf({ nav, paidOut, paidIn }: Pick<Sample, 'nav' | 'paidOut' | 'paidIn'>) {
  return nav + paidOut - paidIn
}
