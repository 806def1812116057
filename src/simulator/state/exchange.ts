import { refusal } from '../messages/refusals.ts'
import type { Move, Observer } from './observer.ts'
import type { Account, AlgoOrder, EngineMarket, MarketAccount, RebateShare } from './state.ts'

/** One account's volume on one UTC day, and the part of its fees for another account. Micro-USDC. */
export type RebateDay = {
  readonly day: number
  volume: number
  fees: number
  amount: number
}

/** The part of one account's fees for one receiver, which may be the account itself. */
export type Rebate = {
  readonly from: number
  readonly to: number
  readonly level: RebateShare['level']
  /** The sum over all time, including dropped days. */
  total: number
  paid: number
  /** Oldest first. */
  readonly days: RebateDay[]
}

/** Money that is in no account. */
type Totals = {
  deposits: number
  withdrawals: number
  /** Trading fees taken, less rebates paid. */
  fees: number
  /** The remainders of rounding, because funding is rounded up. */
  rounding: number
  /** Deposits minus withdrawals of each other token, eight decimals. */
  tokens: Record<string, number>
}

/** The mutable state of the exchange. Functions take it as their first argument. */
export type ExchangeState = {
  readonly markets: readonly EngineMarket[]
  readonly bySymbol: ReadonlyMap<string, EngineMarket>
  /** By number. */
  readonly accounts: Account[]
  readonly byKey: Map<string, Account>
  readonly totals: Totals
  /** Transfers and withdrawals under way, by number. */
  readonly moves: Map<number, Move>
  /** Fee rebates that accrue, by the numbers of payer and receiver. */
  readonly rebates: Map<string, Rebate>
  readonly observers: Observer[]
  /** Market accounts that the current order has filled; they are checked when it is done. */
  readonly filled: MarketAccount[]
  /** Accounts found below their maintenance margin. */
  readonly failing: Set<Account>
  /** Algo orders whose trigger was met, and market accounts that changed where algo orders depend on them. */
  readonly triggered: Set<AlgoOrder>
  readonly changed: Set<MarketAccount>
  /** The last assigned number: orders, matches and position lives share one sequence. */
  sequence: number
}

/** A new unique number. */
export function nextEngineId(exchange: Pick<ExchangeState, 'sequence'>): number {
  exchange.sequence += 1
  return exchange.sequence
}

/** The market of a symbol. Throws -1005 for an unknown symbol. */
export function marketBySymbol(
  { bySymbol }: Pick<ExchangeState, 'bySymbol'>,
  symbol: string,
): EngineMarket {
  const market = bySymbol.get(symbol)
  if (!market) throw refusal('parameter', 'symbol is invalid')
  return market
}

/** An exchange of these markets without accounts. */
export function createExchange(markets: readonly EngineMarket[]): ExchangeState {
  return {
    markets,
    bySymbol: new Map(markets.map((market) => [market.spec.symbol, market])),
    accounts: [],
    byKey: new Map(),
    totals: { deposits: 0, withdrawals: 0, fees: 0, rounding: 0, tokens: {} },
    moves: new Map(),
    rebates: new Map(),
    observers: [],
    filled: [],
    failing: new Set(),
    triggered: new Set(),
    changed: new Set(),
    sequence: SEQUENCE_START,
  }
}

/** The number before the first one; smaller numbers are for seeded data. */
export const SEQUENCE_START = 1_000_000
