import { draw } from '../base/rng.ts'
import { MICRO } from '../base/units.ts'
import type { Request } from './request.ts'
import { VAULT_RULES } from './terms.ts'
import { availableOf, type Investor, periodStartMs, type Transaction, type Vault } from './vault.ts'

/** The shares that investors hold as a period begins, and the transactions that bind some of them. */
export type Holdings = {
  readonly totals: { readonly mainShares: number; readonly providerShares: number }
  readonly holders: ReadonlyMap<string, number>
  readonly open: readonly Transaction[]
}

/** How likely an investor asks for something in a period, and how likely that is a withdrawal. */
const ASKS = { lp: 0.4, provider: 0.08 } as const
const WITHDRAWS = { lp: 0.4, provider: 1 } as const

/** What public investors ask for in a period: all of them bring money in the first, later some bring or take some. */
export function publicRequests(vault: Vault, holdings: Holdings, period: number): Request[] {
  return vault.investors.flatMap(
    (investor) => publicRequest(vault, holdings, investor, period) ?? [],
  )
}

function publicRequest(
  vault: Vault,
  { totals, holders, open }: Holdings,
  investor: Investor,
  period: number,
): Request | null {
  const { terms } = vault
  const { role, wallet, chainId, source } = investor
  const next = (which: number) => draw(source, period * 4 + which)
  const share = role === 'lp' ? terms.investorsUsdc / terms.investors : terms.providerUsdc
  const atMs = periodStartMs(vault, period) + Math.floor(next(3) * VAULT_RULES.periodMs)
  const request = { wallet, role, chainId, account: null, broker: null, nonce: null, atMs }
  if (period === 0) {
    const size = Math.floor(share * MICRO * (role === 'lp' ? 0.5 + next(2) : 1))
    return { ...request, type: 'deposit', size }
  }
  if (next(0) >= ASKS[role]) return null
  if (next(1) >= WITHDRAWS[role]) {
    const size = Math.floor(share * MICRO * 0.4 * next(2))
    return size < VAULT_RULES.depositMin ? null : { ...request, type: 'deposit', size }
  }
  const shares = role === 'lp' ? (holders.get(wallet) ?? 0) : totals.providerShares
  const all = role === 'lp' ? 0 : totals.mainShares + totals.providerShares
  const size = Math.floor(availableOf(open, investor, shares, atMs, all) * (0.05 + 0.35 * next(2)))
  return size < VAULT_RULES.withdrawalMin ? null : { ...request, type: 'withdrawal', size }
}
