import type { Chance } from '../chance.ts'
import type { Account } from '../state.ts'
import { ONE } from '../units.ts'
import type { VaultTerms } from './terms.ts'

/** Amounts are micro-USDC, shares micro-shares, prices of shares have eight decimals. */

/** What one wallet has in a vault: main shares, or, of the provider, strategy shares. */
export type Stake = {
  readonly wallet: string
  shares: number
  /** What the shares that it has now were paid with. */
  basis: number
  paidIn: number
  paidOut: number
  /** Performance fees that its shares bore; of the provider, those that it earned. */
  fees: number
}

/** Who asks: one of those who share a vault's result, or the one who trades for them. */
export type Role = 'lp' | 'provider'

/** One deposit or withdrawal, from its request to its end. */
export type Transaction = {
  readonly id: number
  readonly wallet: string
  readonly role: Role
  readonly type: 'deposit' | 'withdrawal'
  /** The number of the account that pays and is paid, and its builder; null for a wallet on a chain. */
  readonly account: number | null
  readonly broker: string | null
  readonly nonce: string | null
  readonly chainId: string
  readonly requestedAtMs: number
  readonly period: number
  /** A deposit's are known when it is executed, a withdrawal's from the beginning; and the other way round. */
  shares: number
  amount: number
  /** Zero until then. A deposit is claimed where it was given back, because its vault was worth nothing. */
  executedAtMs: number
  claimedAtMs: number
}

/** Who owns what of a vault, and what waits for the period to end. */
export type Ledger = {
  readonly startedAtMs: number
  /** Strategy shares of all liquidity providers together; the provider's are in its stake. */
  lpShares: number
  mainShares: number
  readonly provider: Stake
  /** By wallet. */
  readonly stakes: Map<string, Stake>
  /** What all stakes together have brought and taken out since the vault began. */
  paidIn: number
  paidOut: number
  /** The best price of a main share that fees were charged up to. */
  highWater: number
  /** Requests that are not over, oldest first. */
  readonly open: Transaction[]
  /** Whether the last period gave back as much as it may, and something was left. */
  isGated: boolean
  sequence: number
}

/** A wallet on a chain that by itself brings money to a vault and takes it back; it never spends more than its purse. */
export type Investor = {
  readonly wallet: string
  readonly role: Role
  readonly chainId: string
  readonly chance: Chance
  purse: number
  /** Of the past: when it looks at the vault again. */
  nextAtMs: number
}

/** A strategy vault: an account that trades, one that keeps what is on its way in or out, and who owns it. */
export type Vault = {
  readonly number: number
  readonly id: string
  readonly terms: VaultTerms
  /** Where its seeded past ends. */
  readonly joinedAtMs: number
  readonly account: Account
  readonly escrow: Account
  readonly ledger: Ledger
  readonly investors: readonly Investor[]
  /** Traded, and paid for it, before it joined. */
  readonly before: { readonly volume: number; readonly fees: number }
}

/** A vault at one moment. */
export type Sample = {
  readonly atMs: number
  readonly nav: number
  readonly mainShares: number
  readonly lpShares: number
  readonly strategyShares: number
  /** What was on its way in or out. */
  readonly idle: number
  /** Since the vault began. */
  readonly paidIn: number
  readonly paidOut: number
  readonly volume: number
  readonly fees: number
}

/** The performance fee of one period: strategy shares that passed from the liquidity providers to the provider. */
export type FeeRow = {
  readonly period: number
  readonly atMs: number
  readonly shares: number
  readonly amount: number
  /** All main shares, which bore it alike. */
  readonly mainShares: number
}

export type PeriodRow = {
  readonly period: number
  readonly startMs: number
  readonly endMs: number
  readonly deposited: number
  readonly withdrawn: number
}

export function newStake(wallet: string): Stake {
  return { wallet, shares: 0, basis: 0, paidIn: 0, paidOut: 0, fees: 0 }
}

export function newLedger(startedAtMs: number, provider: string): Ledger {
  return {
    startedAtMs,
    lpShares: 0,
    mainShares: 0,
    provider: newStake(provider),
    stakes: new Map(),
    paidIn: 0,
    paidOut: 0,
    highWater: ONE,
    open: [],
    isGated: false,
    sequence: 0,
  }
}

/** Throws RangeError when there is no such vault. */
export function vaultAt({ vaults }: { readonly vaults: readonly Vault[] }, number: number): Vault {
  const vault = vaults[number]
  if (!vault) throw new RangeError('no such vault')
  return vault
}
