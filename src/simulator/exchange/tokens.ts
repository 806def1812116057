import { parseDecimal } from '../../core/decimals.ts'
import { balanceOf, USDC } from '../ledger/balances.ts'
import { CHAINS, type Chain, COLLATERALS, type Collateral } from '../listing/chains.ts'
import { refresh } from '../margin/margin.ts'
import { refusal } from '../messages/refusals.ts'
import { fixed, micro, type WireNumber } from '../messages/values.ts'
import type { Account } from '../state/state.ts'
import type { Simulation } from './simulation.ts'

/** The terms of a collateral token. Throws -1005 for an unknown token. */
export function collateralOf(token: string): Collateral {
  const collateral = COLLATERALS.find((each) => each.token === token)
  if (!collateral) throw refusal('parameter', 'token is invalid')
  return collateral
}

/** The decimals of a token in the engine. */
export function decimalsOf(token: string): number {
  return token === USDC ? 6 : 8
}

/** An amount of the engine as the wire's number. */
export function tokenNumber(token: string, amount: number): WireNumber {
  return token === USDC ? micro(BigInt(amount)) : fixed(BigInt(amount))
}

/** A decimal text as an amount of the engine; null for other text or more decimals than the engine has. */
export function tokenAmount(token: string, text: string): number | null {
  const amount = parseDecimal(text, decimalsOf(token))
  return amount === null ? null : safeOf(amount)
}

/** Units of the token's contract as an amount of the engine; null for other text or a finer amount. */
export function amountOfUnits({ token, decimals }: Collateral, text: string): number | null {
  if (!/^\d{1,40}$/.test(text)) return null
  const unit = 10n ** BigInt(decimals - decimalsOf(token))
  const units = BigInt(text)
  return units % unit === 0n ? safeOf(units / unit) : null
}

/** The withdrawal fee of a token. */
export function withdrawFeeOf({ token, withdrawFee }: Collateral): number {
  return Math.round(withdrawFee * 10 ** decimalsOf(token))
}

/** The smallest withdrawal of a token. */
export function withdrawMinOf({ token, minimumWithdraw }: Collateral): number {
  return Math.round(minimumWithdraw * 10 ** decimalsOf(token))
}

function safeOf(amount: bigint): number | null {
  const number = Number(amount)
  return Number.isSafeInteger(number) ? number : null
}

/** The USDC of all accounts except the insurance fund, and their unsettled results. Micro-USDC. */
export function holdingsOf(simulation: Simulation): {
  readonly holding: number
  readonly unsettled: number
} {
  let unsettled = 0
  for (const { used } of customersOf(simulation))
    for (const marketAccount of used) {
      if (marketAccount.stamp !== marketAccount.market.stamp) refresh(marketAccount)
      unsettled += marketAccount.pnl
    }
  return { holding: heldOf(simulation, USDC), unsettled }
}

/** The balance of a chain's vault in a token: its share of all balances, in the engine's units. */
export function vaultBalanceOf(simulation: Simulation, chain: Chain, token: string): bigint {
  const chains = CHAINS.filter(({ contracts }) => contracts[token] !== undefined)
  const shares = chains.reduce((sum, { sharePercent }) => sum + sharePercent, 0)
  const share = chain.contracts[token] === undefined ? 0 : chain.sharePercent
  return (BigInt(Math.max(0, heldOf(simulation, token))) * BigInt(share)) / BigInt(shares)
}

/** The balances of all accounts except the insurance fund in a token, with isolated margins. */
function heldOf(simulation: Simulation, token: string): number {
  let held = 0
  for (const account of customersOf(simulation)) {
    held += balanceOf(account, token)
    if (token === USDC) for (const { margin } of account.used) held += margin
  }
  return held
}

function customersOf({ engine }: Simulation): Account[] {
  return engine.world.exchange.accounts.filter(({ kind }) => kind !== 'fund')
}
