import type { ConsoleFigures, EngineFigures, InstanceRow } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { ageText, dayTime, filledTemplate } from '../common/format.ts'
import type { Column } from '../common/table.tsx'
import { countText, milliseconds } from './figures-text.ts'
import { CONSOLE_TEXTS } from './messages.ts'
import { TablePanel } from './parts.tsx'

type Props = { readonly found: ConsoleFigures }

const [engine, state, calls, p50, p99, failed, clock, lag] = CONSOLE_TEXTS.engines.head

const ENGINE_COLUMNS: readonly Column<EngineFigures>[] = [
  [engine, ({ name }) => name],
  [
    state,
    ({ fault }) =>
      fault === null
        ? CONSOLE_TEXTS.engines.answers
        : filledTemplate(CONSOLE_TEXTS.engines.away, { fault }),
    ({ fault }) => ({ class: fault === null ? 'up' : 'down' }),
    'text',
  ],
  [calls, (row) => countText(row.calls)],
  [p50, ({ p50MaxMs }) => milliseconds(p50MaxMs)],
  [p99, ({ p99MaxMs }) => milliseconds(p99MaxMs)],
  [
    failed,
    (row) => countText(engineFaults(row)),
    (row) => ({
      class: engineFaults(row) > 0 ? 'down' : 'quiet',
      title: row.faults.map(({ name, count: times }) => `${name} ${countText(times)}`).join(', '),
    }),
  ],
  [clock, ({ clockSkewMs }) => milliseconds(clockSkewMs)],
  [lag, ({ lagMs }) => milliseconds(lagMs)],
]

function engineFaults({ faults }: EngineFigures): number {
  return faults.reduce((sum, { count: times }) => sum + times, 0)
}

/** State, latency and failures of the shared engines (PostgreSQL, Valkey); hidden without shared engines. */
export function Engines({ found: { engines } }: Props) {
  return (
    <TablePanel
      title={CONSOLE_TEXTS.engines.title}
      id="engines"
      columns={ENGINE_COLUMNS}
      rows={engines ?? []}
      keyOf={({ name }) => name}
      attributesOf={({ name }) => ({ 'data-engine': name })}
    />
  )
}

const [name, version, since, seen, readiness] = CONSOLE_TEXTS.instances.head

/** The instances that share the engines; hidden for an instance without shared engines. */
export function Instances({ found }: Props) {
  const { instances, instance, atMs } = found
  if (instances === null) return null
  const columns: readonly Column<InstanceRow>[] = [
    [
      name,
      (row) =>
        row.name === instance
          ? filledTemplate(CONSOLE_TEXTS.instances.own, { name: row.name })
          : row.name,
    ],
    [version, (row) => row.version, undefined, 'text'],
    [since, ({ sinceMs }) => dayTime(sinceMs)],
    [
      seen,
      ({ seenMs }) => filledTemplate(CONSOLE_TEXTS.instances.ago, { age: ageText(atMs - seenMs) }),
    ],
    [
      readiness,
      (row) => CONSOLE_TEXTS.instances.states[instanceState(row, atMs)],
      (row) => ({ class: STATE_CLASS[instanceState(row, atMs)] }),
      'text',
    ],
  ]
  return (
    <TablePanel
      title={CONSOLE_TEXTS.instances.title}
      id="instances"
      why={CONSOLE_TEXTS.instances.why}
      columns={columns}
      none={CONSOLE_TEXTS.instances.none}
      rows={instances}
      keyOf={(row) => row.name}
      attributesOf={(row) => ({ 'data-instance': row.name })}
    >
      <Feed found={found} />
    </TablePanel>
  )
}

/**
 * Shows which instance receives the venue's live data for all instances. Hidden if each instance is connected to the
 * venue.
 */
function Feed({ found }: Props) {
  const state = feedState(found)
  if (state === null) return null
  return (
    <p class={state === 'away' ? 'down' : 'quiet'} data-feed={state}>
      {filledTemplate(CONSOLE_TEXTS.instances.feed[state], { name: found.feed?.leader ?? '' })}
    </p>
  )
}

function feedState({ feed, instance, instances }: ConsoleFigures) {
  if (feed === null) return null
  if (feed.isAway) return 'away'
  if (feed.leader === null) return 'none'
  if (feed.leader !== instance) return 'other'
  return instances?.length === 1 ? 'only' : 'own'
}

const STATE_CLASS = { gone: 'down', unknown: 'quiet', ready: 'up', unready: 'down' } as const

function instanceState({ seenMs, isReady }: InstanceRow, atMs: number): keyof typeof STATE_CLASS {
  if (atMs - seenMs > CONSOLE_LIMITS.instanceSilentMs) return 'gone'
  if (isReady === null) return 'unknown'
  return isReady ? 'ready' : 'unready'
}
