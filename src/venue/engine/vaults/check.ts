import type { World } from '../world.ts'
import { waitingOf } from './past.ts'
import {
  availableOf,
  navOf,
  pnlOf,
  sampleOf,
  sharesAt,
  stakesOf,
  stakeWorth,
  strategySharesOf,
} from './value.ts'
import type { Ledger, Vault } from './vault.ts'

/** Every broken invariant of the vaults, in words; none when they are sound. Changes nothing. */
export function checkVaults({ vaults, nowMs }: World): string[] {
  return vaults.flatMap((vault) => {
    const broken = [
      ...checkShares(vault.ledger, nowMs),
      ...checkEscrow(vault),
      ...checkWorth(vault),
    ]
    return broken.map((words) => `vault ${vault.terms.name}: ${words}`)
  })
}

/** Main shares are those of the liquidity providers, and nobody has less than nothing or owes what is not there. */
function checkShares(ledger: Ledger, nowMs: number): string[] {
  const { stakes, mainShares, lpShares, provider } = ledger
  const held = [...stakes.values()].reduce((sum, { shares }) => sum + shares, 0)
  const bound = [...stakes.values()].filter((stake) => isOverdrawn(ledger, stake.wallet, nowMs))
  return [
    ...(held === mainShares ? [] : [`${held} main shares are held of ${mainShares}`]),
    ...(lpShares >= 0 && provider.shares >= 0 ? [] : ['strategy shares below zero']),
    ...(mainShares > 0 === lpShares > 0 ? [] : [`${mainShares} main shares of ${lpShares}`]),
    ...bound.map(({ wallet }) => `${wallet} asks for more shares than it has`),
  ]
}

function isOverdrawn(ledger: Ledger, wallet: string, nowMs: number): boolean {
  const stake = ledger.stakes.get(wallet)
  if (!stake) return false
  const asked = ledger.open
    .filter((each) => each.wallet === wallet && each.role === 'lp')
    .filter(({ type, executedAtMs }) => type === 'withdrawal' && executedAtMs === 0)
    .reduce((sum, { shares }) => sum + shares, 0)
  return asked > stake.shares || availableOf(ledger, 'lp', stake, nowMs) > stake.shares
}

/** The escrow holds what is on its way, to the micro. */
function checkEscrow({ ledger, escrow }: Vault): string[] {
  const waiting = waitingOf(ledger)
  return escrow.holding === waiting ? [] : [`escrow holds ${escrow.holding} of ${waiting}`]
}

/** Stakes together are the value of the vault, but for less than a micro each that rounding leaves to all. */
function checkWorth(vault: Vault): string[] {
  const { ledger } = vault
  const shares = sharesAt(ledger, navOf(vault))
  const stakes = stakesOf(ledger)
  const [provider, ...others] = stakes
  const worth =
    others.reduce((sum, stake) => sum + stakeWorth(shares, 'lp', stake), 0) +
    (provider ? stakeWorth(shares, 'provider', provider) : 0)
  const dust = shares.nav - worth
  const isDust = dust >= 0 && dust <= stakes.length + 1
  const own = stakes.reduce((sum, { paidIn, paidOut }) => sum + paidOut - paidIn, worth)
  const pnl = pnlOf(sampleOf(vault, 0))
  return [
    ...(isDust || strategySharesOf(ledger) === 0
      ? []
      : [`stakes are worth ${worth} of ${shares.nav}`]),
    ...(pnl === own + dust ? [] : [`results of ${own} of ${pnl}`]),
  ]
}
