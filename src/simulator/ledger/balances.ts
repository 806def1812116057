import { MICRO, RATE_ONE } from '../base/units.ts'
import { COLLATERALS } from '../listing/chains.ts'
import { accountMargin, freeCollateralAmount } from '../margin/margin.ts'
import { checkAccountSolvency } from '../margin/solvency.ts'
import { countFlow } from '../state/accounts.ts'
import type { ExchangeState } from '../state/exchange.ts'
import type { Account } from '../state/state.ts'
import type { EngineWorld } from '../state/world.ts'

/** The settlement token. Other tokens count only as collateral. */
export const USDC = 'USDC'

/** Revalues an account's tokens at current index prices, and checks its margin. */
export function revalueTokens(world: EngineWorld, account: Account): void {
  account.tokenValue = tokenCollateralValue(account, (token) => tokenPrice(world, token))
  checkAccountSolvency(world.exchange, account)
}

/** The balance of a token: micro-USDC, or eight decimals for any other token. */
export function tokenBalance(account: Account, token: string): number {
  return token === USDC ? account.holding : (account.tokens.get(token) ?? 0)
}

/** Changes the balance of a token. The caller must book the offsetting change. */
export function addBalance(
  world: EngineWorld,
  account: Account,
  token: string,
  amount: number,
): void {
  if (token === USDC) {
    account.holding += amount
    countFlow(account, amount)
    checkAccountSolvency(world.exchange, account)
    return
  }
  account.tokens.set(token, tokenBalance(account, token) + amount)
  world.tokenHolders.add(account)
  revalueTokens(world, account)
}

/** The value of an account at index prices, with isolated margins and unsettled results, in micro-USDC. */
export function totalAccountValue(world: Pick<EngineWorld, 'scenes'>, account: Account): number {
  accountMargin(account)
  let value = account.holding
  for (const [token, amount] of account.tokens)
    value += Math.floor((amount / RATE_ONE) * (tokenPrice(world, token) ?? 0) * MICRO)
  for (const { margin, pnl } of account.used) value += margin + pnl
  return value
}

/** Adds a deposit from outside to the exchange's totals. A negative amount is a withdrawal. */
export function addExternalDeposit({ totals }: ExchangeState, token: string, amount: number): void {
  if (token !== USDC) totals.tokens[token] = (totals.tokens[token] ?? 0) + amount
  else countFlow(totals, amount)
}

/**
 * Whether an account can give away an amount of a token. Both its balance and its free collateral without unsettled
 * gains must be large enough.
 */
export function canWithdraw(
  world: EngineWorld,
  account: Account,
  token: string,
  amount: number,
): boolean {
  if (amount > tokenBalance(account, token)) return false
  return valueOfPart(world, account, token, amount) <= spareCollateral(account)
}

/** Micro-USDC that can be withdrawn: free collateral minus unsettled gains. */
function spareCollateral(account: Account): number {
  const margin = accountMargin(account)
  const unsettled = account.used.reduce((sum, { isolated, pnl }) => sum + (isolated ? 0 : pnl), 0)
  return freeCollateralAmount(margin) - Math.max(0, unsettled)
}

/** The collateral value of a part of an account's token balance, in micro-USDC. */
function valueOfPart(world: EngineWorld, account: Account, token: string, amount: number): number {
  if (token === USDC) return amount
  const tokens = new Map(account.tokens).set(token, tokenBalance(account, token) - amount)
  const left = tokenCollateralValue({ tokens }, (name) => tokenPrice(world, name))
  return account.tokenValue - left
}

/** The price of a token in USDC: 1 for a stablecoin, otherwise the index of its market; null without a market. */
function tokenPrice({ scenes }: Pick<EngineWorld, 'scenes'>, token: string): number | null {
  if (DOLLARS.has(token)) return 1
  const scene = scenes.find(({ listed }) => listed.base === token)
  return scene ? (scene.index * scene.market.spec.tick) / RATE_ONE : null
}

const DOLLARS: ReadonlySet<string> = new Set([USDC, 'USDT'])

/** Gives the price of a token in USDC; null for a token without a price. */
type TokenPrice = (token: string) => number | null

const TOKEN_POWER = 4 / 5
const WEIGHT_MAX = 1.2

/**
 * The collateral value of an account's tokens other than USDC, in micro-USDC. Each token counts up to its cap, at the
 * index price times a weight. The weight falls as the value grows: min(base_weight, 1.2 / (1 + discount × value^0.8)).
 */
function tokenCollateralValue({ tokens }: Pick<Account, 'tokens'>, priceOf: TokenPrice): number {
  let value = 0
  for (const [token, amount] of tokens)
    value += collateralValue(token, amount / RATE_ONE, priceOf(token) ?? 0)
  return Math.floor(value * MICRO)
}

function collateralValue(token: string, quantity: number, price: number): number {
  const terms = COLLATERALS.find((collateral) => collateral.token === token)
  if (!terms) return 0
  const { userMaxQuantity, baseWeight, discountFactor } = terms
  const counted = userMaxQuantity < 0 ? quantity : Math.min(quantity, userMaxQuantity)
  const falling = WEIGHT_MAX / (1 + (discountFactor ?? 0) * (quantity * price) ** TOKEN_POWER)
  return counted * price * Math.min(baseWeight, falling)
}
