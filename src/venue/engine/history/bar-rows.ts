import type { Bar } from '../../market/price/bar.ts'

/** A bar as a row of numbers. */
export type BarRow = readonly number[]

/** A bar as short as it can be told exactly: the end from the beginning, prices from the opening. */
export function barRow({
  firstAtMs,
  lastAtMs,
  open,
  high,
  low,
  close,
  volume,
  amount,
  count,
}: Bar): BarRow {
  return [
    firstAtMs,
    lastAtMs - firstAtMs,
    open,
    high - open,
    low - open,
    close - open,
    volume,
    amount,
    count,
  ]
}

/** The bar that a row tells. */
export function barOf(row: BarRow): Bar {
  const [
    firstAtMs = 0,
    lasted = 0,
    open = 0,
    high = 0,
    low = 0,
    close = 0,
    volume = 0,
    amount = 0,
    count = 0,
  ] = row
  return {
    firstAtMs,
    lastAtMs: firstAtMs + lasted,
    open,
    high: open + high,
    low: open + low,
    close: open + close,
    volume,
    amount,
    count,
  }
}

/** Bars of one length by their starts. */
export function barsByStart(bars: readonly Bar[], lengthMs: number): Map<number, Bar> {
  return new Map(bars.map((bar) => [bar.firstAtMs - (bar.firstAtMs % lengthMs), bar]))
}
