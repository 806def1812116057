import { refresh } from '../engine/margin/margin.ts'
import { balanceOf, USDC } from '../engine/money/balances.ts'
import type { Account } from '../engine/state.ts'
import { CHAINS, type Chain } from '../market/chains.ts'
import type { Floor } from './floor.ts'

/** What everybody but the insurance fund has deposited and not lost, and what is not settled of it. Micro-USDC. */
export function holdingsOf(floor: Floor): { readonly holding: number; readonly unsettled: number } {
  let unsettled = 0
  for (const { used } of customersOf(floor))
    for (const exposure of used) {
      if (exposure.stamp !== exposure.market.stamp) refresh(exposure)
      unsettled += exposure.pnl
    }
  return { holding: heldOf(floor, USDC), unsettled }
}

/** What the vault of a chain holds of a token: its part of what everybody has, in the engine's units. */
export function vaultBalanceOf(floor: Floor, chain: Chain, token: string): bigint {
  const chains = CHAINS.filter(({ contracts }) => contracts[token] !== undefined)
  const shares = chains.reduce((sum, { sharePercent }) => sum + sharePercent, 0)
  const share = chain.contracts[token] === undefined ? 0 : chain.sharePercent
  return (BigInt(Math.max(0, heldOf(floor, token))) * BigInt(share)) / BigInt(shares)
}

/** What everybody but the insurance fund holds of a token, margins of isolated positions included. */
function heldOf(floor: Floor, token: string): number {
  let held = 0
  for (const account of customersOf(floor)) {
    held += balanceOf(account, token)
    if (token === USDC) for (const { margin } of account.used) held += margin
  }
  return held
}

function customersOf({ engine }: Floor): Account[] {
  return engine.world.exchange.accounts.filter(({ kind }) => kind !== 'fund')
}
