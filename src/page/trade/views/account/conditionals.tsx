import { divided } from '../../../common/amounts.ts'
import { dayTime, percent, textOfExact } from '../../../common/format.ts'
import type { Conditional } from '../../account/conditional.ts'
import { conditionals } from '../../account/state.ts'
import { choose, markets } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { F } from '../../messages/ticket.ts'
import { cancelConditional, cancelConditionals } from '../../orders/conditional-commands.ts'
import { tradedSide, triggerText } from '../../orders/conditional-outcomes.ts'
import { baseOf, priceText, sizeText } from '../../orders/text.ts'
import { editWaiting } from './conditional-dialog.tsx'
import { ForAll, OrderActions } from './order-actions.tsx'
import { Cell, type Known, ListTable } from './table.tsx'

const H = A.lists.head
const HEAD = [H.market, H.side, H.type, H.trigger, H.sentAs, H.size, H.status, H.time, H.actions]

/** Orders that wait for a price, which can be changed and cancelled. */
export function ConditionalRows({ isKnown }: Known) {
  const rows = conditionals.value
  return (
    <ListTable list="conditional" head={HEAD} isKnown={isKnown} count={rows.length}>
      {rows.map((row) => (
        <Row key={row.id} row={row} />
      ))}
    </ListTable>
  )
}

/** Cancels every order that waits for a price. */
export function CancelWaiting() {
  if (conditionals.value.length === 0) return null
  return <ForAll label={A.lists.cancelAll} onPress={() => void cancelConditionals()} />
}

function Row({ row }: { readonly row: Conditional }) {
  const { id, symbol, kind, status, isReduceOnly, size } = row
  const side = tradedSide(row)
  return (
    <tr data-conditional={id} data-kind={kind}>
      <Cell name={H.market}>
        <button type="button" class="name" onClick={() => choose(symbol)}>
          {baseOf(symbol)}
        </button>
      </Cell>
      <Cell name={H.side} class={side === 'BUY' ? 'up' : 'down'}>
        {M.side[side]}
      </Cell>
      <Cell name={H.type}>
        {A.lists.kinds[kind] ?? kind}
        {isReduceOnly && <span class="quiet"> {A.lists.reduceOnly}</span>}
      </Cell>
      <Cell name={H.trigger} title={F.distance}>
        <span>{triggerText(row)}</span>
        <small>{distanceOf(row)}</small>
      </Cell>
      <Cell name={H.sentAs}>{thenText(row)}</Cell>
      <Cell name={H.size} data-size={textOfExact(size)}>
        {size === 0n ? A.lists.wholePosition : sizeText(symbol, size)}
      </Cell>
      <Cell name={H.status}>{A.status[status] ?? status}</Cell>
      <Cell name={H.time} class="quiet">
        {dayTime(row.atMs)}
      </Cell>
      <OrderActions
        id={id}
        onEdit={() => editWaiting(row)}
        onCancel={() => void cancelConditional(row)}
      />
    </tr>
  )
}

/** How far the mark is from the trigger of a stop. */
function distanceOf({ symbol, trigger }: Conditional): string {
  const mark = markets.value.find((row) => row.symbol === symbol)?.mark ?? 0n
  return trigger === null || mark === 0n ? '' : percent(divided(trigger - mark, mark), 1)
}

/** The price at which an order is sent, or that it takes what there is. */
function thenText({ symbol, price, type }: Conditional): string {
  return type === 'LIMIT' && price !== null ? priceText(symbol, price) : A.lists.atMarket
}
