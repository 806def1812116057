import { type ReadonlySignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { clockTime } from '../common/format.ts'
import { colour, themeChanges } from '../common/theme.ts'
import type { Plotted, Point } from './points.ts'

/** One line of a plot. */
export type Line = {
  readonly label: string
  readonly color: 'accent' | 'down' | 'warn' | 'up'
  readonly value: (point: Point) => number
}

const HEIGHT_PX = 150

/** Less than this much of time is not stretched over the whole width. */
const SPAN_MIN_SECONDS = 60

/** One or two figures over time. */
export function Plot({
  title,
  lines,
  points,
}: {
  readonly title: string
  readonly lines: readonly Line[]
  readonly points: ReadonlySignal<readonly Plotted[]>
}) {
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  useSignalEffect(() => {
    themeChanges.value
    plot.current?.destroy()
    plot.current = element.current && paint(element.current, dataOf(points.peek(), lines), lines)
  })
  useSignalEffect(() => plot.current?.setData(dataOf(points.value, lines)))
  useEffect(() => {
    const fit = new ResizeObserver(([entry]) => {
      if (entry) plot.current?.setSize({ width: entry.contentRect.width, height: HEIGHT_PX })
    })
    if (element.current) fit.observe(element.current)
    return () => {
      fit.disconnect()
      plot.current?.destroy()
    }
  }, [])
  return (
    <figure class="panel plot" aria-label={title}>
      <div class="head">
        <h2>{title}</h2>
        {lines.map(({ label, color }) => (
          <span key={label} class="key" style={{ color: `var(--${color})` }}>
            {label}
          </span>
        ))}
      </div>
      <div ref={element} />
    </figure>
  )
}

function paint(element: HTMLElement, data: uPlot.AlignedData, lines: readonly Line[]): uPlot {
  const axis = {
    stroke: colour('quiet'),
    grid: { stroke: colour('line'), width: 1 },
    font: '11px system-ui',
  }
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT_PX,
    cursor: { drag: { x: false, y: false } },
    legend: { show: false },
    axes: [
      { ...axis, space: 80, values: (_, times) => times.map((at) => clockTime(at * 1000)) },
      { ...axis, size: 48 },
    ],
    scales: {
      x: { range: (_, min, max) => [max ? Math.min(min, max - SPAN_MIN_SECONDS) : min, max] },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
    },
    series: [
      {},
      ...lines.map(({ label, color }) => ({
        label,
        stroke: colour(color),
        width: 1.5,
        points: { show: false },
      })),
    ],
  }
  return new uPlot(options, data, element)
}

function dataOf(points: readonly Plotted[], lines: readonly Line[]): uPlot.AlignedData {
  return [
    points.map(([atMs]) => atMs / 1000),
    ...lines.map(({ value }) => points.map(([, point]) => point && value(point))),
  ]
}
