import type { Row } from '../rows.ts'

/** What each row of candles holds, in this order. */
export const CANDLE_COLUMNS = ['timestamp', 'open', 'high', 'low', 'close', 'volume'] as const

/** The values of a candle by column; null where it has none. */
export function valuesOf(candle: Row, columns: readonly string[]): readonly unknown[] {
  return columns.map((column) => candle[column] ?? null)
}

/** One sentence about a run of candles, oldest first: how many, from where to where, and their extremes. */
export function summaryOf(candles: readonly Row[], interval: string): string {
  const [first, last] = [candles[0], candles.at(-1)]
  if (!first || !last) return 'No candles.'
  const [open, close] = [Number(first['open']), Number(last['close'])]
  const change = open > 0 ? `${(((close - open) / open) * 100).toFixed(2)}%` : 'unknown'
  const high = candles.reduce((most, { high: price }) => Math.max(most, Number(price)), -Infinity)
  const low = candles.reduce((least, { low: price }) => Math.min(least, Number(price)), Infinity)
  return `${candles.length} candles of ${interval}: ${open} to ${close} (${change}), high ${high}, low ${low}.`
}
