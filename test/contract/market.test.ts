import { describe, expect, test } from 'bun:test'
import type { TObject, TSchema } from '@sinclair/typebox'
import { INTERVALS } from '../../src/contract/durations.ts'
import { LEADERBOARD_SORTS, LEADERBOARD_WINDOWS } from '../../src/contract/market/leaderboard.ts'
import {
  CANDLE_FIELDS,
  CandlesAnswer,
  ConfigAnswer,
  DepositChainsAnswer,
  FundingAnswer,
  InsuranceFundAnswer,
  LeaderboardAnswer,
  LiquidationsAnswer,
  MarketRulesAnswer,
  MarketsAnswer,
  OrderbookAnswer,
  PointsAnswer,
  TokensAnswer,
  TradesAnswer,
} from '../../src/contract/market.ts'
import { refusedFor } from './shape.ts'

const MarketRow = MarketsAnswer.properties.markets.items
const MarketRuleInfo = MarketRulesAnswer.properties.rules.items.properties.info
const CandleRow = CandlesAnswer.properties.rows.items
const PublicTradeRow = TradesAnswer.properties.trades.items
const TokenRow = TokensAnswer.properties.rows.items
const TokenChainRow = TokenRow.properties.chain_details.items
const DepositChainRow = DepositChainsAnswer.properties.rows.items
const LeaderboardRow = LeaderboardAnswer.properties.rows.items

// The rows of the specification, written down a second time: every field, in order, with its JSON type.
const ROWS: [string, TObject, string][] = [
  [
    'market',
    MarketRow,
    `symbol string, display_symbol_name string, status string, index_price number, mark_price number,
    sum_unitary_funding number, est_funding_rate number, last_funding_rate number, next_funding_time integer,
    open_interest number, 24h_open number, 24h_close number, 24h_high number, 24h_low number, 24h_volume number,
    24h_amount number, base string, change24hPct number`,
  ],
  [
    'market rule',
    MarketRuleInfo,
    `symbol string, display_symbol_name string, quote_min number, quote_max number, quote_tick number,
    base_min number, base_max number, base_tick number, min_notional number, price_range number, price_scope number,
    funding_period number, cap_funding number, floor_funding number, base_imr number, base_mmr number`,
  ],
  [
    'order book',
    OrderbookAnswer,
    'symbol string, mid_price string, spread string, asks array, bids array, ts integer',
  ],
  [
    'candle',
    CandleRow,
    'open string, high string, low string, close string, volume string, timestamp integer',
  ],
  [
    'public trade',
    PublicTradeRow,
    `symbol string, side string, executed_price number, executed_quantity number, executed_timestamp integer`,
  ],
  [
    'funding',
    FundingAnswer,
    `symbol string, est_funding_rate number, last_funding_rate number, next_funding_time integer,
    sum_unitary_funding number`,
  ],
  ['token', TokenRow, 'token string, decimals number, chain_details array'],
  ['token chain', TokenChainRow, 'chain_id string, withdraw_fee number, decimals number'],
  [
    'deposit chain',
    DepositChainRow,
    `chainId number, name string, vault string, usdc string, explorer string, nativeSymbol string,
    withdrawalFee number, decimals number`,
  ],
  [
    'leaderboard',
    LeaderboardRow,
    'address string, rank number, volume number, pnl number, notional number',
  ],
]

describe('a row has exactly the fields of the specification', () => {
  test.each(ROWS)('%s', (_, row, fields) => {
    const typed = Object.entries(row.properties).map(
      ([name, { type, anyOf }]) =>
        `${name} ${type ?? anyOf.map((each: TSchema) => each['type']).join('|')}`,
    )
    expect(typed).toEqual(fields.split(/,\s+/))
  })

  test.each([['candle', CANDLE_FIELDS, CandleRow]] as [string, readonly string[], TObject][])(
    '%s, as a list',
    (_, fields, row) => {
      expect(fields).toEqual(Object.keys(row.properties))
    },
  )

  test('and none that names an identity or a venue', () => {
    for (const [, row] of ROWS) {
      const names = Object.keys(row.properties).join(' ')
      expect(names).not.toMatch(/broker|builder|account|maker|taker|vendor|provider/)
    }
  })
})

describe('choices', () => {
  test('are those of the specification', () => {
    expect(INTERVALS.join(' ')).toBe('1m 5m 15m 30m 1h 4h 12h 1d 1w')
    expect(LEADERBOARD_WINDOWS.join(' ')).toBe('24h 7d 30d')
    expect(LEADERBOARD_SORTS.join(' ')).toBe('volume pnl notional')
  })
})

describe('an answer', () => {
  const chain = { chain_id: '1', withdraw_fee: 1, decimals: 6 }
  const cases: [string, TSchema, unknown][] = [
    ['of no markets', MarketsAnswer, { markets: [] }],
    ['of no rules', MarketRulesAnswer, { rules: [] }],
    ['of no candles', CandlesAnswer, { rows: [] }],
    ['of no trades', TradesAnswer, { trades: [] }],
    ['of steps', ConfigAnswer, { leverageSteps: [1, 2, 3] }],
    [
      'of a token',
      TokensAnswer,
      { rows: [{ token: 'USDC', decimals: 6, chain_details: [chain] }] },
    ],
    ['of no chains', DepositChainsAnswer, { rows: [] }],
    [
      'of an empty book',
      OrderbookAnswer,
      { symbol: 'S', mid_price: '', spread: '', asks: [], bids: [], ts: 1 },
    ],
    ['of the fund', InsuranceFundAnswer, { anything: { at: ['all'] } }],
    ['of liquidations', LiquidationsAnswer, { rows: [{ any: 1 }] }],
    ['of a leaderboard', LeaderboardAnswer, { rows: [], total: 0, updatedAt: 1 }],
    ['of points that are off', PointsAnswer, { enabled: false, merits: null, epochs: null }],
  ]
  test.each(cases)('%s has the documented shape', (_, schema, value) => {
    expect(refusedFor(schema, value)).toBeUndefined()
    expect(refusedFor(schema, null)).toBe('body')
  })

  test('is plain JSON Schema', () => {
    for (const [, schema] of cases)
      expect(JSON.parse(JSON.stringify(schema))).toHaveProperty('type', 'object')
  })
})
