import type { Engine } from '../engine/engine.ts'
import type { LiquidationRow } from '../history/account-rows.ts'
import { ALGO_ROWS } from '../history/algos.ts'
import type { TradeFlow } from '../history/flows.ts'
import type { InboxRow } from '../history/inbox.ts'
import {
  ASSET_ROWS,
  CLOSED_ROWS,
  FUNDING_ROWS,
  LIQUIDATION_ROWS,
  ORDER_ROWS,
  SETTLEMENT_ROWS,
  TRADE_ROWS,
  TRANSFER_ROWS,
} from '../history/row-kinds.ts'
import { USDC } from '../ledger/balances.ts'
import { refusal } from '../messages/refusals.ts'
import { modeKey, newMarketAccount, openMarketAccount } from '../state/accounts.ts'
import type { Account, EngineMarket, MarketAccount } from '../state/state.ts'
import type { Simulation } from './simulation.ts'
import type { VenueState } from './state.ts'

/** An account with its engine and its histories. */
export type TradingContext = {
  readonly engine: Engine
  readonly account: Account
  readonly lists: AccountLists
  /** The account's trades of the last 1440 minutes, one row per market and margin mode. */
  readonly flows: (nowMs: number) => readonly TradeFlow[]
  readonly inbox: InboxRow[]
  /** The liquidations of all accounts, oldest first. */
  readonly liquidations: readonly LiquidationRow[]
}

/** The trading context of an account. Throws -1607 for an unknown account. */
export function tradingContext(
  { simulation }: Pick<VenueState, 'simulation'>,
  accountId: string,
): TradingContext {
  const opened = simulation()
  const { engine, records, inboxes, flows } = opened
  const account = engine.world.exchange.byKey.get(accountId)
  if (!account) throw refusal('noAccount')
  return {
    engine,
    account,
    lists: accountLists(opened, account),
    flows: (nowMs) => flows.of(account, nowMs),
    inbox: inboxes.of(account),
    liquidations: records.liquidations,
  }
}

/** The price of a market at an earlier time, in ticks. */
export type HistoricalPrice = (market: EngineMarket, atMs: number) => number

/** The market that a number stands for. */
export function marketAt(
  { engine }: Pick<TradingContext, 'engine'>,
  row: { readonly market: number },
): EngineMarket {
  const market = engine.world.exchange.markets[row.market]
  if (!market) throw new RangeError('no such market')
  return market
}

/**
 * The state of an account in a market and margin mode, for reading. If it was never used, an empty state is returned
 * and the account stays unchanged.
 */
export function marketAccountIn(
  { account }: TradingContext,
  market: EngineMarket,
  isolated: boolean,
): MarketAccount {
  return account.marketAccounts.has(modeKey(market.number, isolated))
    ? openMarketAccount(account, market, isolated)
    : newMarketAccount(account, market, isolated)
}

/** The owner of an account: the lower-case address of a wallet, and its builder. */
type Owner = { readonly address: string; readonly brokerId: string }

/** The builder to which simulated traders belong. */
export const AGENTS_BROKER = 'demo-x'

/** The owner of an account. For a simulated trader, the address is the end of the account's id. */
export function accountOwner(
  { accounts }: Pick<VenueState, 'accounts'>,
  { key }: Pick<Account, 'key'>,
): Owner {
  const profile = accounts.get(key)?.profile
  return {
    address: profile?.address ?? `0x${key.slice(-40)}`,
    brokerId: profile?.brokerId ?? AGENTS_BROKER,
  }
}

/** The accounts of users and simulated traders, without the insurance fund. */
export function traderAccounts({ simulation }: Pick<VenueState, 'simulation'>): readonly Account[] {
  return simulation().engine.world.exchange.accounts.filter(({ kind }) => kind !== 'fund')
}

type AccountDeposit = {
  readonly accountId: string
  readonly token: string
  /** Amount in the engine's units. */
  readonly amount: number
  readonly chainId: string
}

/** Deposits into an account, and adds a row to its history. Throws -1607 for an unknown account. */
export function depositToAccount(
  exchange: Pick<VenueState, 'simulation'>,
  { accountId, token, amount, chainId }: AccountDeposit,
  nowMs: number,
): void {
  const { engine, account } = tradingContext(exchange, accountId)
  const fields = { account: account.number, amount, chainId }
  if (token === USDC) engine.submit('deposit', fields, nowMs)
  else engine.submit('tokens', { ...fields, token }, nowMs)
}

/** The histories of an account. Each is opened when it is read. */
type AccountLists = ReturnType<typeof accountLists>

function accountLists(
  { lists, records, algos, ledgers }: Pick<Simulation, 'lists' | 'records' | 'algos' | 'ledgers'>,
  account: Account,
) {
  const { list } = lists
  const own = () => records.of(account)
  const ledger = () => ledgers.of(account)
  return {
    /** Orders that have ended. */
    orders: () => list(ORDER_ROWS, { account, rows: own().orders }),
    /** Algo orders that have ended. */
    algos: () => list(ALGO_ROWS, { account, rows: algos.of(account) }),
    trades: () => list(TRADE_ROWS, { account, rows: own().trades }),
    fundings: () =>
      list(FUNDING_ROWS, { account, rows: own().fundings }, records.settledFunding(account)),
    /** Positions that have been closed. */
    closed: () => list(CLOSED_ROWS, { account, rows: own().closed }),
    /** Liquidations of the account, and liquidations of other accounts for which this account was deleveraged. */
    liquidations: () => list(LIQUIDATION_ROWS, { account, rows: records.ownLiquidations(account) }),
    assets: () => list(ASSET_ROWS, { account, rows: ledger().assets }),
    transfers: () => list(TRANSFER_ROWS, { account, rows: ledger().transfers }),
    settlements: () => list(SETTLEMENT_ROWS, { account, rows: ledger().settlements }),
  } as const
}
