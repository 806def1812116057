import { RATE_ONE } from '../base/units.ts'
import type { ExchangeState } from './exchange.ts'
import { leverageMax, leverageNotionalMax } from './margin-rates.ts'
import type { Account, AccountFeeRates, EngineMarket, MarketAccount } from './state.ts'

/** The initial state of a new account. */
export type AccountTerms = {
  readonly key: string
  readonly fees: AccountFeeRates
  /** Absent: the same. */
  readonly rwaFees?: AccountFeeRates
  readonly leverage: number
  readonly kind?: Account['kind']
}

/** Opens an account with nothing in it. Throws RangeError when its key is taken. */
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

/** Books micro-USDC that arrive from outside, or leave below zero. */
export function deposit({ totals }: ExchangeState, account: Account, amount: number): void {
  account.holding += amount
  countFlow(totals, amount)
  countFlow(account, amount)
}

/** Counts an arriving amount as a deposit, and one below zero as a withdrawal. */
export function countFlow(into: { deposits: number; withdrawals: number }, amount: number): void {
  if (amount >= 0) into.deposits += amount
  else into.withdrawals -= amount
}

/** A number for something in a margin mode: the number itself for cross margin, its complement for isolated. */
export function modeKey(number: number, isolated: boolean): number {
  return isolated ? ~number : number
}

/** The state of an account in a market with cross or isolated margin; an empty one is created when missing. */
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

/** Whether an account's orders in a market are isolated unless they name a margin mode. */
export function isIsolatedByDefault(
  { isolatedMarkets }: Account,
  { number }: EngineMarket,
): boolean {
  return isolatedMarkets.has(number)
}

/** Sets the leverage of one market and margin mode as far as the market's base rate allows. */
export function applyLeverage(marketAccount: MarketAccount, leverage: number): void {
  const { spec } = marketAccount.market
  marketAccount.leverage = Math.min(leverage, leverageMax(spec))
  marketAccount.notionalMax = leverageNotionalMax(spec, marketAccount.leverage)
  marketAccount.stamp = -1
}

/** Whether the account has a position, an open order or a waiting conditional order in a market's margin mode. */
export function isInUse(marketAccount: MarketAccount): boolean {
  return (
    marketAccount.quantity !== 0 ||
    marketAccount.orders > 0 ||
    marketAccount.account.algos.values().some((algo) => algo.marketAccount === marketAccount)
  )
}

/** The empty state of an account in a market and margin mode. The account stays unchanged. */
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

/** The default fee rates of an account: 6 and 2 basis points. */
export const BASE_FEES: AccountFeeRates = {
  taker: (6 * RATE_ONE) / 10_000,
  maker: (2 * RATE_ONE) / 10_000,
}
