import { signal } from '@preact/signals'
import { DAY_MS } from '../../../../contract/durations.ts'
import { absolute, larger, smaller } from '../../../../core/decimals.ts'
import { amountNumber } from '../../../../perp/amounts.ts'
import { utcDayText } from '../../../common/figure.ts'
import { dayTime, filledTemplate, fixedText, signed } from '../../../common/format.ts'
import { failureMessage } from '../../messages/failure-messages.ts'
import { FIGURE_TEXTS } from '../../messages/figures.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { PORTFOLIO_TEXTS } from '../../messages/portfolio.ts'
import { type EquityPoint, funded, partSince, REST_MIN } from '../../portfolio/changes.ts'
import { accountNow, curve, historyFailure, knownSinceMs } from '../../portfolio/state.ts'
import { Segments } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'

const PERIODS = { week: 7 * DAY_MS, month: 30 * DAY_MS, all: Number.POSITIVE_INFINITY } as const
type Period = keyof typeof PERIODS

const period = signal<Period>('month')

/** The equity over time, and a text about its unknown parts. */
export function Curve() {
  const { value: points } = curve
  return (
    <Panel
      title={PORTFOLIO_TEXTS.curve.title}
      end={
        <span class="end">
          <Segments
            label={PORTFOLIO_TEXTS.curve.period}
            kind="periods"
            options={PORTFOLIO_TEXTS.curve.periods}
            chosen={period}
          />
        </span>
      }
    >
      {points ? <Drawn points={points} /> : <Waiting />}
      <p class="quiet">{PORTFOLIO_TEXTS.curve.why}</p>
      {points && <Unknown points={points} />}
    </Panel>
  )
}

function Waiting() {
  const { value: failure } = historyFailure
  const isUnknown = accountNow.value?.equity === null
  if (!failure)
    return <p class="empty">{isUnknown ? FIGURE_TEXTS.unknown : PAGE_TEXTS.lists.waiting}</p>
  const { text, next } = failureMessage(failure)
  return (
    <p class="notice">
      {text} {next}
    </p>
  )
}

/** The text about gaps in the histories: the time before the first known row, or equity from unknown sources. */
function Unknown({ points }: { readonly points: readonly EquityPoint[] }) {
  const rest = points[0]?.value ?? 0n
  if (knownSinceMs.value > 0)
    return (
      <p class="warn">
        {filledTemplate(PORTFOLIO_TEXTS.curve.since, { day: dayTime(knownSinceMs.value) })}
      </p>
    )
  if (absolute(rest) < REST_MIN) return null
  return (
    <p class="warn">{filledTemplate(PORTFOLIO_TEXTS.curve.rest, { amount: signed(rest, 2) })}</p>
  )
}

const WIDTH = 1000
const HEIGHT = 200

function Drawn({ points }: { readonly points: readonly EquityPoint[] }) {
  const last = points.at(-1)
  const shown = last ? funded(partSince(points, last.atMs - PERIODS[period.value])) : []
  const first = shown[0]
  if (!first || !last || shown.length < 2) return <p class="empty">{PORTFOLIO_TEXTS.curve.one}</p>
  const values = shown.map(({ value }) => value)
  const [low, high] = [values.reduce(smaller), values.reduce(larger)]
  const names = {
    first: fixedText(first.value, 2),
    last: fixedText(last.value, 2),
    ...endTexts(first.atMs, last.atMs),
  }
  return (
    <figure class="curve">
      <div class="scale quiet">
        <span>{fixedText(high, 2)}</span>
        {low < high && <span>{fixedText(low, 2)}</span>}
      </div>
      <svg
        role="img"
        aria-label={filledTemplate(PORTFOLIO_TEXTS.curve.label, names)}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <path d={stepPath(shown, low, high)} vector-effect="non-scaling-stroke" />
      </svg>
      <div class="times quiet">
        <span>{names.from}</span>
        <span>{names.to}</span>
      </div>
    </figure>
  )
}

/** The texts of the start and end of a time span; with times of day if both are on the same day. */
function endTexts(fromMs: number, toMs: number) {
  const text = utcDayText(fromMs) === utcDayText(toMs) ? dayTime : utcDayText
  return { from: text(fromMs), to: text(toMs) }
}

/** The SVG path of the curve, horizontal between two changes. */
function stepPath(points: readonly EquityPoint[], low: bigint, high: bigint): string {
  const [from, to] = [points[0]?.atMs ?? 0, points.at(-1)?.atMs ?? 1]
  const x = (atMs: number) => ((atMs - from) / Math.max(1, to - from)) * WIDTH
  const y = (value: bigint) =>
    high === low
      ? HEIGHT / 2
      : (1 - amountNumber(value - low) / amountNumber(high - low)) * (HEIGHT - 4) + 2
  return points
    .map(({ atMs, value }, at) => {
      const [left, top] = [x(atMs).toFixed(1), y(value).toFixed(1)]
      return at === 0 ? `M${left} ${top}` : `H${left}V${top}`
    })
    .join('')
}
