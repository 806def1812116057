import { Type } from '@sinclair/typebox'
import { oneOf } from './envelope.ts'
import { HEX_PATTERNS } from './hex.ts'

const text = Type.String()
const number = Type.Number()
const milliseconds = Type.Integer({ description: 'Milliseconds since the epoch.' })

/** One active market. `base` and `change24hPct` are computed here. */
export const MarketRow = Type.Object({
  symbol: text,
  display_symbol_name: text,
  status: oneOf(['ACTIVE']),
  index_price: number,
  mark_price: number,
  sum_unitary_funding: number,
  est_funding_rate: Type.Number({ description: 'Positive: longs pay shorts.' }),
  last_funding_rate: number,
  next_funding_time: milliseconds,
  open_interest: number,
  '24h_open': number,
  '24h_close': number,
  '24h_high': number,
  '24h_low': number,
  '24h_volume': number,
  '24h_amount': number,
  base: text,
  change24hPct: Type.Number({ description: 'Percent; zero when the open was zero.' }),
})

/** The order rules of one market, under the venue's names. */
const MarketRuleInfo = Type.Object({
  symbol: text,
  display_symbol_name: text,
  quote_min: number,
  quote_max: number,
  quote_tick: number,
  base_min: number,
  base_max: number,
  base_tick: number,
  min_notional: number,
  price_range: number,
  price_scope: number,
  funding_period: number,
  cap_funding: number,
  floor_funding: number,
  base_imr: number,
  base_mmr: number,
})

/** The rules and the maximum leverage of one market. */
export const MarketRuleRow = Type.Object({
  symbol: text,
  maxLeverage: Type.Integer({ description: 'The reciprocal of base_imr, rounded.' }),
  info: MarketRuleInfo,
})

const BookLevel = Type.Object({ price: text, quantity: text })

/** An order book. Prices and quantities are strings; an empty side leaves `mid_price` and `spread` empty. */
export const OrderbookAnswer = Type.Object({
  symbol: text,
  mid_price: text,
  spread: text,
  asks: Type.Array(BookLevel),
  bids: Type.Array(BookLevel),
  ts: milliseconds,
})

/** One candle; its values are strings. */
const CandleRow = Type.Object({
  open: text,
  high: text,
  low: text,
  close: text,
  volume: text,
  timestamp: milliseconds,
})

/** One public trade, without identities. */
export const PublicTradeRow = Type.Object({
  symbol: text,
  side: text,
  executed_price: number,
  executed_quantity: number,
  executed_timestamp: milliseconds,
})

/** Funding of one market. */
export const FundingAnswer = Type.Object({
  symbol: text,
  est_funding_rate: number,
  last_funding_rate: number,
  next_funding_time: milliseconds,
  sum_unitary_funding: number,
})

/** One chain of a token. */
const TokenChainRow = Type.Object({
  chain_id: text,
  withdraw_fee: number,
  decimals: number,
})

/** One collateral token. */
export const TokenRow = Type.Object({
  token: text,
  decimals: number,
  chain_details: Type.Array(TokenChainRow),
})

const EvmAddress = Type.String({ pattern: HEX_PATTERNS.address })

/** One chain that takes USDC deposits. */
export const DepositChainRow = Type.Object({
  chainId: number,
  name: text,
  vault: EvmAddress,
  usdc: EvmAddress,
  explorer: Type.String({ description: 'A URL.' }),
  nativeSymbol: text,
  withdrawalFee: number,
  decimals: number,
})

const usdc = Type.Number({ description: 'In USDC.' })

/** One ranked trader; the address is abbreviated. */
export const LeaderboardRow = Type.Object({
  address: text,
  rank: number,
  volume: usdc,
  pnl: usdc,
  notional: usdc,
})

/** The fields of a candle in the order of the answer. */
export const CANDLE_FIELDS: readonly string[] = Object.keys(CandleRow.properties)

export const MarketsAnswer = Type.Object({ markets: Type.Array(MarketRow) })

export const MarketRulesAnswer = Type.Object({ rules: Type.Array(MarketRuleRow) })

export const CandlesAnswer = Type.Object({ rows: Type.Array(CandleRow) })

export const TradesAnswer = Type.Object({ trades: Type.Array(PublicTradeRow) })

export const ConfigAnswer = Type.Object({ leverageSteps: Type.Array(number) })

const sessionTime = (description: string) =>
  Type.Union([milliseconds, Type.Null()], { description })

/** Trading hours of markets on stocks, commodities and currencies. */
export const MarketSessionsAnswer = Type.Object({
  rows: Type.Array(
    Type.Object({
      symbol: text,
      open: Type.Boolean(),
      opensAt: sessionTime(
        'The next opening, in milliseconds; null if the venue does not name it.',
      ),
      closesAt: sessionTime('The next close, in milliseconds; null if the venue does not name it.'),
      note: Type.String({
        description: 'Rules while the market is closed; empty while it is open.',
      }),
    }),
  ),
  symbols: Type.Array(text, {
    description: 'All of these markets, those whose hours are not known included.',
  }),
})

export const TokensAnswer = Type.Object({ rows: Type.Array(TokenRow) })

export const DepositChainsAnswer = Type.Object({ rows: Type.Array(DepositChainRow) })

const venueObject = Type.Record(text, Type.Unknown(), {
  description: 'Under the venue’s own names.',
})

export const InsuranceFundAnswer = venueObject

export const LiquidationsAnswer = Type.Object({ rows: Type.Array(venueObject) })

/** The answer of two routes: the leaderboard and the whales. */
export const LeaderboardAnswer = Type.Object({
  rows: Type.Array(LeaderboardRow),
  total: Type.Integer({ description: 'Rows in this answer.' }),
  updatedAt: milliseconds,
})

export const PointsAnswer = Type.Object({
  enabled: Type.Boolean(),
  merits: Type.Unknown({ description: 'Null when the rewards module is off.' }),
  epochs: Type.Unknown({ description: 'Null when the rewards module is off.' }),
})
