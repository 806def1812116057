import type { ComponentChildren } from 'preact'
import { absolute } from '../../../../core/decimals.ts'
import { divided, times } from '../../../common/amounts.ts'
import { fill, fixed, percent, signed, textOfExact, toneOf } from '../../../common/format.ts'
import { fundingOf } from '../../account/past.ts'
import { marginOf, type Position } from '../../account/rows.ts'
import { canTrade } from '../../account/session.ts'
import { positions } from '../../account/state.ts'
import { choose } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { F } from '../../messages/ticket.ts'
import { closeAll, closePosition, reversePosition } from '../../orders/commands.ts'
import { isBusy } from '../../orders/switches.ts'
import { baseOf, priceText, sizeText } from '../../orders/text.ts'
import { askToClose } from './close-dialog.tsx'
import { askMargin } from './margin-dialog.tsx'
import { ForAll } from './order-actions.tsx'
import { protect } from './protect-dialog.tsx'
import { Protection } from './protection.tsx'
import { Cell, type Known, ListTable } from './table.tsx'

const H = A.lists.head
// biome-ignore format: one row of headings
const HEAD = [H.market, H.sizeValue, H.entryMark, H.liquidation, H.pnlRoe, H.marginUnsettled, H.fundingFees, H.legs, H.actions]

/** Open positions, which can be closed in part or whole. */
export function PositionRows({ isKnown }: Known) {
  return (
    <ListTable list="positions" head={HEAD} isKnown={isKnown} count={positions.value.length}>
      {positions.value.map((row) => (
        <Row key={row.symbol} row={row} />
      ))}
    </ListTable>
  )
}

/** Closes every position at the market, where there are several. */
export function ClosePositions() {
  if (positions.value.length < 2) return null
  return <ForAll label={A.lists.closeEvery} onPress={() => void closeAll(positions.peek())} />
}

function Row({ row }: { readonly row: Position }) {
  const { symbol, size, leverage, isIsolated } = row
  return (
    <tr data-symbol={symbol}>
      <Cell name={H.market}>
        <button type="button" class="name" onClick={() => choose(symbol)}>
          {baseOf(symbol)}
        </button>{' '}
        <span class={size > 0n ? 'up' : 'down'}>{size > 0n ? M.long : M.short}</span>
        <small>
          {leverage}× {isIsolated ? F.isolated : F.cross}
        </small>
      </Cell>
      <Figures row={row} />
      <Cell name={H.legs} data-legs>
        <Protection position={row} />
      </Cell>
      <Actions row={row} />
    </tr>
  )
}

/** What a position is worth, has won and has cost: two figures a cell. */
function Figures({ row }: { readonly row: Position }) {
  const { symbol, size, entry, mark, liquidation, unrealized, dayFees, unsettled } = row
  const funding = fundingOf(row)
  const roe = percent(divided(unrealized, marginOf(row)), 1)
  return (
    <>
      <Cell name={H.sizeValue} data-size={textOfExact(size)}>
        <Two first={sizeText(symbol, absolute(size))}>{fixed(times(absolute(size), mark), 2)}</Two>
      </Cell>
      <Cell name={H.entryMark}>
        <Two first={priceText(symbol, entry)}>{priceText(symbol, mark)}</Two>
      </Cell>
      <Cell
        name={H.liquidation}
        class={liquidation > 0n ? 'warn' : 'quiet'}
        title={A.lists.distanceWhy}
      >
        <Two first={liquidation > 0n ? priceText(symbol, liquidation) : F.noLiquidation}>
          {liquidation > 0n && percent(divided(liquidation - mark, mark), 1)}
        </Two>
      </Cell>
      <Cell name={H.pnlRoe} class={toneOf(unrealized, 2)} data-pnl={textOfExact(unrealized)}>
        <Two first={signed(unrealized, 2)}>{roe}</Two>
      </Cell>
      <Cell name={H.marginUnsettled} title={A.lists.unsettledWhy}>
        <Two first={fixed(marginOf(row), 2)}>{signed(unsettled, 2)}</Two>
        {row.isIsolated && <MoveMargin row={row} />}
      </Cell>
      <Cell
        name={H.fundingFees}
        title={funding === null ? A.lists.fundingUnknown : A.lists.fundingWhy}
      >
        <Two first={funding === null ? M.none : signed(funding, 2)}>{signed(-dayFees, 2)}</Two>
      </Cell>
    </>
  )
}

function MoveMargin({ row }: { readonly row: Position }) {
  return (
    <button
      type="button"
      class="link"
      disabled={isBusy.value || !canTrade.value}
      aria-label={fill(A.margin.moveOf, { base: baseOf(row.symbol) })}
      onClick={() => askMargin(row)}
    >
      ±
    </button>
  )
}

type Pair = { readonly first: string; readonly children: ComponentChildren }

/** A figure above a smaller one. */
function Two({ first, children }: Pair) {
  return (
    <>
      <span>{first}</span>
      <small>{children}</small>
    </>
  )
}

type ActProps = {
  readonly row: Position
  /** What the button does, with the `{base}` of the position. */
  readonly name: string
  readonly title?: string
  readonly onPress: (row: Position) => unknown
  readonly children: string
}

/** A button that does something with a position: it stands still while something is under way. */
export function Act({ row, name, title, onPress, children }: ActProps) {
  return (
    <button
      type="button"
      disabled={isBusy.value || !canTrade.value}
      aria-label={fill(name, { base: baseOf(row.symbol) })}
      title={title}
      onClick={() => onPress(row)}
    >
      {children}
    </button>
  )
}

function Actions({ row }: { readonly row: Position }) {
  const { lists } = A
  return (
    <td class="actions">
      <div>
        <Act row={row} name={lists.protectName} onPress={protect}>
          {lists.protect}
        </Act>
        <Act row={row} name={lists.reverseOf} title={lists.reverseWhy} onPress={reversePosition}>
          {lists.reverse}
        </Act>
        <Act row={row} name={lists.closePartOf} onPress={askToClose}>
          {lists.closePart}
        </Act>
        <Act
          row={row}
          name={lists.closeMarketOf}
          onPress={() => closePosition(row, absolute(row.size), null)}
        >
          {lists.closeAll}
        </Act>
      </div>
    </td>
  )
}
