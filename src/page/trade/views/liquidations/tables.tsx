import { absolute } from '../../../common/amounts.ts'
import { type Exact, rowsOf, textOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import { dayTime } from '../../../common/format.ts'
import { Table } from '../../../common/table.tsx'
import { L } from '../../messages/liquidations.ts'
import { Cell } from '../account/table.tsx'
import { AmountCell, MarketCell, PercentCell, PlainCell, SideCell } from '../figures/cells.tsx'

type Rows = { readonly rows: readonly Exact[] }

/** The positions that are being liquidated. */
export function Now({ rows }: Rows) {
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
export function Past({ rows }: Rows) {
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
