import { MINUTE_MS } from '../../../../spec/durations.ts'
import { type Exact, rowsOf, textOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import { fill } from '../../../common/format.ts'
import { Table } from '../../../common/table.tsx'
import { publicRead } from '../../feed/public-read.ts'
import { FIGURES } from '../../messages/figures.ts'
import { V } from '../../messages/vaults.ts'
import { Cell } from '../account/table.tsx'
import { AmountCell, PercentCell } from '../figures/cells.tsx'
import { AmountTile, Tile } from '../figures/tiles.tsx'
import { ReadFailure, ReadingPanel } from '../parts/reading.tsx'
import { Chosen } from './chosen.tsx'
import { chosen, chosenId, list, vaults } from './state.ts'

const overall = publicRead('vaults', MINUTE_MS, () => '/api/prep/op/vault.overallStats')

/** The venue's strategy vaults: all together, each in a list, and one in full. */
export function Page() {
  return (
    <>
      <div class="title">
        <h1>{V.title}</h1>
      </div>
      <p class="quiet">{V.why}</p>
      <Overall />
      <List />
      <Chosen />
    </>
  )
}

function Overall() {
  const [row] = rowsOf(overall.reading.value.data, 'rows')
  return (
    <section aria-label={V.all}>
      <ReadFailure read={overall} />
      <dl class="tiles">
        <AmountTile name={V.tiles.tvl} value={figureOf(row, 'strategy_vaults_tvl')} />
        <AmountTile
          name={V.tiles.pnl}
          value={figureOf(row, 'strategy_vaults_lifetime_net_pnl')}
          isSigned
        />
        <Tile name={V.tiles.count} value={textOf(row, 'strategy_vaults_count') || null} />
        <Tile name={V.tiles.holders} value={textOf(row, 'strategy_vaults_lp_count') || null} />
      </dl>
    </section>
  )
}

/** Every vault with its figures; one of them is chosen. */
function List() {
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
