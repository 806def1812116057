import { dayTime, textOfExact } from '../../../common/format.ts'
import type { Order } from '../../account/rows.ts'
import { orders } from '../../account/state.ts'
import { choose } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { cancelAll, cancelOrder } from '../../orders/commands.ts'
import { baseOf, priceText, sizeText } from '../../orders/text.ts'
import { edit } from './edit-dialog.tsx'
import { ForAll, OrderActions } from './order-actions.tsx'
import { Cell, type Known, ListTable } from './table.tsx'

const H = A.lists.head
const HEAD = [H.market, H.side, H.type, H.price, H.size, H.filled, H.status, H.time, H.actions]

/** Orders that rest, which can be changed and cancelled. */
export function OrderRows({ isKnown }: Known) {
  return (
    <ListTable list="orders" head={HEAD} isKnown={isKnown} count={orders.value.length}>
      {orders.value.map((row) => (
        <Row key={row.id} row={row} />
      ))}
    </ListTable>
  )
}

/** Cancels every order that rests. */
export function CancelOrders() {
  if (orders.value.length === 0) return null
  return <ForAll label={A.lists.cancelAll} onPress={() => void cancelAll(null)} />
}

function Row({ row }: { readonly row: Order }) {
  const { id, symbol, size, price, executed } = row
  return (
    <tr data-order={id} data-client={row.clientId}>
      <OrderCells row={row} />
      <Cell name={H.price} data-price={price === null ? '' : textOfExact(price)}>
        {price === null ? M.none : priceText(symbol, price)}
      </Cell>
      <Cell name={H.size} data-size={textOfExact(size)}>
        {sizeText(symbol, size)}
      </Cell>
      <Cell name={H.filled}>{sizeText(symbol, executed)}</Cell>
      <Cell name={H.status}>{A.status[row.status] ?? row.status}</Cell>
      <Cell name={H.time} class="quiet">
        {dayTime(row.atMs)}
      </Cell>
      <OrderActions
        id={id}
        canEdit={price !== null}
        onEdit={() => edit(row)}
        onCancel={() => void cancelOrder(row)}
      />
    </tr>
  )
}

/** Market, side and type of an order, open or past. */
export function OrderCells({ row }: { readonly row: Order }) {
  const { symbol, side, type, isReduceOnly, tag } = row
  const types: Readonly<Record<string, string>> = A.orderType
  return (
    <>
      <Cell name={H.market}>
        <button type="button" class="name" onClick={() => choose(symbol)}>
          {baseOf(symbol)}
        </button>
        {tag !== '' && <span class="quiet tag"> {tag}</span>}
      </Cell>
      <Cell name={H.side} class={side === 'BUY' ? 'up' : 'down'}>
        {M.side[side]}
      </Cell>
      <Cell name={H.type}>
        {types[type] ?? type}
        {isReduceOnly && <span class="quiet"> {A.lists.reduceOnly}</span>}
      </Cell>
    </>
  )
}
