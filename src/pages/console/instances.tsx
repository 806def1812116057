import type { ConsoleFigures, EngineFigures, InstanceRow } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { age, dayTime, fill } from '../common/format.ts'
import type { Column } from '../common/table.tsx'
import { count, milliseconds } from './figures-text.ts'
import { M } from './messages.ts'
import { TablePanel } from './parts.tsx'

type Props = { readonly found: ConsoleFigures }

const [engine, state, calls, p50, p99, failed, clock, lag] = M.engines.head

const ENGINE_COLUMNS: readonly Column<EngineFigures>[] = [
  [engine, ({ name }) => name],
  [
    state,
    ({ fault }) => (fault === null ? M.engines.answers : fill(M.engines.away, { fault })),
    ({ fault }) => ({ class: fault === null ? 'up' : 'down' }),
    'text',
  ],
  [calls, (row) => count(row.calls)],
  [p50, ({ p50MaxMs }) => milliseconds(p50MaxMs)],
  [p99, ({ p99MaxMs }) => milliseconds(p99MaxMs)],
  [
    failed,
    (row) => count(faultsOf(row)),
    (row) => ({
      class: faultsOf(row) > 0 ? 'down' : 'quiet',
      title: row.faults.map(({ name, count: times }) => `${name} ${count(times)}`).join(', '),
    }),
  ],
  [clock, ({ clockSkewMs }) => milliseconds(clockSkewMs)],
  [lag, ({ lagMs }) => milliseconds(lagMs)],
]

function faultsOf({ faults }: EngineFigures): number {
  return faults.reduce((sum, { count: times }) => sum + times, 0)
}

/** State, latency and failures of the engines that instances share; hidden on a deployment without engines. */
export function Engines({ found: { engines } }: Props) {
  return (
    <TablePanel
      title={M.engines.title}
      id="engines"
      columns={ENGINE_COLUMNS}
      rows={engines ?? []}
      keyOf={({ name }) => name}
      attributesOf={({ name }) => ({ 'data-engine': name })}
    />
  )
}

const [name, version, since, seen, readiness] = M.instances.head

/** The instances that share the engines; hidden for an instance without shared engines. */
export function Instances({ found }: Props) {
  const { instances, instance, atMs } = found
  if (instances === null) return null
  const columns: readonly Column<InstanceRow>[] = [
    [name, (row) => (row.name === instance ? fill(M.instances.own, { name: row.name }) : row.name)],
    [version, (row) => row.version, undefined, 'text'],
    [since, ({ sinceMs }) => dayTime(sinceMs)],
    [seen, ({ seenMs }) => fill(M.instances.ago, { age: age(atMs - seenMs) })],
    [
      readiness,
      (row) => M.instances.states[stateOf(row, atMs)],
      (row) => ({ class: STATE_CLASS[stateOf(row, atMs)] }),
      'text',
    ],
  ]
  return (
    <TablePanel
      title={M.instances.title}
      id="instances"
      why={M.instances.why}
      columns={columns}
      none={M.instances.none}
      rows={instances}
      keyOf={(row) => row.name}
      attributesOf={(row) => ({ 'data-instance': row.name })}
    >
      <Feed found={found} />
    </TablePanel>
  )
}

/** The instance that has the live data of the venue for the others; hidden where each has its own. */
function Feed({ found }: Props) {
  const state = feedState(found)
  if (state === null) return null
  return (
    <p class={state === 'away' ? 'down' : 'quiet'} data-feed={state}>
      {fill(M.instances.feed[state], { name: found.feed?.leader ?? '' })}
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

function stateOf({ seenMs, isReady }: InstanceRow, atMs: number): keyof typeof STATE_CLASS {
  if (atMs - seenMs > CONSOLE_LIMITS.instanceSilentMs) return 'gone'
  if (isReady === null) return 'unknown'
  return isReady ? 'ready' : 'unready'
}
