export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
export const DAY_SECONDS = DAY_MS / 1000

/** Candle intervals. */
export const INTERVALS = ['1m', '5m', '15m', '30m', '1h', '4h', '12h', '1d', '1w'] as const

export type Interval = (typeof INTERVALS)[number]
