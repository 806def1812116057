import { COLLATERALS } from '../../market/chains.ts'
import type { Account } from '../state.ts'
import { MICRO, ONE } from '../units.ts'

/** The price of a token in USDC; null for one without a price. */
export type TokenPrice = (token: string) => number | null

const TOKEN_POWER = 4 / 5
const WEIGHT_MAX = 1.2

/**
 * What an account's other tokens count for, micro-USDC: no more of each than its cap, at the index price and a weight
 * that falls with the value, min(base_weight, 1.2 / (1 + discount × value^0.8)).
 */
export function tokenWorthOf({ tokens }: Pick<Account, 'tokens'>, priceOf: TokenPrice): number {
  let worth = 0
  for (const [token, amount] of tokens) worth += worthOf(token, amount / ONE, priceOf(token) ?? 0)
  return Math.floor(worth * MICRO)
}

function worthOf(token: string, quantity: number, price: number): number {
  const terms = COLLATERALS.find((collateral) => collateral.token === token)
  if (!terms) return 0
  const { userMaxQuantity, baseWeight, discountFactor } = terms
  const counted = userMaxQuantity < 0 ? quantity : Math.min(quantity, userMaxQuantity)
  const falling = WEIGHT_MAX / (1 + (discountFactor ?? 0) * (quantity * price) ** TOKEN_POWER)
  return counted * price * Math.min(baseWeight, falling)
}
