import { RATE_ONE } from '../base/units.ts'
import type { ExchangeState } from './exchange.ts'
import { leverageMax, leverageNotionalMax } from './margin-rates.ts'
import type { Account, AccountFeeRates, EngineMarket, MarketAccount } from './state.ts'

/** The terms of a new account. */
export type AccountTerms = {
  readonly key: string
  readonly fees: AccountFeeRates
  /** Fee rates in markets outside of crypto; absent: the rates of crypto markets. */
  readonly rwaFees?: AccountFeeRates
  readonly leverage: number
  readonly kind?: Account['kind']
}

/** Opens an empty account. Throws RangeError if its key is taken. */
export function openAccount(exchange: ExchangeState, terms: AccountTerms): Account {
  const { key, fees, rwaFees = fees, leverage, kind = 'user' } = terms
  if (exchange.byKey.has(key)) throw new RangeError('the account exists')
  const account: Account = {
    number: exchange.accounts.length,
    key,
    kind,
    holding: 0,
    deposits: 0,
    withdrawals: 0,
    tokens: new Map(),
    tokenValue: 0,
    fees,
    rwaFees,
    leverage,
    isolatedLeverage: leverage,
    status: 'active',
    isolatedMarkets: new Set(),
    marketAccounts: new Map(),
    used: [],
    open: { oldest: null, newest: null, size: 0 },
    clientIds: new Map(),
    algos: new Map(),
    cancelAtMs: null,
    volume: 0,
    feesPaid: 0,
    days: [],
    settledAtMs: 0,
    nonces: { settle: 0, withdraw: 0, transfer: 0 },
    shares: [],
  }
  exchange.accounts.push(account)
  exchange.byKey.set(key, account)
  return account
}

/** The account with a number. Throws RangeError for an unknown number. */
export function accountAt({ accounts }: Pick<ExchangeState, 'accounts'>, number: number): Account {
  const account = accounts[number]
  if (!account) throw new RangeError('no such account')
  return account
}

/** Adds micro-USDC from outside to an account; a negative amount is a withdrawal. */
export function deposit({ totals }: ExchangeState, account: Account, amount: number): void {
  account.holding += amount
  countFlow(totals, amount)
  countFlow(account, amount)
}

/** Counts a positive amount as a deposit, a negative amount as a withdrawal. */
export function countFlow(into: { deposits: number; withdrawals: number }, amount: number): void {
  if (amount >= 0) into.deposits += amount
  else into.withdrawals -= amount
}

/** The key of a market's number in a margin mode: the number itself for cross, its bitwise complement for isolated. */
export function modeKey(number: number, isolated: boolean): number {
  return isolated ? ~number : number
}

/** The state of an account in a market with cross or isolated margin. A missing state is created empty. */
export function openMarketAccount(
  account: Account,
  market: EngineMarket,
  isolated = false,
): MarketAccount {
  const key = modeKey(market.number, isolated)
  const known = account.marketAccounts.get(key)
  if (known) return known
  const marketAccount = newMarketAccount(account, market, isolated)
  account.marketAccounts.set(key, marketAccount)
  account.used.push(marketAccount)
  return marketAccount
}

/** Whether an account's orders in a market are isolated if they name no margin mode. */
export function isIsolatedByDefault(
  { isolatedMarkets }: Account,
  { number }: EngineMarket,
): boolean {
  return isolatedMarkets.has(number)
}

/** Sets the leverage of a market and margin mode, limited by the market's base rate. */
export function applyLeverage(marketAccount: MarketAccount, leverage: number): void {
  const { spec } = marketAccount.market
  marketAccount.leverage = Math.min(leverage, leverageMax(spec))
  marketAccount.notionalMax = leverageNotionalMax(spec, marketAccount.leverage)
  marketAccount.stamp = -1
}

/** Whether the account has a position, an open order or a waiting algo order in a market's margin mode. */
export function isInUse(marketAccount: MarketAccount): boolean {
  return (
    marketAccount.quantity !== 0 ||
    marketAccount.orders > 0 ||
    marketAccount.account.algos.values().some((algo) => algo.marketAccount === marketAccount)
  )
}

/** An empty state of an account in a market and margin mode. The account itself is not changed. */
export function newMarketAccount(
  account: Account,
  market: EngineMarket,
  isolated: boolean,
): MarketAccount {
  const marketAccount: MarketAccount = {
    account,
    market,
    isolated,
    quantity: 0,
    cost: 0,
    averageOpen: 0,
    settlePrice: 0,
    accruedFunding: 0,
    life: null,
    updatedAtMs: 0,
    sequence: 0,
    margin: 0,
    leverage: 1,
    notionalMax: 0,
    buys: 0,
    sells: 0,
    buyValue: 0,
    sellValue: 0,
    orders: 0,
    reducing: null,
    stamp: -1,
    notional: 0,
    notionalWithOrders: 0,
    pnl: 0,
    initialWithOrders: 0,
    maintenance: 0,
    frozen: 0,
  }
  applyLeverage(marketAccount, isolated ? account.isolatedLeverage : account.leverage)
  return marketAccount
}

/** The default fee rates: taker 6 and maker 2 basis points. */
export const BASE_FEES: AccountFeeRates = {
  taker: (6 * RATE_ONE) / 10_000,
  maker: (2 * RATE_ONE) / 10_000,
}
