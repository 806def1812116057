import type { ConsoleFigures } from '../../spec/console/figures.ts'
import { clockTime } from '../common/format.ts'
import { Table } from '../common/table.tsx'
import { M } from './messages.ts'
import { Panel } from './tables.tsx'

type Props = { readonly found: ConsoleFigures }

/** The newest writes of agents; nothing where there is none. */
export function AgentWrites({ found: { agentWrites } }: Props) {
  const H = M.agentWrites
  if (agentWrites.length === 0) return null
  return (
    <Panel title={H.title}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key as well. */}
      <div class="scroll errors" tabIndex={0}>
        <Table head={H.head}>
          {agentWrites.map(({ sequence, atMs, tool, outcome }) => (
            <tr key={sequence} data-sequence={sequence}>
              <td class="quiet">{clockTime(atMs)}</td>
              <td>{tool}</td>
              <td class={outcome === 'ok' ? '' : 'down'}>{outcome}</td>
            </tr>
          ))}
        </Table>
      </div>
    </Panel>
  )
}
