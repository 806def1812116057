import { AreaSeries, CrosshairMode, createOptionsChart, LineType } from 'lightweight-charts'
import type { Book } from '../../../perp/book.ts'
import { colour } from '../../common/theme.ts'
import { depthPoints } from './depth-curve.ts'
import { chartOptions, translucentColour } from './look.ts'
import { priceFormatter } from './ticks.ts'

export type DepthChart = ReturnType<typeof createDepthChart>

/** Creates a depth chart: the summed quantity of both sides of a book over the price. */
export function createDepthChart(element: HTMLElement, places: number) {
  const chart = createOptionsChart(element, {
    ...chartOptions(),
    handleScroll: false,
    handleScale: false,
    // The scale starts at a sum of zero.
    rightPriceScale: { scaleMargins: { top: 0.1, bottom: 0 } },
    // The first price label is moved inside the chart's edge, so the next label needs more distance.
    timeScale: { allowBoldLabels: false, tickMarkMaxCharacterLength: 12 },
  })
  const formatHorzItem = priceFormatter(places)
  const formatTickmark = ({ time }: { readonly time: unknown }) => formatHorzItem(Number(time))
  // These formats must be set before the first paint.
  Object.assign(chart.horzBehaviour(), { formatHorzItem, formatTickmark })
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
    // The crosshair snaps to the points of the curve.
    chart.applyOptions({ ...chartOptions(), crosshair: { mode: CrosshairMode.Magnet } })
    for (const { series, color } of Object.values(sides)) {
      const line = colour(color)
      series.applyOptions({
        lineColor: line,
        topColor: translucentColour(line, 0.35),
        bottomColor: translucentColour(line, 0.08),
      })
    }
  }

  repaint()
  return {
    show: (book: Book) => {
      const points = depthPoints(book)
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
