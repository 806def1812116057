import {
  AreaSeries,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from 'lightweight-charts'
import { colour } from '../../common/theme.ts'
import type { ChartCandle } from '../market/rows.ts'
import type { IndicatorName } from './choices.ts'
import { bollinger, ema, type IndicatorValues, macd, rsi, sma } from './indicators.ts'

/**
 * A line or row of bars of an indicator. Overlays with the same `pane` number share a pane; 0 is the pane of the
 * candles.
 */
export type Overlay = {
  readonly key: string
  readonly title: string
  readonly kind: 'line' | 'bars'
  readonly color: 'accent' | 'warn' | 'violet' | 'quiet'
  readonly pane: number
  readonly values: IndicatorValues
  /** The horizontal levels of an index from 0 to 100. */
  readonly levels?: readonly number[]
}

type Maker = (closes: readonly number[]) => readonly Omit<Overlay, 'pane'>[]

const line = (key: string, title: string, color: Overlay['color'], values: IndicatorValues) =>
  ({ key, title, color, kind: 'line', values }) as const

/** The lines and bars of each indicator. */
const MAKERS: Readonly<Record<IndicatorName, Maker>> = {
  ma: (closes) => [line('ma', 'MA 20', 'accent', sma(closes, 20))],
  ema: (closes) => [line('ema', 'EMA 20', 'warn', ema(closes, 20))],
  bollinger: (closes) => {
    const { middle, upper, lower } = bollinger(closes, 20, 2)
    return [
      line('upper', 'BB upper', 'quiet', upper),
      line('middle', 'BB 20 2', 'violet', middle),
      line('lower', 'BB lower', 'quiet', lower),
    ]
  },
  rsi: (closes) => [{ ...line('rsi', 'RSI 14', 'violet', rsi(closes, 14)), levels: [30, 70] }],
  macd: (closes) => {
    const found = macd(closes, 12, 26, 9)
    return [
      { key: 'bars', title: 'Histogram', color: 'quiet', kind: 'bars', values: found.histogram },
      line('macd', 'MACD 12 26 9', 'accent', found.line),
      line('signal', 'Signal', 'warn', found.signal),
    ]
  },
}

/** Indicators with a separate pane below the candles. */
const APART: ReadonlySet<IndicatorName> = new Set(['rsi', 'macd'])

/** All overlays of these indicators for these candles. */
export function indicatorOverlays(
  names: readonly IndicatorName[],
  candles: readonly ChartCandle[],
): readonly Overlay[] {
  const closes = candles.map(({ close }) => close)
  let pane = 0
  return names.flatMap((name) => {
    if (APART.has(name)) pane += 1
    const at = APART.has(name) ? pane : 0
    return MAKERS[name](closes).map((overlay) => ({ ...overlay, pane: at }))
  })
}

type Series = ISeriesApi<'Area'> | ISeriesApi<'Histogram'>

/** Draws overlays on a chart, and reuses the series of overlays that are still drawn. */
export function createOverlaySeries(chart: IChartApi) {
  let drawn = new Map<string, Series>()

  function renew(overlays: readonly Overlay[]): void {
    for (const series of [...drawn.values()].reverse()) chart.removeSeries(series)
    drawn = new Map(overlays.map((overlay) => [overlay.key, addOverlaySeries(chart, overlay)]))
    for (const pane of chart.panes().slice(1)) pane.setStretchFactor(0.3)
  }

  return (overlays: readonly Overlay[], candles: readonly ChartCandle[]): void => {
    const isSame = [...drawn.keys()].join() === overlays.map(({ key }) => key).join()
    if (!isSame) renew(overlays)
    for (const { key, values, color, kind } of overlays) {
      const series = drawn.get(key)
      series?.applyOptions(
        kind === 'line' ? { lineColor: colour(color) } : { color: colour('line') },
      )
      for (const level of series?.priceLines() ?? []) level.applyOptions(levelColors())
      series?.setData(
        candles.flatMap(({ time }, at) => {
          const value = values[at]
          return typeof value === 'number' ? [{ time: time as UTCTimestamp, value }] : []
        }),
      )
    }
  }
}

function addOverlaySeries(chart: IChartApi, { kind, pane, levels = [] }: Overlay): Series {
  const plain = { priceLineVisible: false, lastValueVisible: false } as const
  if (kind === 'bars') return chart.addSeries(HistogramSeries, plain, pane)
  // A transparent area series is drawn as a line.
  const clear = { topColor: 'transparent', bottomColor: 'transparent', lineWidth: 1 } as const
  const options = { ...plain, ...clear, crosshairMarkerVisible: false }
  const series = chart.addSeries(AreaSeries, options, pane)
  for (const price of levels) series.createPriceLine({ price, ...LEVEL })
  // The scale shows the whole range of the index, so that its levels are always visible.
  if (levels.length > 0)
    series.applyOptions({ priceFormat: INDEX, autoscaleInfoProvider: () => WHOLE_INDEX })
  return series
}

const LEVEL = { lineWidth: 1, axisLabelVisible: true } as const

/** The colours of a level: a quiet line, and a border-coloured label on the axis. */
function levelColors() {
  const [axisLabelColor, axisLabelTextColor] = [colour('line'), colour('text')]
  return { color: colour('quiet'), axisLabelColor, axisLabelTextColor }
}

const INDEX = { type: 'price', precision: 0, minMove: 1 } as const

const WHOLE_INDEX = { priceRange: { minValue: 0, maxValue: 100 } } as const
