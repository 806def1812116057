import { computed, signal } from '@preact/signals'
import { MINUTE_MS } from '../../../../contract/durations.ts'
import { type Exact, rowsOf, textOf } from '../../../common/exact-json.ts'
import { dayOf, figureOf } from '../../../common/figure.ts'
import { fill, fixed, unsignedPercent } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import type { Column } from '../../../common/table.tsx'
import { publicRead } from '../../feed/public-read.ts'
import { FIGURES } from '../../messages/figures.ts'
import { V } from '../../messages/vaults.ts'
import { PageFrame } from '../connect/frame.tsx'
import { shortId } from '../parts/dialog.tsx'
import {
  AmountTile,
  figures,
  marketNames,
  plainFigures,
  positionSizes,
  Tile,
} from '../parts/figures.tsx'
import { Panel } from '../parts/panel.tsx'
import { ReadFailure, ReadingTable } from '../parts/reading.tsx'

const overall = publicRead('vaults', MINUTE_MS, () => '/api/prep/op/vault.overallStats')
const list = publicRead('vaults', MINUTE_MS, () => '/api/prep/op/vault.info')

const vaults = computed(() => rowsOf(list.reading.value.data, 'rows'))

/** The id of the vault that was chosen; '' before one was. */
const chosenId = signal('')

/** The vault that was chosen, else the first; undefined before they are known. */
const chosen = computed(
  () => vaults.value.find((row) => textOf(row, 'vault_id') === chosenId.value) ?? vaults.value[0],
)

/** The path of a read about the chosen vault; null before there is a vault. */
function ofChosen(operation: string): string | null {
  const id = textOf(chosen.value, 'vault_id')
  return id === '' ? null : `/api/prep/op/${operation}?vault_id=${encodeURIComponent(id)}`
}

const performance = publicRead('vaults', MINUTE_MS, () => ofChosen('vault.performance'))
const positions = publicRead('vaults', MINUTE_MS, () => ofChosen('vault.positions'))

/** The venue's strategy vaults: all together, each in a list, and one in full. */
export function VaultsPage() {
  return (
    <PageFrame title={V.title} why={V.why}>
      <Overall />
      <ReadingTable
        title={V.list}
        read={list}
        empty={V.empty}
        columns={VAULT_COLUMNS}
        rows={vaults.value}
        keyOf={(row) => textOf(row, 'vault_id')}
      />
      {chosen.value && <Chosen vault={chosen.value} />}
    </PageFrame>
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

/** The columns of the vaults: their figures, and the button that chooses one. */
const VAULT_COLUMNS: readonly Column<Exact>[] = [
  [V.head.name, (row) => <VaultName row={row} />],
  figures(V.head.tvl, 'tvl', 'amount'),
  figures(V.head.month, '30d_apy', 'return'),
  figures(V.head.lifetime, 'lifetime_apy', 'return'),
  figures(V.head.pnl, 'vault_lifetime_net_pnl', 'gain'),
  [V.head.holders, (row) => textOf(row, 'lp_counts') || FIGURES.unknown],
  [V.head.age, (row) => counted(V.days, textOf(row, 'vault_age'))],
]

function VaultName({ row }: { readonly row: Exact }) {
  const name = textOf(row, 'vault_name')
  return (
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
  )
}

function counted(text: string, count: string): string {
  return count ? fill(text, { count }) : FIGURES.unknown
}

const PERFORMANCE_COLUMNS: readonly Column<Exact>[] = [
  [
    V.performanceHead.period,
    (row) => V.periods[textOf(row, 'time_range')] ?? textOf(row, 'time_range'),
  ],
  figures(V.performanceHead.pnl, 'incremental_net_pnl', 'gain'),
  figures(V.performanceHead.fall, 'max_drawdown', 'ratio'),
  figures(V.performanceHead.volume, 'volume', 'amount'),
  figures(V.performanceHead.fees, 'fees', 'amount'),
]

const POSITION_COLUMNS: readonly Column<Exact>[] = [
  marketNames(V.positionsHead.market),
  positionSizes(V.positionsHead.size),
  plainFigures(V.positionsHead.entry, 'average_open_price'),
  plainFigures(V.positionsHead.mark, 'mark_price'),
]

/** The terms, results and positions of the chosen vault. */
function Chosen({ vault }: { readonly vault: Exact }) {
  return (
    <>
      <Panel title={V.terms.title} heading={textOf(vault, 'vault_name')}>
        <p>{textOf(vault, 'description')}</p>
        <Pairs rows={termsOf(vault)} />
      </Panel>
      <ReadingTable
        title={V.performance}
        read={performance}
        empty={V.performanceEmpty}
        columns={PERFORMANCE_COLUMNS}
        rows={rowsOf(performance.reading.value.data, 'rows')}
        keyOf={(row) => textOf(row, 'time_range')}
      />
      <ReadingTable
        title={V.positions}
        read={positions}
        empty={V.positionsEmpty}
        columns={POSITION_COLUMNS}
        rows={rowsOf(positions.reading.value.data, 'rows')}
        keyOf={(row) => textOf(row, 'symbol')}
      />
    </>
  )
}

function termsOf(vault: Exact): Rows {
  const { terms } = V
  const figure = (name: string, write: (value: bigint) => string) => {
    const value = figureOf(vault, name)
    return value === null ? FIGURES.unknown : write(value)
  }
  const usdc = (value: bigint) => fill(FIGURES.usdc, { amount: fixed(value, 2) })
  const text = (name: string) => textOf(vault, name) || FIGURES.unknown
  const startMs = textOf(vault, 'vault_start_time')
  const chains = rowsOf(vault, 'supported_chains').map((row) => textOf(row, 'chain_name'))
  return [
    [terms.provider, `${text('sp_name')} (${shortId(text('sp_address'))})`],
    [terms.status, text('status')],
    [terms.since, startMs ? dayOf(Number(startMs)) : FIGURES.unknown],
    [terms.fee, figure('performance_fee_rate', (rate) => unsignedPercent(rate))],
    [terms.lock, counted(V.hours, textOf(vault, 'lock_duration'))],
    [terms.deposit, figure('min_deposit_amount', usdc)],
    [terms.withdrawal, figure('min_withdrawal_amount', usdc)],
    [terms.price, figure('est_main_share_price', (price) => fixed(price, 6))],
    [terms.chains, chains.join(', ') || FIGURES.unknown],
  ]
}
