import { type Exact, textOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import { fill } from '../../../common/format.ts'
import { Table } from '../../../common/table.tsx'
import { FIGURES } from '../../messages/figures.ts'
import { V } from '../../messages/vaults.ts'
import { Cell } from '../account/table.tsx'
import { AmountCell, PercentCell } from '../figures/cells.tsx'
import { ReadingPanel } from '../parts/reading.tsx'
import { chosen, chosenId, list, vaults } from './state.ts'

/** Every vault with its figures; one of them is chosen. */
export function List() {
  const rows = vaults.value
  return (
    <ReadingPanel title={V.list} read={list} empty={rows.length === 0 ? V.empty : null}>
      <Table head={Object.values(V.head)}>
        {rows.map((row) => (
          <VaultRow key={textOf(row, 'vault_id')} row={row} />
        ))}
      </Table>
    </ReadingPanel>
  )
}

function VaultRow({ row }: { readonly row: Exact }) {
  const [age, name] = [textOf(row, 'vault_age'), textOf(row, 'vault_name')]
  return (
    <tr>
      <Cell name={V.head.name}>
        <button
          type="button"
          class="link"
          aria-pressed={row === chosen.value}
          onClick={() => {
            chosenId.value = textOf(row, 'vault_id')
          }}
        >
          {row === chosen.value ? <b>{name}</b> : name}
        </button>
      </Cell>
      <AmountCell name={V.head.tvl} value={figureOf(row, 'tvl')} />
      <PercentCell name={V.head.month} value={figureOf(row, '30d_apy')} isSigned />
      <PercentCell name={V.head.lifetime} value={figureOf(row, 'lifetime_apy')} isSigned />
      <AmountCell name={V.head.pnl} value={figureOf(row, 'vault_lifetime_net_pnl')} isSigned />
      <Cell name={V.head.holders}>{textOf(row, 'lp_counts') || FIGURES.unknown}</Cell>
      <Cell name={V.head.age}>{age ? fill(V.days, { count: age }) : FIGURES.unknown}</Cell>
    </tr>
  )
}
