import type { Shape } from './shape.ts'

const MARKET: Shape = {
  symbol: 'symbol',
  display_symbol_name: 'string',
  status: 'active',
  index_price: 'number',
  mark_price: 'number',
  sum_unitary_funding: 'number',
  est_funding_rate: 'number',
  last_funding_rate: 'number',
  next_funding_time: 'ms',
  open_interest: 'number',
  '24h_open': 'number',
  '24h_close': 'number',
  '24h_high': 'number',
  '24h_low': 'number',
  '24h_volume': 'number',
  '24h_amount': 'number',
  base: 'string',
  change24hPct: 'number',
}

const RULE: Shape = {
  symbol: 'symbol',
  maxLeverage: 'integer',
  info: {
    symbol: 'symbol',
    display_symbol_name: 'string',
    quote_min: 'number',
    quote_max: 'number',
    quote_tick: 'number',
    base_min: 'number',
    base_max: 'number',
    base_tick: 'number',
    min_notional: 'number',
    price_range: 'number',
    price_scope: 'number',
    funding_period: 'number',
    cap_funding: 'number',
    floor_funding: 'number',
    base_imr: 'number',
    base_mmr: 'number',
  },
}

const LEVEL: Shape = { price: 'decimal', quantity: 'decimal' }

const BOOK: Shape = {
  symbol: 'symbol',
  mid_price: 'decimal',
  spread: 'decimal',
  asks: [LEVEL],
  bids: [LEVEL],
  ts: 'ms',
}

const CANDLE: Shape = {
  open: 'decimal',
  high: 'decimal',
  low: 'decimal',
  close: 'decimal',
  volume: 'decimal',
  timestamp: 'ms',
}

const TRADE: Shape = {
  symbol: 'symbol',
  side: 'side',
  executed_price: 'number',
  executed_quantity: 'number',
  executed_timestamp: 'ms',
}

const FUNDING: Shape = {
  symbol: 'symbol',
  est_funding_rate: 'number',
  last_funding_rate: 'number',
  next_funding_time: 'ms',
  sum_unitary_funding: 'number',
}

const TOKEN: Shape = {
  token: 'string',
  decimals: 'integer',
  chain_details: [{ chain_id: 'digits', withdraw_fee: 'number', decimals: 'integer' }],
}

const DEPOSIT_CHAIN: Shape = {
  chainId: 'integer',
  name: 'string',
  vault: 'address',
  usdc: 'address',
  explorer: 'url',
  nativeSymbol: 'string',
  withdrawalFee: 'number',
  decimals: 'integer',
}

const RANKING: Shape = {
  rows: [
    { address: 'string', rank: 'integer', volume: 'number', pnl: 'number', notional: 'number' },
  ],
  total: 'integer',
  updatedAt: 'ms',
}

const CATALOGUE: Shape = {
  version: 'integer',
  operations: [
    {
      id: 'string',
      summary: 'string',
      endpoint: 'string',
      method: 'string',
      parameters: 'list',
      cacheSeconds: 'integer',
    },
  ],
  groups: 'object',
  // Grown by addition: the live topics.
  streams: 'list',
  errors: [{ code: 'string', status: 'integer', message: 'string', retryable: 'boolean' }],
}

const BTC = 'symbol=PERP_BTC_USDC'

/** Every named read of the public surface and what the specification says it answers, field by field. */
export const SPEC_SHAPES: readonly { path: string; shape: Shape }[] = [
  { path: '/api/prep/catalogue', shape: CATALOGUE },
  { path: '/api/prep/registration-nonce', shape: { nonce: 'digits' } },
  { path: '/api/prep/markets', shape: { markets: [MARKET] } },
  { path: '/api/prep/market-rules', shape: { rules: [RULE] } },
  { path: `/api/prep/orderbook?${BTC}`, shape: BOOK },
  { path: `/api/prep/candles?${BTC}`, shape: { rows: [CANDLE] } },
  { path: `/api/prep/candles?${BTC}&interval=12h`, shape: { rows: [CANDLE] } },
  { path: `/api/prep/trades?${BTC}`, shape: { trades: [TRADE] } },
  { path: `/api/prep/funding?${BTC}`, shape: FUNDING },
  { path: '/api/prep/config', shape: { leverageSteps: ['number'] } },
  { path: '/api/prep/tokens', shape: { rows: [TOKEN] } },
  { path: '/api/prep/deposit-chains', shape: { rows: [DEPOSIT_CHAIN] } },
  { path: '/api/prep/insurance-fund', shape: 'object' },
  { path: '/api/prep/liquidations', shape: { rows: ['object'] } },
  { path: '/api/prep/leaderboard', shape: RANKING },
  { path: '/api/prep/leaderboard?window=30d&sort=pnl', shape: RANKING },
  { path: '/api/prep/whales', shape: RANKING },
  { path: '/api/prep/referral/verify?code=ABCD', shape: { code: 'string', valid: 'boolean' } },
  {
    path: `/api/prep/points?address=0x${'1f'.repeat(20)}`,
    shape: { enabled: 'boolean', merits: 'null', epochs: 'null' },
  },
]
