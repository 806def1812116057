import { signal } from '@preact/signals'
import { keptSignal } from '../../common/kept.ts'

/** The indicators that the chart offers, in the order in which they are drawn. */
export const INDICATORS = ['ma', 'ema', 'bollinger', 'rsi', 'macd'] as const

export type IndicatorName = (typeof INDICATORS)[number]

/** The shown indicators, stored in this browser. */
export const indicators = keptSignal<readonly IndicatorName[]>(
  'indicators',
  (text) => INDICATORS.filter((name) => text.split(' ').includes(name)),
  (names) => names.join(' '),
)

/** Shows or hides an indicator. */
export function toggleIndicator(name: IndicatorName): void {
  const shown = new Set(indicators.peek())
  if (!shown.delete(name)) shown.add(name)
  indicators.value = INDICATORS.filter((each) => shown.has(each))
}

/** Whether the chart covers the whole window. */
export const isFull = signal(false)

/** The time of the candle below the pointer; null without such a candle. */
export const hoveredTime = signal<number | null>(null)
