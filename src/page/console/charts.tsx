import { computed, signal } from '@preact/signals'
import { age, fill } from '../common/format.ts'
import { count } from './figures-text.ts'
import { M } from './messages.ts'
import { type Line, Plot } from './plot.tsx'
import { type Point, pointsOf, type Range, sumOf } from './points.ts'
import { minutes, samples } from './state.ts'

const MB = 1_000_000

const range = signal<Range>('hour')
const points = computed(() => pointsOf(range.value, minutes.value, samples.value))

const line = (label: string, color: Line['color'], value: (point: Point) => number) => ({
  label,
  color,
  value,
})

const PLOTS: readonly { readonly title: string; readonly lines: readonly Line[] }[] = [
  {
    title: M.charts.requests,
    lines: [
      line(M.charts.rate, 'accent', ({ requestsPerSecond }) => requestsPerSecond),
      line(M.charts.failed, 'down', ({ failedPerSecond }) => failedPerSecond),
    ],
  },
  {
    title: M.charts.latency,
    lines: [
      line(M.charts.p99, 'accent', ({ p99Ms }) => p99Ms),
      line(M.charts.loop, 'warn', ({ loopDelayMs }) => loopDelayMs),
    ],
  },
  {
    title: M.charts.memory,
    lines: [line(M.charts.resident, 'up', ({ residentBytes }) => residentBytes / MB)],
  },
]

const SHOWN: readonly Range[] = ['hour', 'day']

/** The last hour or day in plots, and what the day was in all. */
export function Charts() {
  const { knownMs, requests, failed } = sumOf(minutes.value)
  const figures = { requests: count(requests), failed: count(failed), age: age(knownMs) }
  return (
    <section id="charts" aria-label={M.charts.title}>
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
            {M.charts.ranges[each]}
          </button>
        ))}
        <span class="quiet">
          {knownMs === 0 ? M.charts.unknown : fill(M.charts.known, figures)}
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
