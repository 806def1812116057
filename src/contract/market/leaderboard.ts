/** Periods of the leaderboard; the first is the default. */
export const LEADERBOARD_WINDOWS = ['24h', '7d', '30d'] as const

/** Sort keys of the leaderboard; the first is the default. */
export const LEADERBOARD_SORTS = ['volume', 'pnl', 'notional'] as const
