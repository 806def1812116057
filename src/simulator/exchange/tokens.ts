import { parseDecimal } from '../../core/decimals.ts'
import { tokenBalance, USDC } from '../ledger/balances.ts'
import { CHAINS, type Chain, COLLATERALS, type Collateral } from '../listing/chains.ts'
import { refresh } from '../margin/margin.ts'
import { refusal } from '../messages/refusals.ts'
import { fixed, micro, type WireNumber } from '../messages/values.ts'
import type { Account } from '../state/state.ts'
import type { Simulation } from './simulation.ts'

/** The terms of a collateral token. Throws -1005 for an unknown token. */
export function collateralTerms(token: string): Collateral {
  const collateral = COLLATERALS.find((each) => each.token === token)
  if (!collateral) throw refusal('parameter', 'token is invalid')
  return collateral
}

/** The number of decimals with which the engine counts a token. */
export function tokenDecimals(token: string): number {
  return token === USDC ? 6 : 8
}

/** An engine amount as a number of the wire. */
export function tokenNumber(token: string, amount: number): WireNumber {
  return token === USDC ? micro(BigInt(amount)) : fixed(BigInt(amount))
}

/** A decimal text as an engine amount; null for other text or too many decimals. */
export function tokenAmount(token: string, text: string): number | null {
  const amount = parseDecimal(text, tokenDecimals(token))
  return amount === null ? null : toSafeInteger(amount)
}

/** Units of a token's contract as an engine amount. Null for other text, or for an amount with too many decimals. */
export function amountOfUnits({ token, decimals }: Collateral, text: string): number | null {
  if (!/^\d{1,40}$/.test(text)) return null
  const unit = 10n ** BigInt(decimals - tokenDecimals(token))
  const units = BigInt(text)
  return units % unit === 0n ? toSafeInteger(units / unit) : null
}

/** The withdrawal fee of a token. */
export function withdrawalFee({ token, withdrawFee }: Collateral): number {
  return Math.round(withdrawFee * 10 ** tokenDecimals(token))
}

/** The smallest withdrawal of a token. */
export function withdrawalMinimum({ token, minimumWithdraw }: Collateral): number {
  return Math.round(minimumWithdraw * 10 ** tokenDecimals(token))
}

function toSafeInteger(amount: bigint): number | null {
  const number = Number(amount)
  return Number.isSafeInteger(number) ? number : null
}

/** The USDC and the unsettled results of all accounts except the insurance fund, in micro-USDC. */
export function customerHoldings(simulation: Simulation): {
  readonly holding: number
  readonly unsettled: number
} {
  let unsettled = 0
  for (const { used } of customerAccounts(simulation))
    for (const marketAccount of used) {
      if (marketAccount.stamp !== marketAccount.market.stamp) refresh(marketAccount)
      unsettled += marketAccount.pnl
    }
  return { holding: totalCustomerBalance(simulation, USDC), unsettled }
}

/** The balance of a chain's vault in a token, in the engine's units: the chain's share of all balances. */
export function chainVaultBalance(simulation: Simulation, chain: Chain, token: string): bigint {
  const chains = CHAINS.filter(({ contracts }) => contracts[token] !== undefined)
  const shares = chains.reduce((sum, { sharePercent }) => sum + sharePercent, 0)
  const share = chain.contracts[token] === undefined ? 0 : chain.sharePercent
  return (
    (BigInt(Math.max(0, totalCustomerBalance(simulation, token))) * BigInt(share)) / BigInt(shares)
  )
}

/** The sum of all accounts' balances of a token, including isolated margins, without the insurance fund. */
function totalCustomerBalance(simulation: Simulation, token: string): number {
  let held = 0
  for (const account of customerAccounts(simulation)) {
    held += tokenBalance(account, token)
    if (token === USDC) for (const { margin } of account.used) held += margin
  }
  return held
}

function customerAccounts({ engine }: Simulation): Account[] {
  return engine.world.exchange.accounts.filter(({ kind }) => kind !== 'fund')
}
