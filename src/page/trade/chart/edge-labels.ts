import type { ISeriesPrimitiveAxisView } from 'lightweight-charts'
import { colour } from '../../common/theme.ts'
import type { ChartGround } from './candle-chart.ts'
import type { OwnLine } from './lines.ts'

/** How far the middle of a label is from the edge. */
const INSET_PX = 10

/** Names triggers that lie outside of the scale, at its edge on their side. */
export function createEdgeLabels({ chart, series }: ChartGround) {
  let views: readonly ISeriesPrimitiveAxisView[] = []
  let update: () => void = () => undefined

  function viewOf({ price, title, kind }: OwnLine): ISeriesPrimitiveAxisView {
    const yOf = () => series.priceToCoordinate(price) ?? 0
    const height = () => chart.panes()[0]?.getHeight() ?? 0
    return {
      coordinate: () => (yOf() < 0 ? INSET_PX : height() - INSET_PX),
      visible: () => yOf() < 0 || yOf() > height(),
      text: () => `${title} ${yOf() < 0 ? '↑' : '↓'}`,
      textColor: () => colour('panel'),
      backColor: () => colour(kind),
    }
  }

  series.attachPrimitive({
    attached: ({ requestUpdate }) => {
      update = requestUpdate
    },
    priceAxisViews: () => views,
  })
  return (lines: readonly OwnLine[]): void => {
    views = lines.filter(({ isTrigger }) => isTrigger).map(viewOf)
    update()
  }
}
