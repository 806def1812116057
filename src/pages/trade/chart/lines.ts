import { type IPriceLine, type IPrimitivePaneRenderer, LineStyle } from 'lightweight-charts'
import { colour } from '../../common/theme.ts'
import type { ChartSurface } from './candle-chart.ts'
import { dragOn } from './drag.ts'

/** A horizontal line at a price of the user's order or position. */
export type OwnLine = {
  readonly key: string
  readonly price: number
  readonly title: string
  readonly kind: 'up' | 'down' | 'accent' | 'warn'
  /** Whether the user may drag the line to a new price. */
  readonly canMove: boolean
  /** Whether a conditional order waits for the mark price at this line. */
  readonly isTrigger?: boolean
}

type Drawn = { readonly own: OwnLine; readonly line: IPriceLine }

/**
 * Draws horizontal lines on a chart. A movable line follows the pointer. On release the line returns to its place, and
 * `onMoved` gets the new price.
 */
export function createOwnLines(
  { element, chart, series }: ChartSurface,
  onMoved: (key: string, price: number) => void,
) {
  let [wanted, drawn]: [readonly OwnLine[], readonly Drawn[]] = [[], []]
  let held: Drawn | null = null
  const name = nameLines({ chart, series }, () => drawn)

  function draw(): void {
    for (const { line } of drawn) series.removePriceLine(line)
    drawn = wanted.map((own) => ({ own, line: series.createPriceLine(ownLineLook(own)) }))
    name()
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
      // While a line is dragged, the chart does not scroll or zoom.
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

function ownLineLook({ price, kind }: OwnLine) {
  return {
    ...{ price, color: colour(kind), lineStyle: LineStyle.Dashed, axisLabelVisible: false },
    lineWidth: 1,
  } as const
}

/** In pixels: the height of a label (`height`), and the space on each side of the label's text (`inset`). */
const LABEL = { height: 16, inset: 5 } as const

/**
 * Labels each line at the right edge of the pane, because a label on the price axis would cover its numbers. A trigger
 * above or below the visible scale is labelled at that edge. Returns a function that redraws the labels.
 */
function nameLines(
  { chart, series }: Pick<ChartSurface, 'chart' | 'series'>,
  drawn: () => readonly Drawn[],
): () => void {
  let update: () => void = () => undefined

  /** The texts of the labels, from the top down. */
  function labels(height: number) {
    const all = drawn().map(({ own, line }) => {
      const { price } = line.options()
      const y = series.priceToCoordinate(price) ?? 0
      const outside = y < 0 ? '↑' : y > height ? '↓' : ''
      const end = outside || series.priceFormatter().format(price)
      return { own, y, text: `${own.title} ${end}`, isShown: own.isTrigger || !outside }
    })
    return all.filter(({ isShown }) => isShown).sort((one, other) => one.y - other.y)
  }

  function draw(context: CanvasRenderingContext2D, { width, height }: Size): void {
    const { fontSize, fontFamily } = chart.options().layout
    const half = LABEL.height / 2
    context.font = `${fontSize}px ${fontFamily}`
    context.textBaseline = 'middle'
    let free = 0
    for (const { own, y, text } of labels(height)) {
      const top = Math.max(Math.min(y, height - half) - half, free)
      const box = context.measureText(text).width + 2 * LABEL.inset
      context.fillStyle = colour(own.kind)
      context.fillRect(width - box, top, box, LABEL.height)
      context.fillStyle = colour('panel')
      context.fillText(text, width - box + LABEL.inset, top + half)
      free = top + LABEL.height + 1
    }
  }

  const renderer: IPrimitivePaneRenderer = {
    draw: (target) =>
      target.useMediaCoordinateSpace(({ context, mediaSize }) => draw(context, mediaSize)),
  }
  series.attachPrimitive({
    attached: ({ requestUpdate }) => {
      update = requestUpdate
    },
    paneViews: () => [{ renderer: () => renderer, zOrder: () => 'top' }],
  })
  return () => update()
}

type Size = { readonly width: number; readonly height: number }
