import { signal, useSignal, useSignalEffect } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { INTERVALS, type Interval } from '../../../contract/durations.ts'
import { filledTemplate } from '../../common/format.ts'
import { themeChanges } from '../../common/theme.ts'
import type { CandleChart } from '../chart/candle-chart.ts'
import { hoveredTime, isFull } from '../chart/choices.ts'
import type { DepthChart } from '../chart/depth-chart.ts'
import { STALE_MS } from '../feed/feed.ts'
import {
  book,
  candlesReading,
  decimalPlaces,
  interval,
  liveCandles,
  shownMarket,
  symbol,
} from '../market/state.ts'
import { notifyFailure } from '../messages/notices.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { FullScreen, IndicatorMenu, Indicators, Legend } from './chart-tools.tsx'
import { accountViews } from './load-account.ts'
import { Stale } from './parts/dialog.tsx'

const view = signal<'candles' | 'depth'>('candles')

/** The candle or depth chart of the shown market. */
export function ChartPanel() {
  const isDepth = view.value === 'depth'
  return (
    <section
      class={`panel chart ${isFull.value ? 'full' : ''}`}
      aria-label={PAGE_TEXTS.chart.title}
    >
      <div class="head">
        <fieldset class="choices" aria-label={PAGE_TEXTS.chart.interval}>
          {INTERVALS.map((name) => (
            <Choice
              key={name}
              name={name}
              isOn={!isDepth && interval.value === name}
              onPick={() => pick(name)}
            />
          ))}
          <Choice name={PAGE_TEXTS.chart.depth} isOn={isDepth} onPick={() => pick(null)} />
        </fieldset>
        <span class="end">
          <Stale reading={candlesReading.value} afterMs={STALE_MS.candles} />
          {!isDepth && <IndicatorMenu />}
          <FullScreen />
        </span>
      </div>
      {isDepth ? (
        <Depth key={`${symbol.value} ${depthMaker.value !== null}`} />
      ) : (
        <Candles key={String(candleMaker.value !== null)} />
      )}
      {accountViews.value && <accountViews.value.Held />}
    </section>
  )
}

function pick(name: Interval | null): void {
  view.value = name === null ? 'depth' : 'candles'
  if (name !== null) interval.value = name
  else
    import('../chart/depth-chart.ts').then(({ createDepthChart }) => {
      depthMaker.value = createDepthChart
    }, notifyFailure)
}

type Chosen = { readonly name: string; readonly isOn: boolean; readonly onPick: () => void }

function Choice({ name, isOn, onPick }: Chosen) {
  return (
    <button type="button" class="plain" aria-pressed={isOn} onClick={onPick}>
      {name}
    </button>
  )
}

function Candles() {
  const element = useRef<HTMLDivElement>(null)
  const chart = useSignal<CandleChart | null>(null)
  useLayoutEffect(() => {
    const create = candleMaker.peek()
    if (element.current && create) chart.value = create(element.current, hover)
    draw(chart.peek())
    return () => chart.peek()?.remove()
  }, [])
  useSignalEffect(() => draw(chart.value))
  // The user's orders and trades are drawn once the account's code is loaded.
  useSignalEffect(() => {
    const views = accountViews.value
    return views && chart.value ? views.drawOwn(chart.value.ground) : undefined
  })
  useSignalEffect(() => {
    if (themeChanges.value > 0) chart.value?.repaint()
  })
  const label = filledTemplate(PAGE_TEXTS.chart.label, {
    base: shownMarket.value?.base ?? '',
    interval: interval.value,
  })
  const { data } = candlesReading.value
  return (
    <figure
      class="canvas"
      role="img"
      aria-label={label}
      data-candles={liveCandles.value.length}
      data-fills={accountViews.value?.fillMarks.value.length}
    >
      <div ref={element} />
      {chart.value && <Indicators ground={chart.value.ground} />}
      <Legend places={decimalPlaces.value.price} />
      {data !== null && liveCandles.value.length === 0 && (
        <p class="empty">{PAGE_TEXTS.chart.empty}</p>
      )}
    </figure>
  )
}

function hover(time: number | null): void {
  hoveredTime.value = time
}

function draw(chart: CandleChart | null): void {
  const rows = liveCandles.value
  chart?.show(`${symbol.value} ${interval.value}`, rows, decimalPlaces.value.price)
}

function Depth() {
  const element = useRef<HTMLDivElement>(null)
  const chart = useRef<DepthChart | null>(null)
  useLayoutEffect(() => {
    const create = depthMaker.peek()
    if (element.current && create)
      chart.current = create(element.current, decimalPlaces.value.price)
    chart.current?.show(book.peek())
    return () => chart.current?.remove()
  }, [])
  useSignalEffect(() => chart.current?.show(book.value))
  useSignalEffect(() => {
    if (themeChanges.value > 0) chart.current?.repaint()
  })
  const label = filledTemplate(PAGE_TEXTS.chart.depthLabel, { base: shownMarket.value?.base ?? '' })
  return (
    <figure class="canvas" role="img" aria-label={label}>
      <div ref={element} />
    </figure>
  )
}

type Makers = typeof import('../chart/candle-chart.ts') & typeof import('../chart/depth-chart.ts')

/**
 * The function that creates the candle chart; null until its code is loaded. Loading starts at once, without delaying
 * the rest of the page.
 */
const candleMaker = signal<Makers['createCandleChart'] | null>(null)

import('../chart/candle-chart.ts').then(({ createCandleChart }) => {
  candleMaker.value = createCandleChart
}, notifyFailure)

/** The function that creates the depth chart; null until the user chooses depth and its code is loaded. */
const depthMaker = signal<Makers['createDepthChart'] | null>(null)
