import { computed } from '@preact/signals'
import { toFloat } from '../orders/amounts.ts'
import { type Candle, candlesOf } from './rows.ts'
import { candlesReading, trades } from './state.ts'

const MINUTE_MS = 60_000

/** The chart knows no zones: times are shifted so that it writes the reader's. */
function zoneOffsetMs(atMs: number): number {
  return new Date(atMs).getTimezoneOffset() * MINUTE_MS
}

const candles = computed(() => candlesOf(candlesReading.value.data, zoneOffsetMs))

/** The candles, the last one carried on by the last trade. */
export const liveCandles = computed<readonly Candle[]>(() => {
  const rows = candles.value
  const last = rows.at(-1)
  const trade = trades.value[0]
  if (!last || !trade) return rows
  const at = (trade.atMs - zoneOffsetMs(trade.atMs)) / 1000
  if (at < last.time || trade.atMs <= candlesReading.value.atMs) return rows
  const close = toFloat(trade.price)
  const { high, low } = last
  const live = { ...last, close, high: Math.max(high, close), low: Math.min(low, close) }
  return [...rows.slice(0, -1), live]
})
