import { type IPriceLine, type ISeriesPrimitiveAxisView, LineStyle } from 'lightweight-charts'
import { colour } from '../../common/theme.ts'
import type { ChartGround } from './candle-chart.ts'
import { dragOn } from './drag.ts'

/** A line across the chart, at a price of one's own. */
export type OwnLine = {
  readonly key: string
  readonly price: number
  readonly title: string
  readonly kind: 'up' | 'down' | 'accent' | 'warn'
  /** Whether the reader may drag it to another price. */
  readonly canMove: boolean
  /** Whether an order waits there for the mark. */
  readonly isTrigger?: boolean
}

type Drawn = { readonly own: OwnLine; readonly line: IPriceLine }

/** Lines across a chart. One that may be moved follows the pointer; it returns where it was, and `onMoved` has the price. */
export function createOwnLines(
  { element, chart, series }: ChartGround,
  onMoved: (key: string, price: number) => void,
) {
  let [wanted, drawn]: [readonly OwnLine[], readonly Drawn[]] = [[], []]
  let held: Drawn | null = null

  function draw(): void {
    for (const { line } of drawn) series.removePriceLine(line)
    drawn = wanted.map((own) => ({ own, line: series.createPriceLine(lookOf(own)) }))
  }

  function nearest(y: number, reachPx: number): Drawn | undefined {
    const distance = ({ own }: Drawn) =>
      Math.abs((series.priceToCoordinate(own.price) ?? Number.POSITIVE_INFINITY) - y)
    return drawn
      .filter((each) => each.own.canMove && distance(each) <= reachPx)
      .sort((one, other) => distance(one) - distance(other))[0]
  }

  const end = dragOn(element, {
    canTake: (y, reachPx) => nearest(y, reachPx) !== undefined,
    take: (y, reachPx) => {
      held = nearest(y, reachPx) ?? null
      // The chart stands still while one of its lines is held.
      chart.applyOptions({ handleScroll: false, handleScale: false })
    },
    follow: (y) => {
      const price = series.coordinateToPrice(y)
      if (price !== null) held?.line.applyOptions({ price })
    },
    drop: (y) => {
      const key = held?.own.key
      held = null
      chart.applyOptions({ handleScroll: true, handleScale: true })
      draw()
      const price = y === null ? null : series.coordinateToPrice(y)
      if (key !== undefined && price !== null) onMoved(key, price)
    },
  })

  return {
    mark: (next: readonly OwnLine[]): void => {
      wanted = next
      if (!held) draw()
    },
    repaint: draw,
    remove: end,
  }
}

function lookOf({ price, title, kind }: OwnLine) {
  return {
    ...{ price, title, color: colour(kind), lineStyle: LineStyle.Dashed, axisLabelVisible: true },
    lineWidth: 1,
  } as const
}

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
