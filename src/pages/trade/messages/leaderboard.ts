/** The texts of the leaderboard, loaded with it. */
export const LEADERBOARD_TEXTS = {
  title: 'Leaderboard',
  why: 'The venue names traders by the ends of their addresses. Amounts are in USDC.',
  rank: 'Ranked by',
  ranks: { volume: 'Volume', pnl: 'PnL', whales: 'Whales' },
  names: {
    volume: 'Traders by volume',
    pnl: 'Traders by PnL',
    whales: 'Whales: traders by open notional',
  },
  period: 'Period of volume and PnL',
  periods: { '24h': '24 hours', '7d': '7 days', '30d': '30 days' },
  head: {
    trader: 'Rank and trader',
    volume: 'Volume, {period}',
    pnl: 'PnL, {period}',
    notional: 'Open notional',
  },
  you: 'you',
  asOf: 'As of {time}',
  empty: 'The venue has no ranking for this period.',
} as const
