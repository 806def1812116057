import { formatDecimal, parseDecimal } from '../../core/decimals.ts'
import { type Row, toFloat } from '../../core/json.ts'

/**
 * Merges candles into longer candles at UTC boundaries, oldest first: first open, last close, extremes, summed volume.
 */
export function mergeCandles(rows: readonly Row[], spanMs: number): readonly Row[] {
  const spans = new Map<number, Row[]>()
  const sorted = [...rows].sort((a, b) => candleStartMs(a) - candleStartMs(b))
  for (const row of sorted) {
    const startMs = Math.floor(candleStartMs(row) / spanMs) * spanMs
    const span = spans.get(startMs)
    if (span) span.push(row)
    else spans.set(startMs, [row])
  }
  return [...spans].map(([startMs, span]) => mergedCandle(startMs, span))
}

/** The time at which a candle begins. */
export function candleStartMs(row: Row): number {
  return toFloat(row['timestamp']) ?? 0
}

function mergedCandle(timestamp: number, span: readonly Row[]): Row {
  return {
    open: span[0]?.['open'],
    high: extremeValue(span, 'high', (a, b) => a > b),
    low: extremeValue(span, 'low', (a, b) => a < b),
    close: span.at(-1)?.['close'],
    volume: sum(span.map((row) => String(row['volume'] ?? '0'))),
    timestamp,
  }
}

// Returns the extreme in its original text, so that prices are never printed from floats.
function extremeValue(
  span: readonly Row[],
  field: string,
  isFurther: (a: number, b: number) => boolean,
): unknown {
  const values = span.map((row) => row[field])
  return values.reduce((best, next) => (isFurther(Number(next), Number(best)) ? next : best))
}

const VOLUME_SCALE = 18

function sum(texts: readonly string[]): string {
  const total = texts.reduce((all, text) => all + (parseDecimal(text, VOLUME_SCALE) ?? 0n), 0n)
  return formatDecimal(total, VOLUME_SCALE)
}
