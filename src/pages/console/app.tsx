import type { ConsoleFigures } from '../../contract/console/figures.ts'
import { ageText, clockTime, filledTemplate } from '../common/format.ts'
import { toggleTheme } from '../common/theme.ts'
import { Actions, Audit, SettingsPanel } from './actions.tsx'
import { Charts } from './charts.tsx'
import { FailuresPanel } from './failures.tsx'
import { Engines, Instances } from './instances.tsx'
import { CONSOLE_TEXTS } from './messages.ts'
import { CountsPanel } from './parts.tsx'
import { figures, isOffline } from './state.ts'
import { AgentWrites, Operations, StatePanel, VouchersPanel } from './tables.tsx'
import { Tiles, VerdictPanel } from './tiles.tsx'
import { Changes, VenuePanel } from './venue.tsx'

/** The state of the server, in figures, plots and tables. */
export function ConsoleApp() {
  const { value } = figures
  return (
    <>
      <Header found={value} />
      {isOffline.value && (
        <p class="notice banner" role="status">
          {CONSOLE_TEXTS.offline}
        </p>
      )}
      <main>{value ? <Found found={value} /> : <p class="empty">{CONSOLE_TEXTS.waiting}</p>}</main>
    </>
  )
}

function Header({ found }: { readonly found: ConsoleFigures | null }) {
  return (
    <header>
      <img src="/favicon.svg" alt="" width="18" height="18" />
      <h1>
        {document.querySelector('meta[name="service"]')?.getAttribute('content')}{' '}
        {CONSOLE_TEXTS.title}
      </h1>
      {found && <Health found={found} />}
      <span class="end">
        <a href="/readyz">{CONSOLE_TEXTS.links.ready}</a>
        <a href="/metrics">{CONSOLE_TEXTS.links.metrics}</a>
        <button
          type="button"
          class="plain"
          aria-label={CONSOLE_TEXTS.theme}
          title={CONSOLE_TEXTS.theme}
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
        {isWell
          ? CONSOLE_TEXTS.venueOk
          : filledTemplate(CONSOLE_TEXTS.venueMissing, { missing: venue.missing ?? '' })}
      </span>
      <span class="quiet">
        {CONSOLE_TEXTS.venueKinds[venue.kind]} · {version} ·{' '}
        {filledTemplate(CONSOLE_TEXTS.uptime, { age: ageText(uptimeSeconds * 1000) })} ·{' '}
        {clockTime(atMs)}
      </span>
    </>
  )
}

function Found({ found }: { readonly found: ConsoleFigures }) {
  return (
    <>
      <VerdictPanel found={found} />
      <Tiles found={found} />
      <Charts />
      <div class="tables">
        <div class="stack">
          <Operations found={found} />
          <Engines found={found} />
          <Instances found={found} />
          <FailuresPanel found={found} />
          <Audit />
          <SettingsPanel />
        </div>
        <div class="stack">
          <VenuePanel found={found} />
          <Changes found={found} />
          <CountsPanel {...CONSOLE_TEXTS.writes} id="writes" rows={found.writes} />
          <CountsPanel {...CONSOLE_TEXTS.standbys} rows={found.standbys} />
          <CountsPanel {...CONSOLE_TEXTS.mandates} rows={found.mandates} />
          <CountsPanel {...CONSOLE_TEXTS.approvals} rows={found.approvals} />
          <CountsPanel {...CONSOLE_TEXTS.refusals} id="refusals" rows={found.refusals} />
          <StatePanel found={found} />
        </div>
        <div class="stack">
          <Actions found={found} />
          <VouchersPanel found={found} />
          <AgentWrites found={found} />
        </div>
      </div>
    </>
  )
}
