import { computed, signal } from '@preact/signals'
import { MINUTE_MS } from '../../../../contract/durations.ts'
import { type Exact, memberRows, memberText } from '../../../common/exact-json.ts'
import { memberFigure, utcDayText } from '../../../common/figure.ts'
import { filledTemplate, fixedText, unsignedPercent } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import type { Column } from '../../../common/table.tsx'
import { createPublicRead } from '../../feed/public-read.ts'
import { FIGURE_TEXTS } from '../../messages/figures.ts'
import { VAULT_TEXTS } from '../../messages/vaults.ts'
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
    <PageFrame title={VAULT_TEXTS.title} why={VAULT_TEXTS.why}>
      <Overall />
      <ReadingTable
        title={VAULT_TEXTS.list}
        read={list}
        empty={VAULT_TEXTS.empty}
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
    <section aria-label={VAULT_TEXTS.all}>
      <ReadFailure read={overall} />
      <dl class="tiles">
        <AmountTile name={VAULT_TEXTS.tiles.tvl} value={memberFigure(row, 'strategy_vaults_tvl')} />
        <AmountTile
          name={VAULT_TEXTS.tiles.pnl}
          value={memberFigure(row, 'strategy_vaults_lifetime_net_pnl')}
          isSigned
        />
        <FigureTile
          name={VAULT_TEXTS.tiles.count}
          value={memberText(row, 'strategy_vaults_count') || null}
        />
        <FigureTile
          name={VAULT_TEXTS.tiles.holders}
          value={memberText(row, 'strategy_vaults_lp_count') || null}
        />
      </dl>
    </section>
  )
}

/** The columns of the list of vaults, with the button that chooses a vault. */
const VAULT_COLUMNS: readonly Column<Exact>[] = [
  [VAULT_TEXTS.head.name, (row) => <VaultName row={row} />],
  figureColumn(VAULT_TEXTS.head.tvl, 'tvl', 'amount'),
  figureColumn(VAULT_TEXTS.head.month, '30d_apy', 'return'),
  figureColumn(VAULT_TEXTS.head.lifetime, 'lifetime_apy', 'return'),
  figureColumn(VAULT_TEXTS.head.pnl, 'vault_lifetime_net_pnl', 'gain'),
  [VAULT_TEXTS.head.holders, (row) => memberText(row, 'lp_counts') || FIGURE_TEXTS.unknown],
  [VAULT_TEXTS.head.age, (row) => counted(VAULT_TEXTS.days, memberText(row, 'vault_age'))],
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
  return count ? filledTemplate(text, { count }) : FIGURE_TEXTS.unknown
}

const PERFORMANCE_COLUMNS: readonly Column<Exact>[] = [
  [
    VAULT_TEXTS.performanceHead.period,
    (row) => VAULT_TEXTS.periods[memberText(row, 'time_range')] ?? memberText(row, 'time_range'),
  ],
  figureColumn(VAULT_TEXTS.performanceHead.pnl, 'incremental_net_pnl', 'gain'),
  figureColumn(VAULT_TEXTS.performanceHead.fall, 'max_drawdown', 'ratio'),
  figureColumn(VAULT_TEXTS.performanceHead.volume, 'volume', 'amount'),
  figureColumn(VAULT_TEXTS.performanceHead.fees, 'fees', 'amount'),
]

const POSITION_COLUMNS: readonly Column<Exact>[] = [
  marketNames(VAULT_TEXTS.positionsHead.market),
  positionSizes(VAULT_TEXTS.positionsHead.size),
  plainFigures(VAULT_TEXTS.positionsHead.entry, 'average_open_price'),
  plainFigures(VAULT_TEXTS.positionsHead.mark, 'mark_price'),
]

/** The terms, results and positions of the chosen vault. */
function Chosen({ vault }: { readonly vault: Exact }) {
  return (
    <>
      <Panel title={VAULT_TEXTS.terms.title} heading={memberText(vault, 'vault_name')}>
        <p>{memberText(vault, 'description')}</p>
        <Pairs rows={termRows(vault)} />
      </Panel>
      <ReadingTable
        title={VAULT_TEXTS.performance}
        read={performance}
        empty={VAULT_TEXTS.performanceEmpty}
        columns={PERFORMANCE_COLUMNS}
        rows={memberRows(performance.reading.value.data, 'rows')}
        keyOf={(row) => memberText(row, 'time_range')}
      />
      <ReadingTable
        title={VAULT_TEXTS.positions}
        read={positions}
        empty={VAULT_TEXTS.positionsEmpty}
        columns={POSITION_COLUMNS}
        rows={memberRows(positions.reading.value.data, 'rows')}
        keyOf={(row) => memberText(row, 'symbol')}
      />
    </>
  )
}

function termRows(vault: Exact): Rows {
  const { terms } = VAULT_TEXTS
  const figure = (name: string, write: (value: bigint) => string) => {
    const value = memberFigure(vault, name)
    return value === null ? FIGURE_TEXTS.unknown : write(value)
  }
  const usdc = (value: bigint) => filledTemplate(FIGURE_TEXTS.usdc, { amount: fixedText(value, 2) })
  const text = (name: string) => memberText(vault, name) || FIGURE_TEXTS.unknown
  const startMs = memberText(vault, 'vault_start_time')
  const chains = memberRows(vault, 'supported_chains').map((row) => memberText(row, 'chain_name'))
  return [
    [terms.provider, `${text('sp_name')} (${shortId(text('sp_address'))})`],
    [terms.status, text('status')],
    [terms.since, startMs ? utcDayText(Number(startMs)) : FIGURE_TEXTS.unknown],
    [terms.fee, figure('performance_fee_rate', (rate) => unsignedPercent(rate))],
    [terms.lock, counted(VAULT_TEXTS.hours, memberText(vault, 'lock_duration'))],
    [terms.deposit, figure('min_deposit_amount', usdc)],
    [terms.withdrawal, figure('min_withdrawal_amount', usdc)],
    [terms.price, figure('est_main_share_price', (price) => fixedText(price, 6))],
    [terms.chains, chains.join(', ') || FIGURE_TEXTS.unknown],
  ]
}
