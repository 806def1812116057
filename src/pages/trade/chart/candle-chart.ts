import {
  type CandlestickData,
  CandlestickSeries,
  createChart,
  type HistogramData,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from 'lightweight-charts'
import { colour } from '../../common/theme.ts'
import type { ChartCandle } from '../market/rows.ts'
import { chartOptions, translucentColour } from './look.ts'
import { priceFormatter, TIME_FORMATS } from './ticks.ts'

export type ChartSurface = {
  readonly element: HTMLElement
  readonly chart: IChartApi
  readonly series: ISeriesApi<'Candlestick'>
}

export type CandleChart = ReturnType<typeof createCandleChart>

const CANDLE_PX = 6.5
const CANDLES_MIN = 40
const VOLUME_ALPHA = 0.35

function paintOn(element: HTMLElement) {
  const chart = createChart(element, chartOptions())
  // These formats must be set before the first paint.
  chart.applyOptions(TIME_FORMATS)
  const candles = chart.addSeries(CandlestickSeries, { borderVisible: false })
  const volumes = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  volumes.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } })
  candles.priceScale().applyOptions({ scaleMargins: { top: 0.06, bottom: 0.2 } })
  return { chart, candles, volumes }
}

/** Creates a chart of candles with volumes that fills `element`. `onHover` gets the time below the pointer, or null. */
export function createCandleChart(element: HTMLElement, onHover: (time: number | null) => void) {
  const { chart, candles, volumes } = paintOn(element)
  let [shownSeries, shown]: [string, readonly ChartCandle[]] = ['', []]
  chart.subscribeCrosshairMove(({ time }) => onHover(typeof time === 'number' ? time : null))
  let volumeOf = volumeWith(volumeColours())

  /** Draws candles. `series` identifies market and interval; a new value redraws the whole chart. */
  function show(series: string, rows: readonly ChartCandle[], places: number): void {
    if (rows.length === 0) return
    const isSame = series === shownSeries && rows[0]?.time === shown[0]?.time
    if (isSame && rows.length >= shown.length) {
      for (const row of rows.slice(Math.max(0, shown.length - 1))) put(row)
    } else {
      candles.setData(rows.map(toCandlestick))
      volumes.setData(rows.map(volumeOf))
    }
    if (series !== shownSeries) {
      candles.applyOptions({ priceFormat: priceFormat(places) })
      // A short history leaves a part of the chart empty, because a candle has a maximum width.
      const most = element.clientWidth / CANDLE_PX
      const count = Math.max(CANDLES_MIN, Math.min(most, rows.length))
      chart.timeScale().setVisibleLogicalRange({ from: rows.length - count, to: rows.length + 4 })
    }
    ;[shownSeries, shown] = [series, rows]
  }

  function put(row: ChartCandle): void {
    candles.update(toCandlestick(row))
    volumes.update(volumeOf(row))
  }

  function repaint(): void {
    const [up, down] = [colour('up'), colour('down')]
    volumeOf = volumeWith(volumeColours())
    chart.applyOptions(chartOptions())
    candles.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down })
    volumes.setData(shown.map(volumeOf))
  }

  repaint()
  /** The chart on which the user's lines, trades and indicators are drawn. */
  const ground: ChartSurface = { element, chart, series: candles }
  return { show, ground, repaint, remove: () => chart.remove() }
}

function priceFormat(places: number) {
  return { type: 'custom', formatter: priceFormatter(places), minMove: 10 ** -places } as const
}

function toCandlestick({
  time,
  open,
  high,
  low,
  close,
}: ChartCandle): CandlestickData<UTCTimestamp> {
  return { time: time as UTCTimestamp, open, high, low, close }
}

function volumeWith({ up, down }: ReturnType<typeof volumeColours>) {
  return ({ time, open, close, volume }: ChartCandle): HistogramData<UTCTimestamp> => ({
    time: time as UTCTimestamp,
    value: volume,
    color: close >= open ? up : down,
  })
}

function volumeColours() {
  return {
    up: translucentColour(colour('up'), VOLUME_ALPHA),
    down: translucentColour(colour('down'), VOLUME_ALPHA),
  }
}
