import { effect, signal } from '@preact/signals'
import { keep, readKept } from '../../common/kept.ts'

/** The indicators that the chart offers, in the order in which they are drawn. */
export const INDICATORS = ['ma', 'ema', 'bollinger', 'rsi', 'macd'] as const

export type IndicatorName = (typeof INDICATORS)[number]

const kept = (readKept('indicators') ?? '').split(' ')

/** Those that are shown, kept by this browser. */
export const indicators = signal<readonly IndicatorName[]>(
  INDICATORS.filter((name) => kept.includes(name)),
)

effect(() => {
  const text = indicators.value.join(' ')
  if (text !== (readKept('indicators') ?? '')) keep('indicators', text)
})

/** Shows an indicator, or hides it. */
export function toggleIndicator(name: IndicatorName): void {
  const shown = new Set(indicators.peek())
  if (!shown.delete(name)) shown.add(name)
  indicators.value = INDICATORS.filter((each) => shown.has(each))
}

/** Whether the chart covers the whole window. */
export const isFull = signal(false)

/** The time of the candle below the pointer; null without one. */
export const hoveredTime = signal<number | null>(null)
