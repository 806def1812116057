import type {
  IPrimitivePaneRenderer,
  IPrimitivePaneView,
  ISeriesPrimitive,
  Time,
  UTCTimestamp,
} from 'lightweight-charts'
import { colour } from '../../common/theme.ts'
import type { ChartSurface } from './candle-chart.ts'

/** A trade of the user, at the time of its candle. */
export type FillMark = { readonly time: number; readonly price: number; readonly isBuy: boolean }

const SIZE_PX = 5

/** Draws the user's trades on the candles: a triangle pointing up for a buy, down for a sell. */
export function createFillMarks({ chart, series }: ChartSurface) {
  let marks: readonly FillMark[] = []
  let update: () => void = () => undefined

  function draw(context: CanvasRenderingContext2D): void {
    const [up, down] = [colour('up'), colour('down')]
    for (const { time, price, isBuy } of marks) {
      const x = chart.timeScale().timeToCoordinate(time as UTCTimestamp)
      const y = series.priceToCoordinate(price)
      if (x === null || y === null) continue
      const tip = isBuy ? -SIZE_PX : SIZE_PX
      context.beginPath()
      context.moveTo(x, y)
      context.lineTo(x - SIZE_PX, y - 2 * tip)
      context.lineTo(x + SIZE_PX, y - 2 * tip)
      context.closePath()
      context.fillStyle = isBuy ? up : down
      context.strokeStyle = colour('panel')
      context.fill()
      context.stroke()
    }
  }

  const renderer: IPrimitivePaneRenderer = {
    draw: (target) => target.useMediaCoordinateSpace(({ context }) => draw(context)),
  }
  const view: IPrimitivePaneView = { renderer: () => renderer, zOrder: () => 'top' }
  const primitive: ISeriesPrimitive<Time> = {
    attached: ({ requestUpdate }) => {
      update = requestUpdate
    },
    paneViews: () => [view],
  }
  series.attachPrimitive(primitive)
  return (next: readonly FillMark[]): void => {
    marks = next
    update()
  }
}
