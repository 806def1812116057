import { dayTime, fill, textOfExact } from '../../../common/format.ts'
import type { Order } from '../../account/rows.ts'
import { canTrade } from '../../account/session.ts'
import { orders } from '../../account/state.ts'
import { choose } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { cancelAll, cancelOrder } from '../../orders/commands.ts'
import { isBusy } from '../../orders/switches.ts'
import { baseOf, priceText, sizeText } from '../../orders/text.ts'
import { EditDialog, edit } from './edit-dialog.tsx'
import { type Known, ListTable } from './table.tsx'

const H = A.lists.head
const HEAD = [H.market, H.side, H.type, H.price, H.size, H.filled, H.status, H.time, H.actions]

/** Orders that rest, which can be changed and cancelled. */
export function OrderRows({ isKnown }: Known) {
  return (
    <>
      <ListTable list="orders" head={HEAD} isKnown={isKnown} count={orders.value.length}>
        {orders.value.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ListTable>
      {orders.value.length > 0 && (
        <p class="row inset">
          <button
            type="button"
            disabled={isBusy.value || !canTrade.value}
            onClick={() => void cancelAll(null)}
          >
            {A.lists.cancelAll}
          </button>
        </p>
      )}
      <EditDialog />
    </>
  )
}

function Row({ row }: { readonly row: Order }) {
  const { id, symbol, size, price, executed } = row
  const isStill = isBusy.value || !canTrade.value
  return (
    <tr data-order={id} data-client={row.clientId}>
      <OrderCells row={row} />
      <td data-price={price === null ? '' : textOfExact(price)}>
        {price === null ? M.none : priceText(symbol, price)}
      </td>
      <td data-size={textOfExact(size)}>{sizeText(symbol, size)}</td>
      <td>{sizeText(symbol, executed)}</td>
      <td>{M.status[row.status] ?? row.status}</td>
      <td class="quiet">{dayTime(row.atMs)}</td>
      <td class="actions">
        <button
          type="button"
          disabled={isStill || price === null}
          aria-label={fill(A.lists.editOf, { id })}
          onClick={() => edit(row)}
        >
          {A.lists.edit}
        </button>
        <button
          type="button"
          disabled={isStill}
          aria-label={fill(A.lists.cancelOf, { id })}
          onClick={() => void cancelOrder(row)}
        >
          {M.cancel}
        </button>
      </td>
    </tr>
  )
}

/** Market, side and type of an order, open or past. */
export function OrderCells({ row }: { readonly row: Order }) {
  const { symbol, side, type, isReduceOnly, tag } = row
  const types: Readonly<Record<string, string>> = M.orderType
  return (
    <>
      <td>
        <button type="button" class="name" onClick={() => choose(symbol)}>
          {baseOf(symbol)}
        </button>
        {tag !== '' && <span class="quiet tag"> {tag}</span>}
      </td>
      <td class={side === 'BUY' ? 'up' : 'down'}>{M.side[side]}</td>
      <td>
        {types[type] ?? type}
        {isReduceOnly && <span class="quiet"> {A.lists.reduceOnly}</span>}
      </td>
    </>
  )
}
