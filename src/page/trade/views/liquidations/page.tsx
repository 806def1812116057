import { absolute } from '../../../../core/decimals.ts'
import { type Exact, rowsOf, textOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import { dayTime, fixed } from '../../../common/format.ts'
import { Table } from '../../../common/table.tsx'
import { publicRead } from '../../feed/public-read.ts'
import { L } from '../../messages/liquidations.ts'
import { Cell } from '../account/table.tsx'
import { AmountCell, MarketCell, PercentCell, PlainCell, SideCell } from '../figures/cells.tsx'
import { AmountTile, Tile } from '../figures/tiles.tsx'
import { ReadFailure, ReadingPanel } from '../parts/reading.tsx'

const EVERY_MS = 30_000

const now = publicRead('liquidations', EVERY_MS, () => '/api/prep/op/liquidations.open')
const past = publicRead('liquidations', EVERY_MS, () => '/api/prep/liquidations?size=100')
const fund = publicRead('liquidations', EVERY_MS, () => '/api/prep/insurance-fund')

/** The positions that the venue liquidates and has liquidated, and the fund that pays for what they cannot. */
export function Page() {
  const [current, latest] = [now, past].map((read) => rowsOf(read.reading.value.data, 'rows'))
  return (
    <>
      <div class="title">
        <h1>{L.title}</h1>
      </div>
      <p class="quiet">{L.why}</p>
      <Fund />
      <ReadingPanel title={L.now} read={now} empty={current?.length ? null : L.nowEmpty}>
        <Now rows={current ?? []} />
      </ReadingPanel>
      <ReadingPanel title={L.past} read={past} empty={latest?.length ? null : L.pastEmpty}>
        <Past rows={latest ?? []} />
      </ReadingPanel>
    </>
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

type Rows = { readonly rows: readonly Exact[] }

/** The positions that are being liquidated. */
function Now({ rows }: Rows) {
  const { time, market, size, fee } = L.nowHead
  return (
    <Table head={[time, market, size, fee]}>
      {positionsOf(rows).map(({ id, at, mark, position }) => (
        <tr key={id}>
          <Cell name={time}>{at}</Cell>
          <MarketCell name={market} row={position} />
          <SideCell name={size} row={position} mark={mark} />
          <PercentCell name={fee} value={figureOf(position, 'liquidator_fee')} />
        </tr>
      ))}
    </Table>
  )
}

/** The positions that were liquidated, at what price, and what their holders paid for it. */
function Past({ rows }: Rows) {
  const { time, market, size, price, value, liquidator, fund } = L.head
  return (
    <Table head={[time, market, size, price, value, liquidator, fund]}>
      {positionsOf(rows).map(({ id, at, mark, position }) => (
        <tr key={id}>
          <Cell name={time}>{at}</Cell>
          <MarketCell name={market} row={position} />
          <SideCell name={size} row={position} mark={mark} />
          <PlainCell name={price} row={position} figure="transfer_price" />
          <AmountCell name={value} value={takenFor(position)} />
          <AmountCell name={liquidator} value={figureOf(position, 'abs_liquidator_fee')} />
          <AmountCell name={fund} value={figureOf(position, 'abs_insurance_fund_fee')} />
        </tr>
      ))}
    </Table>
  )
}

/** Every position of every liquidation, each with an id of its own. */
function positionsOf(rows: readonly Exact[]) {
  return rows.flatMap((row) =>
    rowsOf(row, 'positions_by_perp').map((position) => ({
      id: `${textOf(row, 'liquidation_id')} ${textOf(position, 'symbol')}`,
      at: dayTime(Number(textOf(row, 'timestamp'))),
      mark: textOf(row, 'type') === 'adl' ? { text: L.adl, why: L.adlWhy } : null,
      position,
    })),
  )
}

/** What a position was taken over for; the answer has the sign of its side. */
function takenFor(position: Exact): bigint | null {
  const value = figureOf(position, 'cost_position_transfer')
  return value === null ? null : absolute(value)
}
