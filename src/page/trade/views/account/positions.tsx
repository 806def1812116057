import { Fragment } from 'preact'
import { absolute, divided, times } from '../../../common/amounts.ts'
import { fill, fixed, percent, signed, textOfExact, toneOf } from '../../../common/format.ts'
import { marginOf, type Position } from '../../account/rows.ts'
import { canTrade } from '../../account/session.ts'
import { positions } from '../../account/state.ts'
import { choose } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { closeAll, closePosition } from '../../orders/commands.ts'
import { isBusy } from '../../orders/switches.ts'
import { baseOf, priceText, sizeText } from '../../orders/text.ts'
import { PartDialog, part } from './part-dialog.tsx'
import { ProtectDialog, protect, protectionText } from './protect-dialog.tsx'
import { type Known, ListTable } from './table.tsx'

const H = A.lists.head
// biome-ignore format: one row of headings
const HEAD = [H.market, H.size, H.entry, H.mark, H.liquidation, H.unrealized, H.legs, H.actions]

/** Open positions, which can be closed in part or whole. */
export function PositionRows({ isKnown }: Known) {
  return (
    <>
      <ListTable list="positions" head={HEAD} isKnown={isKnown} count={positions.value.length}>
        {positions.value.map((row) => (
          <Fragment key={row.symbol}>
            <Row row={row} />
            <Detail row={row} />
          </Fragment>
        ))}
      </ListTable>
      {positions.value.length > 1 && (
        <p class="row inset">
          <button
            type="button"
            disabled={isBusy.value || !canTrade.value}
            onClick={() => void closeAll(positions.peek())}
          >
            {A.lists.closeEvery}
          </button>
        </p>
      )}
      <PartDialog />
      <ProtectDialog />
    </>
  )
}

function Row({ row }: { readonly row: Position }) {
  const { symbol, size, entry, mark, liquidation, unrealized, leverage, isIsolated } = row
  const base = baseOf(symbol)
  const isStill = isBusy.value || !canTrade.value
  return (
    <tr data-symbol={symbol}>
      <td>
        <button type="button" class="name" onClick={() => choose(symbol)}>
          {base}
        </button>{' '}
        <span class={size > 0n ? 'up' : 'down'}>{size > 0n ? M.long : M.short}</span>{' '}
        <span class="quiet">
          {leverage}× {isIsolated && M.isolated}
        </span>
      </td>
      <td data-size={textOfExact(size)}>{sizeText(symbol, absolute(size))}</td>
      <td>{priceText(symbol, entry)}</td>
      <td>{priceText(symbol, mark)}</td>
      <td class="warn" title={A.lists.distanceWhy}>
        {liquidation > 0n ? priceText(symbol, liquidation) : M.none}
        {liquidation > 0n && <small> {percent(divided(liquidation - mark, mark), 1)}</small>}
      </td>
      <td class={toneOf(unrealized, 2)} data-pnl={textOfExact(unrealized)}>
        {signed(unrealized, 2)} <small>{percent(divided(unrealized, marginOf(row)), 1)}</small>
      </td>
      <td data-legs>{protectionText(row) || M.none}</td>
      <td class="actions">
        <button
          type="button"
          disabled={isStill}
          aria-label={fill(A.lists.protectOf, { base })}
          onClick={() => protect(row)}
        >
          {A.lists.protect}
        </button>
        <button
          type="button"
          disabled={isStill}
          aria-label={fill(A.lists.closePartOf, { base })}
          onClick={() => part(row)}
        >
          {A.lists.closePart}
        </button>
        <button
          type="button"
          disabled={isStill}
          aria-label={fill(A.lists.closeOf, { base })}
          onClick={() => void closePosition(row, absolute(size))}
        >
          {A.lists.closeAll}
        </button>
      </td>
    </tr>
  )
}

/** What a position has paid, and what settling it now would pay. */
function Detail({ row }: { readonly row: Position }) {
  const { size, mark, funding, dayFees, unsettled } = row
  const figures = [
    [A.lists.margin, fixed(marginOf(row), 2)],
    [A.lists.fundingUnsettled, signed(-funding, 2)],
    [A.lists.dayFees, signed(-dayFees, 2)],
    [A.lists.unsettled, signed(unsettled, 2)],
    [A.lists.value, fixed(times(absolute(size), mark), 2)],
  ] as const
  return (
    <tr class="detail">
      <td colSpan={HEAD.length} title={A.lists.unsettledWhy}>
        {figures.map(([name, value]) => (
          <span key={name}>
            {name} {value}
          </span>
        ))}
      </td>
    </tr>
  )
}
