import { type Exact, isRecord, rowsOf, textOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import { dayTime, fixed } from '../../../common/format.ts'
import type { Column } from '../../../common/table.tsx'
import { type PublicRead, publicRead } from '../../feed/public-read.ts'
import { L } from '../../messages/liquidations.ts'
import { PageFrame } from '../connect/frame.tsx'
import {
  AmountTile,
  figures,
  marketNames,
  plainFigures,
  positionSizes,
  Tile,
} from '../parts/figures.tsx'
import { ReadFailure, ReadingTable } from '../parts/reading.tsx'

const EVERY_MS = 30_000

const now = publicRead('liquidations', EVERY_MS, () => '/api/prep/op/liquidations.open')
const past = publicRead('liquidations', EVERY_MS, () => '/api/prep/liquidations?size=100')
const fund = publicRead('liquidations', EVERY_MS, () => '/api/prep/insurance-fund')

/**
 * The positions that the venue liquidates and has liquidated, and the insurance fund that pays their uncovered losses.
 */
export function LiquidationsPage() {
  return (
    <PageFrame title={L.title} why={L.why}>
      <Fund />
      <Liquidations title={L.now} read={now} empty={L.nowEmpty} columns={OPEN_COLUMNS} />
      <Liquidations title={L.past} read={past} empty={L.pastEmpty} columns={PAST_COLUMNS} />
    </PageFrame>
  )
}

function Fund() {
  const { data } = fund.reading.value
  const ratio = figureOf(data, 'margin_ratio')
  return (
    <section aria-label={L.fund}>
      <h2>{L.fund}</h2>
      <ReadFailure read={fund} />
      <dl class="tiles">
        <AmountTile name={L.tiles.balance} value={figureOf(data, 'balance')} />
        <AmountTile name={L.tiles.value} value={figureOf(data, 'total_account_value')} />
        <Tile name={L.tiles.margin} value={ratio === null ? null : `${fixed(ratio * 100n, 2)}%`} />
        <AmountTile name={L.tiles.pnl} value={figureOf(data, 'total_pnl_24_h')} isSigned />
      </dl>
    </section>
  )
}

const time = (name: string): Column<Exact> => [
  name,
  (row) => dayTime(Number(textOf(row, 'timestamp'))),
]

const adlNote = (row: Exact) =>
  textOf(row, 'type') === 'adl' ? { text: L.adl, why: L.adlWhy } : null

/** The columns of positions that are being liquidated. */
const OPEN_COLUMNS = [
  time(L.nowHead.time),
  marketNames(L.nowHead.market),
  positionSizes(L.nowHead.size, adlNote),
  figures(L.nowHead.fee, 'liquidator_fee', 'ratio'),
]

/** The columns of liquidated positions: their price, and the fees of their holders. */
const PAST_COLUMNS = [
  time(L.head.time),
  marketNames(L.head.market),
  positionSizes(L.head.size, adlNote),
  plainFigures(L.head.price, 'transfer_price'),
  figures(L.head.value, 'cost_position_transfer', 'size'),
  figures(L.head.liquidator, 'abs_liquidator_fee', 'amount'),
  figures(L.head.fund, 'abs_insurance_fund_fee', 'amount'),
]

type Props = {
  readonly title: string
  readonly read: PublicRead
  readonly empty: string
  readonly columns: readonly Column<Exact>[]
}

/** Every position of every liquidation. */
function Liquidations({ read, ...shown }: Props) {
  return (
    <ReadingTable
      {...shown}
      read={read}
      rows={rowsOf(read.reading.value.data, 'rows').flatMap(positionsOf)}
      keyOf={(row) => `${textOf(row, 'liquidation_id')} ${textOf(row, 'symbol')}`}
    />
  )
}

/** The positions of a liquidation, each with its id, time and type. */
function positionsOf(liquidation: Exact): readonly Exact[] {
  const shared = {
    liquidation_id: textOf(liquidation, 'liquidation_id'),
    timestamp: textOf(liquidation, 'timestamp'),
    type: textOf(liquidation, 'type'),
  }
  return rowsOf(liquidation, 'positions_by_perp').map((position) =>
    isRecord(position) ? { ...position, ...shared } : position,
  )
}
