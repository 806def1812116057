import { computed, type ReadonlySignal, signal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { ageText, clockTime, filledTemplate } from '../common/format.ts'
import { colour, themeChanges } from '../common/theme.ts'
import { countText } from './figures-text.ts'
import { CONSOLE_TEXTS } from './messages.ts'
import { minuteTotals, type Plotted, type Point, plottedPoints, type Range } from './points.ts'
import { minutes, samples } from './state.ts'

const MB = 1_000_000

const range = signal<Range>('hour')
const points = computed(() => plottedPoints(range.value, minutes.value, samples.value))

const line = (label: string, color: PlotLine['color'], value: (point: Point) => number) => ({
  label,
  color,
  value,
})

const PLOTS: readonly { readonly title: string; readonly lines: readonly PlotLine[] }[] = [
  {
    title: CONSOLE_TEXTS.charts.requests,
    lines: [
      line(CONSOLE_TEXTS.charts.rate, 'accent', ({ requestsPerSecond }) => requestsPerSecond),
      line(CONSOLE_TEXTS.charts.failed, 'down', ({ failedPerSecond }) => failedPerSecond),
    ],
  },
  {
    title: CONSOLE_TEXTS.charts.latency,
    lines: [
      line(CONSOLE_TEXTS.charts.p99, 'accent', ({ p99Ms }) => p99Ms),
      line(CONSOLE_TEXTS.charts.loop, 'warn', ({ loopDelayMs }) => loopDelayMs),
    ],
  },
  {
    title: CONSOLE_TEXTS.charts.memory,
    lines: [line(CONSOLE_TEXTS.charts.resident, 'up', ({ residentBytes }) => residentBytes / MB)],
  },
]

const SHOWN: readonly Range[] = ['hour', 'day']

/** Plots of the last hour or day, and the totals of the day. */
export function Charts() {
  const { knownMs, requests, failed } = minuteTotals(minutes.value)
  const figures = {
    requests: countText(requests),
    failed: countText(failed),
    age: ageText(knownMs),
  }
  return (
    <section id="charts" aria-label={CONSOLE_TEXTS.charts.title}>
      <p class="ranges">
        {SHOWN.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={range.value === each}
            onClick={() => {
              range.value = each
            }}
          >
            {CONSOLE_TEXTS.charts.ranges[each]}
          </button>
        ))}
        <span class="quiet">
          {knownMs === 0
            ? CONSOLE_TEXTS.charts.unknown
            : filledTemplate(CONSOLE_TEXTS.charts.known, figures)}
        </span>
      </p>
      <div class="plots">
        {PLOTS.map((plot) => (
          <Plot key={plot.title} {...plot} points={points} />
        ))}
      </div>
    </section>
  )
}

/** One line of a plot. */
export type PlotLine = {
  readonly label: string
  readonly color: 'accent' | 'down' | 'warn' | 'up'
  readonly value: (point: Point) => number
}

const HEIGHT_PX = 150

/** Minimum time span of a plot's width. */
const SPAN_MIN_SECONDS = 60

/** One or two figures over time. */
function Plot({
  title,
  lines,
  points,
}: {
  readonly title: string
  readonly lines: readonly PlotLine[]
  readonly points: ReadonlySignal<readonly Plotted[]>
}) {
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  useSignalEffect(() => {
    themeChanges.value
    plot.current?.destroy()
    plot.current =
      element.current && paint(element.current, alignedData(points.peek(), lines), lines)
  })
  useSignalEffect(() => plot.current?.setData(alignedData(points.value, lines)))
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

function paint(element: HTMLElement, data: uPlot.AlignedData, lines: readonly PlotLine[]): uPlot {
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

function alignedData(points: readonly Plotted[], lines: readonly PlotLine[]): uPlot.AlignedData {
  return [
    points.map(([atMs]) => atMs / 1000),
    ...lines.map(({ value }) => points.map(([, point]) => point && value(point))),
  ]
}
