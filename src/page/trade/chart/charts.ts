import {
  AreaSeries,
  type CandlestickData,
  CandlestickSeries,
  type ChartOptions,
  ColorType,
  CrosshairMode,
  createChart,
  createOptionsChart,
  type DeepPartial,
  type HistogramData,
  HistogramSeries,
  type IPriceLine,
  LineStyle,
  LineType,
  type UTCTimestamp,
} from 'lightweight-charts'
import { colour } from '../../common/theme.ts'
import type { DepthPoint } from '../market/book.ts'
import type { Candle } from '../market/rows.ts'
import { TIMES } from './ticks.ts'

/** A line across the chart, at a price of one's own. */
export type OwnLine = {
  readonly key: string
  readonly price: number
  readonly title: string
  readonly kind: 'up' | 'down' | 'accent' | 'warn'
}

export type CandleChart = {
  /** `series` names what the candles are of: another name starts anew. */
  readonly show: (series: string, candles: readonly Candle[], places: number) => void
  readonly mark: (lines: readonly OwnLine[]) => void
  readonly repaint: () => void
  readonly remove: () => void
}

const CANDLE_PX = 6.5
const VOLUME_ALPHA = 0.35

function paintOn(element: HTMLElement) {
  const chart = createChart(element, lookOf())
  // Before anything is painted.
  chart.applyOptions(TIMES)
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

/** Candles with their volume below, in an element that it fills. */
function createCandleChart(element: HTMLElement): CandleChart {
  const { chart, candles, volumes } = paintOn(element)
  let [shownSeries, shown]: [string, readonly Candle[]] = ['', []]
  let lines = new Map<string, IPriceLine>()
  let marked: readonly OwnLine[] = []
  let volumeOf = volumeWith(washes())

  function show(series: string, rows: readonly Candle[], places: number): void {
    if (rows.length === 0) return
    const isSame = series === shownSeries && rows[0]?.time === shown[0]?.time
    if (isSame && rows.length >= shown.length) {
      for (const row of rows.slice(Math.max(0, shown.length - 1))) put(row)
    } else {
      candles.setData(rows.map(candleOf))
      volumes.setData(rows.map(volumeOf))
    }
    if (series !== shownSeries) {
      candles.applyOptions({
        priceFormat: { type: 'price', precision: places, minMove: 10 ** -places },
      })
      const count = element.clientWidth / CANDLE_PX
      chart.timeScale().setVisibleLogicalRange({ from: rows.length - count, to: rows.length + 4 })
    }
    ;[shownSeries, shown] = [series, rows]
  }

  function put(row: Candle): void {
    candles.update(candleOf(row))
    volumes.update(volumeOf(row))
  }

  function mark(wanted: readonly OwnLine[]): void {
    marked = wanted
    for (const line of lines.values()) candles.removePriceLine(line)
    lines = new Map(
      wanted.map(({ key, price, title, kind }) => {
        const options = {
          price,
          title,
          color: colour(kind),
          lineWidth: 1,
          lineStyle: LineStyle.Dashed,
        } as const
        return [key, candles.createPriceLine({ ...options, axisLabelVisible: true })]
      }),
    )
  }

  function repaint(): void {
    const [up, down] = [colour('up'), colour('down')]
    volumeOf = volumeWith(washes())
    chart.applyOptions(lookOf())
    candles.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down })
    volumes.setData(shown.map(volumeOf))
    mark(marked)
  }

  repaint()
  return { show, mark, repaint, remove: () => chart.remove() }
}

function candleOf({ time, open, high, low, close }: Candle): CandlestickData<UTCTimestamp> {
  return { time: time as UTCTimestamp, open, high, low, close }
}

type Washes = { readonly up: string; readonly down: string }

function volumeWith({ up, down }: Washes) {
  return ({ time, open, close, volume }: Candle): HistogramData<UTCTimestamp> => ({
    time: time as UTCTimestamp,
    value: volume,
    color: close >= open ? up : down,
  })
}

function washes(): Washes {
  return { up: washed(colour('up'), VOLUME_ALPHA), down: washed(colour('down'), VOLUME_ALPHA) }
}

export type DepthChart = {
  readonly show: (points: readonly DepthPoint[]) => void
  readonly repaint: () => void
  readonly remove: () => void
}

/** The sums of both sides of a book over the price. */
function createDepthChart(element: HTMLElement, places: number): DepthChart {
  const chart = createOptionsChart(element, {
    ...lookOf(),
    handleScroll: false,
    handleScale: false,
    localization: { precision: places, locale: LOCALE },
  })
  const style = {
    lineWidth: 2,
    lineType: LineType.WithSteps,
    lastValueVisible: false,
    priceLineVisible: false,
    priceFormat: { type: 'volume' },
  } as const
  const sides = {
    bids: { series: chart.addSeries(AreaSeries, style), color: 'up' },
    asks: { series: chart.addSeries(AreaSeries, style), color: 'down' },
  } as const

  function repaint(): void {
    chart.applyOptions(lookOf())
    for (const { series, color } of Object.values(sides)) {
      const line = colour(color)
      series.applyOptions({
        lineColor: line,
        topColor: washed(line, 0.35),
        bottomColor: washed(line, 0.08),
      })
    }
  }

  repaint()
  return {
    show: (points) => {
      for (const side of ['bids', 'asks'] as const) {
        const rows = points.flatMap((point) => {
          const value = point[side]
          return value === undefined ? [] : [{ time: point.price, value }]
        })
        sides[side].series.setData(rows)
      }
      chart.timeScale().fitContent()
    },
    repaint,
    remove: () => chart.remove(),
  }
}

/** The page is written in it; a browser's own may be none that its formatters know. */
const LOCALE = 'en-GB'

/** What both charts look like under the theme in force. The credit that the licence asks for is in the footer. */
function lookOf(): DeepPartial<ChartOptions> {
  const line = colour('line')
  return {
    autoSize: true,
    localization: { locale: LOCALE },
    layout: {
      attributionLogo: false,
      background: { type: ColorType.Solid, color: colour('panel') },
      textColor: colour('quiet'),
      fontFamily: getComputedStyle(document.documentElement).fontFamily,
      fontSize: 11,
    },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
    crosshair: { mode: CrosshairMode.Normal },
    rightPriceScale: { borderColor: line },
    timeScale: { borderColor: line, timeVisible: true, secondsVisible: false, rightOffset: 4 },
  }
}

/** The same colour, seen through. */
function washed(color: string, alpha: number): string {
  const [, inside = '0, 0, 0'] = /\(([^()]+)\)/.exec(color) ?? []
  const [red = '0', green = '0', blue = '0'] = inside.split(/[ ,]+/)
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`
}

/** What paints: loaded beside the rest, so that markets need not wait for it. */
export const CHARTS = { createCandleChart, createDepthChart } as const
