/** The symbol of a market. */
export const SYMBOL_PATTERN = /^PERP_[A-Z0-9]{1,20}_USDC$/

/** Lengths of a candle. */
export const INTERVALS = ['1m', '5m', '15m', '30m', '1h', '4h', '12h', '1d', '1w'] as const

export type Interval = (typeof INTERVALS)[number]
