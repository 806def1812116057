import type { ConsoleFigures, InstanceRow } from '../../spec/console/figures.ts'
import { CONSOLE_LIMITS } from '../../spec/console/limits.ts'
import { age, dayTime, fill } from '../common/format.ts'
import { Table } from '../common/table.tsx'
import { M } from './messages.ts'
import { Panel } from './tables.tsx'

/** The instances that share the engines; nothing where one stands alone. */
export function Instances({ found }: { readonly found: ConsoleFigures }) {
  const { instances, instance, atMs } = found
  if (instances === null) return null
  return (
    <Panel title={M.instances.title} id="instances" why={M.instances.why}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key as well. */}
      <div class="scroll" tabIndex={0}>
        <Table head={M.instances.head}>
          {instances.map((row) => (
            <tr key={row.name} data-instance={row.name}>
              <td>
                {row.name === instance ? fill(M.instances.own, { name: row.name }) : row.name}
              </td>
              <td>{row.version}</td>
              <td>{dayTime(row.sinceMs)}</td>
              <td>{fill(M.instances.ago, { age: age(atMs - row.seenMs) })}</td>
              <State row={row} atMs={atMs} />
            </tr>
          ))}
        </Table>
      </div>
      <Feed found={found} />
    </Panel>
  )
}

/** Which instance has the live data of the venue for the others; nothing where each has its own. */
function Feed({ found }: { readonly found: ConsoleFigures }) {
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

function State({ row, atMs }: { readonly row: InstanceRow; readonly atMs: number }) {
  const { states } = M.instances
  if (atMs - row.seenMs > CONSOLE_LIMITS.instanceSilentMs)
    return <td class="down">{states.gone}</td>
  if (row.isReady === null) return <td class="quiet">{states.unknown}</td>
  return row.isReady ? <td class="up">{states.ready}</td> : <td class="down">{states.unready}</td>
}
