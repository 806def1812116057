import { refusal } from '../messages/refusals.ts'
import type { Move, Observer } from './observer.ts'
import type { Account, AlgoOrder, EngineMarket, MarketAccount, RebateShare } from './state.ts'

/**
 * An account's volume on a UTC day, and the rebate on that day: the part of the fees that a receiver gets. In
 * micro-USDC.
 */
export type RebateDay = {
  readonly day: number
  volume: number
  fees: number
  amount: number
}

/** The part of a payer's fees that a receiver gets. Payer and receiver may be the same account. */
export type Rebate = {
  readonly from: number
  readonly to: number
  readonly level: RebateShare['level']
  /** The sum over all days, including days no longer listed. */
  total: number
  paid: number
  /** The latest days, oldest first. */
  readonly days: RebateDay[]
}

/** Money that is not in any account. */
type Totals = {
  deposits: number
  withdrawals: number
  /** Trading fees received, minus rebates paid. */
  fees: number
  /** The sum of all roundings. Funding is rounded up, so the sum is needed to balance the totals. */
  rounding: number
  /** Deposits minus withdrawals of each token except USDC, with eight decimals. */
  tokens: Record<string, number>
}

/** The mutable state of the exchange, which functions take as their first argument. */
export type ExchangeState = {
  readonly markets: readonly EngineMarket[]
  readonly bySymbol: ReadonlyMap<string, EngineMarket>
  /** The accounts, by number. */
  readonly accounts: Account[]
  readonly byKey: Map<string, Account>
  readonly totals: Totals
  /** Pending transfers, withdrawals and settlements, by number. */
  readonly moves: Map<number, Move>
  /** Rebates that accrue, by the numbers of payer and receiver. */
  readonly rebates: Map<string, Rebate>
  readonly observers: Observer[]
  /** Market accounts that the current order has filled. They are checked when the order is done. */
  readonly filled: MarketAccount[]
  /** Accounts that are below their maintenance margin. */
  readonly failing: Set<Account>
  /** Algo orders whose trigger was met. */
  readonly triggered: Set<AlgoOrder>
  /** Market accounts with a change that concerns their algo orders. */
  readonly changed: Set<MarketAccount>
  /** The last number used. Orders, matches and position lives share one sequence. */
  sequence: number
}

/** The next unique number of an order, a match or a position life. */
export function nextEngineId(exchange: Pick<ExchangeState, 'sequence'>): number {
  exchange.sequence += 1
  return exchange.sequence
}

/** The market with a symbol. Throws -1005 for an unknown symbol. */
export function marketBySymbol(
  { bySymbol }: Pick<ExchangeState, 'bySymbol'>,
  symbol: string,
): EngineMarket {
  const market = bySymbol.get(symbol)
  if (!market) throw refusal('parameter', 'symbol is invalid')
  return market
}

/** An exchange with these markets and without accounts. */
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

/** Numbers of the engine start above this number. Lower numbers belong to seeded data. */
export const SEQUENCE_START = 1_000_000
