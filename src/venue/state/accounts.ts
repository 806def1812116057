import { ONE } from '../base/units.ts'
import type { Exchange } from './exchange.ts'
import { leverageMax, notionalMaxOf } from './margin-rates.ts'
import type { Account, FeeRates, Market, MarketAccount } from './state.ts'

/** The initial state of a new account. */
export type AccountTerms = {
  readonly key: string
  readonly fees: FeeRates
  /** Absent: the same. */
  readonly rwaFees?: FeeRates
  readonly leverage: number
  readonly kind?: Account['kind']
}

/** Opens an account with nothing in it. Throws RangeError when its key is taken. */
export function openAccount(exchange: Exchange, terms: AccountTerms): Account {
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

/** The account with a number. Throws RangeError when there is none. */
export function accountAt({ accounts }: Pick<Exchange, 'accounts'>, number: number): Account {
  const account = accounts[number]
  if (!account) throw new RangeError('no such account')
  return account
}

/** Micro-USDC that come from outside; below zero, that leave. */
export function deposit({ totals }: Exchange, account: Account, amount: number): void {
  account.holding += amount
  countFlow(totals, amount)
  countFlow(account, amount)
}

/** Counts what comes, or, below zero, leaves. */
export function countFlow(into: { deposits: number; withdrawals: number }, amount: number): void {
  if (amount >= 0) into.deposits += amount
  else into.withdrawals -= amount
}

/** What an account has in a market; an empty one is made when there is none. */
export function marketAccountOf(account: Account, market: Market): MarketAccount {
  const known = account.marketAccounts.get(market.number)
  if (known) return known
  const marketAccount = newMarketAccount(account, market)
  account.marketAccounts.set(market.number, marketAccount)
  account.used.push(marketAccount)
  return marketAccount
}

/** Sets the leverage of one market as far as its base rate allows. */
export function applyLeverage(marketAccount: MarketAccount, leverage: number): void {
  const { spec } = marketAccount.market
  marketAccount.leverage = Math.min(leverage, leverageMax(spec))
  marketAccount.notionalMax = notionalMaxOf(spec, marketAccount.leverage)
  marketAccount.stamp = -1
}

/** Whether there is neither a position, nor a cost to settle, nor an order. */
export function isIdle({ quantity, cost, orders, margin }: MarketAccount): boolean {
  return quantity === 0 && cost === 0 && orders === 0 && margin === 0
}

/** Whether the account's margin mode in the market has to stay: there is something of it, or an order waits for its trigger. */
export function isInUse(marketAccount: MarketAccount): boolean {
  return (
    !isIdle(marketAccount) ||
    marketAccount.account.algos.values().some((algo) => algo.marketAccount === marketAccount)
  )
}

/** What an account has in a market that it never used; the account is not changed. */
export function newMarketAccount(account: Account, market: Market): MarketAccount {
  const marketAccount: MarketAccount = {
    account,
    market,
    quantity: 0,
    cost: 0,
    averageOpen: 0,
    settlePrice: 0,
    accruedFunding: 0,
    life: null,
    updatedAtMs: 0,
    sequence: 0,
    isolated: false,
    margin: 0,
    leverage: 1,
    spareLeverage: Math.min(account.isolatedLeverage, leverageMax(market.spec)),
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
  applyLeverage(marketAccount, account.leverage)
  return marketAccount
}

/** Makes what an account does in a market cross or isolated; each mode has a leverage of its own. */
export function applyMode(marketAccount: MarketAccount, isolated: boolean): void {
  const { leverage, spareLeverage } = marketAccount
  marketAccount.isolated = isolated
  marketAccount.spareLeverage = leverage
  applyLeverage(marketAccount, spareLeverage)
}

/** Fee rates of an account that nobody gave others: 6 and 2 basis points. */
export const BASE_FEES: FeeRates = { taker: (6 * ONE) / 10_000, maker: (2 * ONE) / 10_000 }
