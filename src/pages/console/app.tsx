import type { ConsoleFigures } from '../../contract/console/figures.ts'
import { age, clockTime, fill } from '../common/format.ts'
import { toggleTheme } from '../common/theme.ts'
import { Actions, Audit, Settings } from './actions.tsx'
import { Charts } from './charts.tsx'
import { Failures } from './failures.tsx'
import { Engines, Instances } from './instances.tsx'
import { M } from './messages.ts'
import { Counts } from './parts.tsx'
import { figures, isOffline } from './state.ts'
import { AgentWrites, Operations, State, Vouchers } from './tables.tsx'
import { Tiles, Verdict } from './tiles.tsx'
import { Changes, Venue } from './venue.tsx'

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
        {M.venueKinds[venue.kind]} · {version} ·{' '}
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
      <Charts />
      <div class="tables">
        <div class="stack">
          <Operations found={found} />
          <Engines found={found} />
          <Instances found={found} />
          <Failures found={found} />
          <Audit />
          <Settings />
        </div>
        <div class="stack">
          <Venue found={found} />
          <Changes found={found} />
          <Counts {...M.writes} id="writes" rows={found.writes} />
          <Counts {...M.standbys} rows={found.standbys} />
          <Counts {...M.mandates} rows={found.mandates} />
          <Counts {...M.approvals} rows={found.approvals} />
          <Counts {...M.refusals} id="refusals" rows={found.refusals} />
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
