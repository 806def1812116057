import { keccakOfText } from '../../../crypto/keccak.ts'
import { DAY_MS, HOUR_MS } from '../../../spec/durations.ts'
import { CHAINS } from '../../market/chains.ts'
import { keyOf } from '../agents/population.ts'
import { between, chanceOf, next, waitMs } from '../chance.ts'
import { MICRO } from '../units.ts'
import type { Wish } from './ledger.ts'
import { VAULT_RULES, type VaultTerms } from './terms.ts'
import { availableOf, claimableOf, stakeOf } from './value.ts'
import type { Investor, Ledger, Transaction } from './vault.ts'

/** What an investor does when it looks at its vault. */
export type Move = { readonly kind: 'claim' } | { readonly kind: 'ask'; readonly wish: Wish } | null

const REST_MS = { lp: 60 * HOUR_MS, provider: 12 * DAY_MS } as const
/** How often somebody who could do either takes money out. */
const LEAVING = 0.4

/** A vault's investors before they have done anything, the provider first. */
export function newInvestors(seed: number, terms: VaultTerms): Investor[] {
  const { investors, past } = terms
  const share = (past.investorsUsdc * MICRO) / investors
  return Array.from({ length: investors + 1 }, (_, number) => {
    const role = number === 0 ? 'provider' : 'lp'
    const path = `${terms.name}/${role}/${number}`
    const chance = chanceOf(seed, 'vault', path)
    const purse = role === 'lp' ? share * between(chance, 0.5, 3) : past.providerUsdc * 2 * MICRO
    const chain = HOME_CHAINS[Math.floor(next(chance) * HOME_CHAINS.length)]
    return {
      wallet: role === 'lp' ? holderOf(seed, terms, number - 1) : providerOf(seed, terms),
      role,
      chainId: String(chain?.id ?? 0),
      chance,
      purse: Math.floor(purse),
      nextAtMs: 0,
    }
  })
}

/** The public address of somebody who holds a position in one of the vault's markets. */
function holderOf(seed: number, { bases }: VaultTerms, at: number): string {
  const path = `holder/PERP_${bases[at % bases.length]}_USDC/${Math.floor(at / bases.length)}`
  return `0x${keyOf(seed, path).slice(-40)}`
}

function providerOf(seed: number, { name }: VaultTerms): string {
  return `0x${keccakOfText(`${seed}/vault/${name}/provider/0`).slice(-40)}`
}

/** Where vaults take USDC. */
export const HOME_CHAINS = CHAINS.filter(({ contracts }) => contracts['USDC'] !== undefined)

/** The first deposit of an investor: all come in the first period. */
export function firstMove(investor: Investor, { past, investors }: VaultTerms): Move {
  const { chance, role } = investor
  const usdc =
    role === 'provider'
      ? past.providerUsdc
      : (past.investorsUsdc / investors) * between(chance, 0.2, 0.6)
  return spend(investor, Math.floor(usdc * MICRO))
}

/** Fetches what can be fetched; else brings money or takes some back, as chance has it. */
export function nextMove(
  investor: Investor,
  ledger: Ledger,
  takesDeposits: boolean,
  atMs: number,
): Move {
  const { chance, wallet, role } = investor
  const [wants, size] = [next(chance), next(chance)]
  if (claimableOf(ledger, investor) > 0) return { kind: 'claim' }
  const stake = stakeOf(ledger, role, wallet)
  const free = stake ? availableOf(ledger, role, stake, atMs) : 0
  if (stake && wants < LEAVING) {
    const leaving = Math.floor(free * (0.1 + 0.5 * size))
    return leaving < VAULT_RULES.withdrawalMin ? null : ask(investor, 'withdrawal', leaving)
  }
  const brings = takesDeposits && role === 'lp'
  return brings ? spend(investor, Math.floor(investor.purse * 0.5 * size)) : null
}

/** Gives investors back what they brought; what accounts have brought is not theirs. */
export function giveBack(investors: readonly Investor[], deposits: readonly Transaction[]): void {
  for (const { account, amount, ...of } of deposits) {
    if (account !== null) continue
    const owner = investors.find(({ wallet, role }) => wallet === of.wallet && role === of.role)
    if (owner) owner.purse += amount
  }
}

/** How long an investor waits before it looks again. */
export function restOf({ chance, role }: Investor): number {
  return waitMs(chance, REST_MS[role])
}

function spend(investor: Investor, amount: number): Move {
  if (amount < VAULT_RULES.depositMin || amount > investor.purse) return null
  investor.purse -= amount
  return ask(investor, 'deposit', amount)
}

function ask({ wallet, role, chainId }: Investor, type: Wish['type'], size: number): Move {
  const wish = { wallet, role, type, account: null, broker: null, nonce: null, chainId, size }
  return { kind: 'ask', wish }
}
