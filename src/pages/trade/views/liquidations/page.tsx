import { type Exact, isRecord, memberRows, memberText } from '../../../common/exact-json.ts'
import { memberFigure } from '../../../common/figure.ts'
import { dayTime, fixedText } from '../../../common/format.ts'
import type { Column } from '../../../common/table.tsx'
import { createPublicRead, type PublicRead } from '../../feed/public-read.ts'
import { LIQUIDATION_TEXTS } from '../../messages/liquidations.ts'
import { PageFrame } from '../connect/frame.tsx'
import {
  AmountTile,
  FigureTile,
  figureColumn,
  marketNames,
  plainFigures,
  positionSizes,
} from '../parts/figures.tsx'
import { ReadFailure, ReadingTable } from '../parts/reading.tsx'

const EVERY_MS = 30_000

const now = createPublicRead('liquidations', EVERY_MS, () => '/api/prep/op/liquidations.open')
const past = createPublicRead('liquidations', EVERY_MS, () => '/api/prep/liquidations?size=100')
const fund = createPublicRead('liquidations', EVERY_MS, () => '/api/prep/insurance-fund')

/** The page of current and past liquidations, and of the insurance fund that pays uncovered losses. */
export function LiquidationsPage() {
  return (
    <PageFrame title={LIQUIDATION_TEXTS.title} why={LIQUIDATION_TEXTS.why}>
      <Fund />
      <Liquidations
        title={LIQUIDATION_TEXTS.now}
        read={now}
        empty={LIQUIDATION_TEXTS.nowEmpty}
        columns={OPEN_COLUMNS}
      />
      <Liquidations
        title={LIQUIDATION_TEXTS.past}
        read={past}
        empty={LIQUIDATION_TEXTS.pastEmpty}
        columns={PAST_COLUMNS}
      />
    </PageFrame>
  )
}

function Fund() {
  const { data } = fund.reading.value
  const ratio = memberFigure(data, 'margin_ratio')
  return (
    <section aria-label={LIQUIDATION_TEXTS.fund}>
      <h2>{LIQUIDATION_TEXTS.fund}</h2>
      <ReadFailure read={fund} />
      <dl class="tiles">
        <AmountTile name={LIQUIDATION_TEXTS.tiles.balance} value={memberFigure(data, 'balance')} />
        <AmountTile
          name={LIQUIDATION_TEXTS.tiles.value}
          value={memberFigure(data, 'total_account_value')}
        />
        <FigureTile
          name={LIQUIDATION_TEXTS.tiles.margin}
          value={ratio === null ? null : `${fixedText(ratio * 100n, 2)}%`}
        />
        <AmountTile
          name={LIQUIDATION_TEXTS.tiles.pnl}
          value={memberFigure(data, 'total_pnl_24_h')}
          isSigned
        />
      </dl>
    </section>
  )
}

const time = (name: string): Column<Exact> => [
  name,
  (row) => dayTime(Number(memberText(row, 'timestamp'))),
]

const adlNote = (row: Exact) =>
  memberText(row, 'type') === 'adl'
    ? { text: LIQUIDATION_TEXTS.adl, why: LIQUIDATION_TEXTS.adlWhy }
    : null

/** The columns for current liquidations. */
const OPEN_COLUMNS = [
  time(LIQUIDATION_TEXTS.nowHead.time),
  marketNames(LIQUIDATION_TEXTS.nowHead.market),
  positionSizes(LIQUIDATION_TEXTS.nowHead.size, adlNote),
  figureColumn(LIQUIDATION_TEXTS.nowHead.fee, 'liquidator_fee', 'ratio'),
]

/** The columns for past liquidations: price, value, and the fees that the holders paid. */
const PAST_COLUMNS = [
  time(LIQUIDATION_TEXTS.head.time),
  marketNames(LIQUIDATION_TEXTS.head.market),
  positionSizes(LIQUIDATION_TEXTS.head.size, adlNote),
  plainFigures(LIQUIDATION_TEXTS.head.price, 'transfer_price'),
  figureColumn(LIQUIDATION_TEXTS.head.value, 'cost_position_transfer', 'size'),
  figureColumn(LIQUIDATION_TEXTS.head.liquidator, 'abs_liquidator_fee', 'amount'),
  figureColumn(LIQUIDATION_TEXTS.head.fund, 'abs_insurance_fund_fee', 'amount'),
]

type Props = {
  readonly title: string
  readonly read: PublicRead
  readonly empty: string
  readonly columns: readonly Column<Exact>[]
}

/** The table of every position of every liquidation. */
function Liquidations({ read, ...shown }: Props) {
  return (
    <ReadingTable
      {...shown}
      read={read}
      rows={memberRows(read.reading.value.data, 'rows').flatMap(liquidatedPositions)}
      keyOf={(row) => `${memberText(row, 'liquidation_id')} ${memberText(row, 'symbol')}`}
    />
  )
}

/** The positions of a liquidation, each with its id, time and type. */
function liquidatedPositions(liquidation: Exact): readonly Exact[] {
  const shared = {
    liquidation_id: memberText(liquidation, 'liquidation_id'),
    timestamp: memberText(liquidation, 'timestamp'),
    type: memberText(liquidation, 'type'),
  }
  return memberRows(liquidation, 'positions_by_perp').map((position) =>
    isRecord(position) ? { ...position, ...shared } : position,
  )
}
