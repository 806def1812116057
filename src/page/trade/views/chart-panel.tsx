import { signal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { INTERVALS, type Interval } from '../../../spec/durations.ts'
import { toFloat } from '../../common/amounts.ts'
import { fill, placesOf } from '../../common/format.ts'
import { themeChanges } from '../../common/theme.ts'
import type { CandleChart } from '../chart/candle-chart.ts'
import type { DepthChart } from '../chart/depth-chart.ts'
import { ownLines } from '../chart/own-lines.ts'
import { depthOf } from '../market/book.ts'
import {
  book,
  candlesReading,
  chooseInterval,
  interval,
  liveCandles,
  market,
  rule,
  symbol,
} from '../market/state.ts'
import { notifyFailure } from '../messages/notices.ts'
import { M } from '../messages/page.ts'
import { withAccountViews } from './load-account.ts'
import { Stale } from './parts/dialog.tsx'

const view = signal<'candles' | 'depth'>('candles')

/** Candles or depth of the market that is shown. */
export function ChartPanel() {
  const isDepth = view.value === 'depth'
  const isLoaded = charts.value !== null
  return (
    <section class="panel chart" aria-label={M.chart.title}>
      <div class="head">
        <fieldset class="choices" aria-label={M.chart.interval}>
          {INTERVALS.map((name) => (
            <Choice
              key={name}
              name={name}
              isOn={!isDepth && interval.value === name}
              onPick={() => pick(name)}
            />
          ))}
          <Choice name={M.chart.depth} isOn={isDepth} onPick={() => pick(null)} />
        </fieldset>
        <span class="end">
          <Stale reading={candlesReading.value} afterMs={20_000} />
        </span>
      </div>
      {isDepth ? <Depth key={`${symbol.value} ${isLoaded}`} /> : <Candles key={String(isLoaded)} />}
    </section>
  )
}

function pick(name: Interval | null): void {
  view.value = name === null ? 'depth' : 'candles'
  if (name !== null) chooseInterval(name)
}

type Chosen = { readonly name: string; readonly isOn: boolean; readonly onPick: () => void }

function Choice({ name, isOn, onPick }: Chosen) {
  return (
    <button type="button" class="plain" aria-pressed={isOn} onClick={onPick}>
      {name}
    </button>
  )
}

function places(): number {
  return placesOf(rule.value?.quoteTick ?? '0.01')
}

function Candles() {
  const element = useRef<HTMLDivElement>(null)
  const chart = useRef<CandleChart | null>(null)
  useLayoutEffect(() => {
    const made = charts.peek()
    if (element.current && made) chart.current = made.createCandleChart(element.current, moved)
    draw(chart.current)
    return () => chart.current?.remove()
  }, [])
  useSignalEffect(() => draw(chart.current))
  useSignalEffect(() => chart.current?.mark(ownLines.value))
  useSignalEffect(() => {
    if (themeChanges.value > 0) chart.current?.repaint()
  })
  const label = fill(M.chart.label, { base: market.value?.base ?? '', interval: interval.value })
  const { data } = candlesReading.value
  return (
    <figure class="canvas" role="img" aria-label={label} data-candles={liveCandles.value.length}>
      <div ref={element} />
      {data !== null && liveCandles.value.length === 0 && <p class="empty">{M.chart.empty}</p>}
    </figure>
  )
}

/** Shows what dragging a line to a price would change. */
function moved(key: string, price: number): void {
  void withAccountViews(async (views) => views.moveLine(key, price))
}

function draw(chart: CandleChart | null): void {
  const rows = liveCandles.value
  chart?.show(`${symbol.value} ${interval.value}`, rows, places())
}

function Depth() {
  const element = useRef<HTMLDivElement>(null)
  const chart = useRef<DepthChart | null>(null)
  useLayoutEffect(() => {
    const made = charts.peek()
    if (element.current && made) chart.current = made.createDepthChart(element.current, places())
    chart.current?.show(depthOf(book.peek(), toFloat))
    return () => chart.current?.remove()
  }, [])
  useSignalEffect(() => chart.current?.show(depthOf(book.value, toFloat)))
  useSignalEffect(() => {
    if (themeChanges.value > 0) chart.current?.repaint()
  })
  const label = fill(M.chart.depthLabel, { base: market.value?.base ?? '' })
  return (
    <figure class="canvas" role="img" aria-label={label}>
      <div ref={element} />
    </figure>
  )
}

type Charts = typeof import('../chart/charts.ts')['CHARTS']

/** What paints; null until it has come. It is asked for at once, and nothing else waits for it. */
const charts = signal<Charts | null>(null)

import('../chart/charts.ts').then(({ CHARTS }) => {
  charts.value = CHARTS
}, notifyFailure)
