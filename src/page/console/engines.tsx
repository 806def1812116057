import type { ConsoleFigures, EngineFigures } from '../../spec/console/figures.ts'
import { fill } from '../common/format.ts'
import { Table } from '../common/table.tsx'
import { count, milliseconds } from './figures-text.ts'
import { M } from './messages.ts'
import { Panel } from './tables.tsx'

/** How the engines do that instances share; nothing on a deployment that has none. */
export function Engines({ found: { engines } }: { readonly found: ConsoleFigures }) {
  const H = M.engines
  if (engines === null) return null
  return (
    <Panel title={H.title} id="engines">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key as well. */}
      <div class="scroll" tabIndex={0}>
        <Table head={[H.name, H.state, H.calls, H.p50, H.p99, H.failed, H.clock, H.lag]}>
          {engines.map((engine) => (
            <Engine key={engine.name} engine={engine} />
          ))}
        </Table>
      </div>
    </Panel>
  )
}

function Engine({ engine }: { readonly engine: EngineFigures }) {
  const { name, fault, calls, p50MaxMs, p99MaxMs, faults, clockSkewMs, lagMs } = engine
  const failed = faults.reduce((sum, { count: times }) => sum + times, 0)
  return (
    <tr data-engine={name}>
      <td>{name}</td>
      <td class={fault === null ? 'up' : 'down'}>
        {fault === null ? M.engines.answers : fill(M.engines.away, { fault })}
      </td>
      <td>{count(calls)}</td>
      <td>{milliseconds(p50MaxMs)}</td>
      <td>{milliseconds(p99MaxMs)}</td>
      <td
        class={failed > 0 ? 'down' : 'quiet'}
        title={faults.map(({ name: why, count: times }) => `${why} ${count(times)}`).join(', ')}
      >
        {count(failed)}
      </td>
      <td>{milliseconds(clockSkewMs)}</td>
      <td>{milliseconds(lagMs)}</td>
    </tr>
  )
}
