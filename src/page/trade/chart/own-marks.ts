import { computed, effect } from '@preact/signals'
import { toFloat } from '../../common/amounts.ts'
import { themeChanges } from '../../common/theme.ts'
import { fillsOf } from '../account/past.ts'
import { accountTopic, SLOW_MS } from '../account/state.ts'
import { followed } from '../feed/service.ts'
import { liveCandles, symbol, zoneOffsetMs } from '../market/state.ts'
import type { ChartGround } from './candle-chart.ts'
import { createEdgeLabels } from './edge-labels.ts'
import { createFillMarks, type FillMark } from './fills.ts'
import { createOwnLines } from './lines.ts'
import { ownLines } from './own-lines.ts'

const fillsReading = followed(() =>
  symbol.value === ''
    ? null
    : accountTopic(`/v1/trades?symbol=${symbol.value}&page=1&size=100`, SLOW_MS, ['fills']),
)

/** The reader’s own trades in the market that is shown, at the candles that they are in. */
export const fillMarks = computed<readonly FillMark[]>(() => {
  const times = liveCandles.value.map(({ time }) => time)
  return fillsOf(fillsReading.value.data).flatMap(({ atMs, price, side }) => {
    const at = (atMs - zoneOffsetMs(atMs)) / 1000
    const time = times.findLast((each) => each <= at)
    return time === undefined ? [] : [{ time, price: toFloat(price), isBuy: side === 'BUY' }]
  })
})

/** Draws the reader’s own orders, positions and trades on a chart, until the answer is called. */
export function drawOwn(
  ground: ChartGround,
  onMoved: (key: string, price: number) => void,
): () => void {
  const lines = createOwnLines(ground, onMoved)
  const edges = createEdgeLabels(ground)
  const fills = createFillMarks(ground)
  const ends = [
    effect(() => lines.mark(ownLines.value)),
    effect(() => edges(ownLines.value)),
    effect(() => fills(fillMarks.value)),
    effect(() => {
      if (themeChanges.value > 0) lines.repaint()
    }),
  ]
  return () => {
    for (const end of ends) end()
    lines.remove()
  }
}
