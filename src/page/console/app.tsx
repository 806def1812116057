import { CONSOLE_LIMITS, type ConsoleFigures, type Sample } from '../../spec/console/figures.ts'
import { age, clockTime, fill } from '../common/format.ts'
import { toggleTheme } from '../common/theme.ts'
import { Actions, Audit, Settings } from './actions.tsx'
import { AgentWrites } from './agent-writes.tsx'
import { Engines } from './engines.tsx'
import { Failures } from './failures.tsx'
import { M } from './messages.ts'
import { type Line, Plot } from './plot.tsx'
import { figures, isOffline } from './state.ts'
import {
  Approvals,
  Changes,
  Mandates,
  Operations,
  Refusals,
  Standbys,
  State,
  Venue,
  Vouchers,
  Writes,
} from './tables.tsx'
import { Tiles } from './tiles.tsx'
import { Verdict } from './verdict.tsx'

const PERIOD_SECONDS = CONSOLE_LIMITS.sampleEveryMs / 1000
const MB = 1_000_000

type Plotted = { readonly title: string; readonly lines: readonly Line[] }

const line = (label: string, color: Line['color'], value: (sample: Sample) => number) => ({
  label,
  color,
  value,
})

const PLOTS: readonly Plotted[] = [
  {
    title: M.charts.requests,
    lines: [
      line(M.charts.rate, 'accent', ([, requests]) => requests / PERIOD_SECONDS),
      line(M.charts.failed, 'down', ([, , failed]) => failed / PERIOD_SECONDS),
    ],
  },
  {
    title: M.charts.latency,
    lines: [
      line(M.charts.p99, 'accent', ([, , , p99]) => p99),
      line(M.charts.loop, 'warn', ([, , , , loop]) => loop),
    ],
  },
  {
    title: M.charts.memory,
    lines: [line(M.charts.resident, 'up', ([, , , , , bytes]) => bytes / MB)],
  },
]

/** The state of the server, in figures, plots and tables. */
export function App() {
  const { value } = figures
  return (
    <>
      <Header found={value} />
      {isOffline.value && (
        <p class="notice banner" role="status">
          {M.offline}
        </p>
      )}
      <main>{value ? <Found found={value} /> : <p class="empty">{M.waiting}</p>}</main>
    </>
  )
}

function Header({ found }: { readonly found: ConsoleFigures | null }) {
  return (
    <header>
      <img src="/favicon.svg" alt="" width="18" height="18" />
      <h1>
        {document.querySelector('meta[name="service"]')?.getAttribute('content')} {M.title}
      </h1>
      {found && <Health found={found} />}
      <span class="end">
        <a href="/readyz">{M.links.ready}</a>
        <a href="/metrics">{M.links.metrics}</a>
        <button
          type="button"
          class="plain"
          aria-label={M.theme}
          title={M.theme}
          onClick={toggleTheme}
        >
          ◐
        </button>
      </span>
    </header>
  )
}

function Health({
  found: { venue, version, uptimeSeconds, atMs },
}: {
  readonly found: ConsoleFigures
}) {
  const isWell = venue.missing === null
  return (
    <>
      <span class={`badge ${isWell ? 'well' : 'ill'}`}>
        {isWell ? M.venueOk : fill(M.venueMissing, { missing: venue.missing ?? '' })}
      </span>
      <span class="quiet">
        {venue.kind === 'embedded' ? M.embedded : M.live} · {version} ·{' '}
        {fill(M.uptime, { age: age(uptimeSeconds * 1000) })} · {clockTime(atMs)}
      </span>
    </>
  )
}

function Found({ found }: { readonly found: ConsoleFigures }) {
  return (
    <>
      <Verdict found={found} />
      <Tiles found={found} />
      <div class="plots" id="charts">
        {PLOTS.map((plot) => (
          <Plot key={plot.title} {...plot} />
        ))}
      </div>
      <div class="tables">
        <div class="stack">
          <Operations found={found} />
          <Failures found={found} />
          <Audit />
          <Settings />
        </div>
        <div class="stack">
          <Venue found={found} />
          <Changes found={found} />
          <Engines found={found} />
          <Writes found={found} />
          <Standbys found={found} />
          <Mandates found={found} />
          <Approvals found={found} />
          <Refusals found={found} />
          <State found={found} />
        </div>
        <div class="stack">
          <Actions found={found} />
          <Vouchers found={found} />
          <AgentWrites found={found} />
        </div>
      </div>
    </>
  )
}
