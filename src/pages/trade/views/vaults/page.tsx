import { computed, signal } from '@preact/signals'
import { MINUTE_MS } from '../../../../contract/durations.ts'
import { type Exact, memberRows, memberText } from '../../../common/exact-json.ts'
import { memberFigure, utcDayText } from '../../../common/figure.ts'
import { fill, fixedText, unsignedPercent } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import type { Column } from '../../../common/table.tsx'
import { createPublicRead } from '../../feed/public-read.ts'
import { FIGURE_TEXTS } from '../../messages/figures.ts'
import { V } from '../../messages/vaults.ts'
import { PageFrame } from '../connect/frame.tsx'
import { shortId } from '../parts/dialog.tsx'
import {
  AmountTile,
  FigureTile,
  figureColumn,
  marketNames,
  plainFigures,
  positionSizes,
} from '../parts/figures.tsx'
import { Panel } from '../parts/panel.tsx'
import { ReadFailure, ReadingTable } from '../parts/reading.tsx'

const overall = createPublicRead('vaults', MINUTE_MS, () => '/api/prep/op/vault.overallStats')
const list = createPublicRead('vaults', MINUTE_MS, () => '/api/prep/op/vault.info')

const vaults = computed(() => memberRows(list.reading.value.data, 'rows'))

/** The id of the chosen vault; '' before a choice. */
const chosenId = signal('')

/** The chosen vault, else the first vault; undefined before the vaults are loaded. */
const chosen = computed(
  () =>
    vaults.value.find((row) => memberText(row, 'vault_id') === chosenId.value) ?? vaults.value[0],
)

/** The path of a read about the chosen vault; null before the vaults are loaded. */
function ofChosen(operation: string): string | null {
  const id = memberText(chosen.value, 'vault_id')
  return id === '' ? null : `/api/prep/op/${operation}?vault_id=${encodeURIComponent(id)}`
}

const performance = createPublicRead('vaults', MINUTE_MS, () => ofChosen('vault.performance'))
const positions = createPublicRead('vaults', MINUTE_MS, () => ofChosen('vault.positions'))

/** The page of the venue's strategy vaults: totals, a list, and the chosen vault in detail. */
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
        keyOf={(row) => memberText(row, 'vault_id')}
      />
      {chosen.value && <Chosen vault={chosen.value} />}
    </PageFrame>
  )
}

function Overall() {
  const [row] = memberRows(overall.reading.value.data, 'rows')
  return (
    <section aria-label={V.all}>
      <ReadFailure read={overall} />
      <dl class="tiles">
        <AmountTile name={V.tiles.tvl} value={memberFigure(row, 'strategy_vaults_tvl')} />
        <AmountTile
          name={V.tiles.pnl}
          value={memberFigure(row, 'strategy_vaults_lifetime_net_pnl')}
          isSigned
        />
        <FigureTile name={V.tiles.count} value={memberText(row, 'strategy_vaults_count') || null} />
        <FigureTile
          name={V.tiles.holders}
          value={memberText(row, 'strategy_vaults_lp_count') || null}
        />
      </dl>
    </section>
  )
}

/** The columns of the list of vaults, with the button that chooses a vault. */
const VAULT_COLUMNS: readonly Column<Exact>[] = [
  [V.head.name, (row) => <VaultName row={row} />],
  figureColumn(V.head.tvl, 'tvl', 'amount'),
  figureColumn(V.head.month, '30d_apy', 'return'),
  figureColumn(V.head.lifetime, 'lifetime_apy', 'return'),
  figureColumn(V.head.pnl, 'vault_lifetime_net_pnl', 'gain'),
  [V.head.holders, (row) => memberText(row, 'lp_counts') || FIGURE_TEXTS.unknown],
  [V.head.age, (row) => counted(V.days, memberText(row, 'vault_age'))],
]

function VaultName({ row }: { readonly row: Exact }) {
  const name = memberText(row, 'vault_name')
  return (
    <button
      type="button"
      class="link"
      aria-pressed={row === chosen.value}
      onClick={() => {
        chosenId.value = memberText(row, 'vault_id')
      }}
    >
      {row === chosen.value ? <b>{name}</b> : name}
    </button>
  )
}

function counted(text: string, count: string): string {
  return count ? fill(text, { count }) : FIGURE_TEXTS.unknown
}

const PERFORMANCE_COLUMNS: readonly Column<Exact>[] = [
  [
    V.performanceHead.period,
    (row) => V.periods[memberText(row, 'time_range')] ?? memberText(row, 'time_range'),
  ],
  figureColumn(V.performanceHead.pnl, 'incremental_net_pnl', 'gain'),
  figureColumn(V.performanceHead.fall, 'max_drawdown', 'ratio'),
  figureColumn(V.performanceHead.volume, 'volume', 'amount'),
  figureColumn(V.performanceHead.fees, 'fees', 'amount'),
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
      <Panel title={V.terms.title} heading={memberText(vault, 'vault_name')}>
        <p>{memberText(vault, 'description')}</p>
        <Pairs rows={termRows(vault)} />
      </Panel>
      <ReadingTable
        title={V.performance}
        read={performance}
        empty={V.performanceEmpty}
        columns={PERFORMANCE_COLUMNS}
        rows={memberRows(performance.reading.value.data, 'rows')}
        keyOf={(row) => memberText(row, 'time_range')}
      />
      <ReadingTable
        title={V.positions}
        read={positions}
        empty={V.positionsEmpty}
        columns={POSITION_COLUMNS}
        rows={memberRows(positions.reading.value.data, 'rows')}
        keyOf={(row) => memberText(row, 'symbol')}
      />
    </>
  )
}

function termRows(vault: Exact): Rows {
  const { terms } = V
  const figure = (name: string, write: (value: bigint) => string) => {
    const value = memberFigure(vault, name)
    return value === null ? FIGURE_TEXTS.unknown : write(value)
  }
  const usdc = (value: bigint) => fill(FIGURE_TEXTS.usdc, { amount: fixedText(value, 2) })
  const text = (name: string) => memberText(vault, name) || FIGURE_TEXTS.unknown
  const startMs = memberText(vault, 'vault_start_time')
  const chains = memberRows(vault, 'supported_chains').map((row) => memberText(row, 'chain_name'))
  return [
    [terms.provider, `${text('sp_name')} (${shortId(text('sp_address'))})`],
    [terms.status, text('status')],
    [terms.since, startMs ? utcDayText(Number(startMs)) : FIGURE_TEXTS.unknown],
    [terms.fee, figure('performance_fee_rate', (rate) => unsignedPercent(rate))],
    [terms.lock, counted(V.hours, memberText(vault, 'lock_duration'))],
    [terms.deposit, figure('min_deposit_amount', usdc)],
    [terms.withdrawal, figure('min_withdrawal_amount', usdc)],
    [terms.price, figure('est_main_share_price', (price) => fixedText(price, 6))],
    [terms.chains, chains.join(', ') || FIGURE_TEXTS.unknown],
  ]
}
