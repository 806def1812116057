import { amountText, product, quotient } from '../../../../perp/amounts.ts'
import { filledTemplate, percent } from '../../../common/format.ts'
import type { Column } from '../../../common/table.tsx'
import type { Conditional } from '../../account/conditional.ts'
import type { AccountOrder } from '../../account/rows.ts'
import { conditionals, orders } from '../../account/state.ts'
import { marketMark } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import { askBulkAction } from '../../orders/all.ts'
import { cancelPath, cancelRestingOrder, ORDER_PATH } from '../../orders/commands.ts'
import { ALGO_PATH, cancelConditional, onlyReduces } from '../../orders/conditional-commands.ts'
import { tradedSide, triggerText } from '../../orders/conditional-outcomes.ts'
import { REDUCTION } from '../../orders/pending-writes.ts'
import { priceText, sizeText, symbolBase } from '../../orders/text.ts'
import { WriteButton } from '../parts/act.tsx'
import { editWaiting } from './conditional-dialog.tsx'
import { edit } from './edit-dialog.tsx'
import {
  listComponent,
  MarketName,
  noted,
  ORDER_COLUMNS,
  orderSortValues,
  STATUS,
  TIME,
  toneOfSide,
} from './list-table.tsx'

const HEADINGS = ACCOUNT_TEXTS.lists.head

/** The actions on an open order of the kind with this path. `canEdit` is false for an order without a value to change. */
function actions<Row extends Pick<AccountOrder, 'id' | 'symbol'>>(
  path: string,
  onEdit: (row: Row) => void,
  onCancel: (row: Row) => Promise<unknown>,
  reduces: (row: Row) => boolean,
  canEdit: (row: Row) => boolean = () => true,
): Column<Row> {
  const cell = (row: Row) => (
    <div>
      <WriteButton
        name={filledTemplate(ACCOUNT_TEXTS.lists.editOf, { id: row.id })}
        isStill={!canEdit(row)}
        exit={reduces(row) ? REDUCTION : null}
        onPress={() => onEdit(row)}
      >
        {ACCOUNT_TEXTS.lists.edit}
      </WriteButton>
      <WriteButton
        name={filledTemplate(ACCOUNT_TEXTS.lists.cancelOf, { id: row.id })}
        exit={cancelPath(path, row)}
        onPress={() => onCancel(row)}
      >
        {PAGE_TEXTS.cancel}
      </WriteButton>
    </div>
  )
  return [HEADINGS.actions, cell, () => ({ class: 'actions' })]
}

/** The resting orders, which can be edited and cancelled. */
export const OrderRows = listComponent('orders', orders, {
  empty: ACCOUNT_TEXTS.lists.empty.orders,
  columns: [
    ...ORDER_COLUMNS,
    STATUS,
    TIME,
    actions(
      ORDER_PATH,
      (row) => edit(row),
      cancelRestingOrder,
      ({ isReduceOnly }) => isReduceOnly,
      ({ price }) => price !== null,
    ),
  ],
  sortValues: (row) => [...orderSortValues(row), row.status, row.atMs],
  totals: [
    [
      HEADINGS.value,
      ({ price, size, executed }) => (price === null ? null : product(price, size - executed)),
    ],
  ],
  keyOf: ({ id }) => id,
  attributesOf: ({ id, clientId }) => ({ 'data-order': id, 'data-client': clientId }),
})

/** The button that cancels all resting orders. */
export function CancelOrders() {
  const rows = orders.value
  if (rows.length === 0) return null
  return (
    <WriteButton exit="orders" onPress={() => askBulkAction({ kind: 'orders', rows })}>
      {ACCOUNT_TEXTS.lists.cancelAll}
    </WriteButton>
  )
}

/** The conditional orders, which can be edited and cancelled. */
export const ConditionalRows = listComponent<Conditional>('conditional', conditionals, {
  empty: ACCOUNT_TEXTS.lists.empty.conditional,
  columns: [
    [HEADINGS.market, MarketName],
    [
      HEADINGS.side,
      (row) => PAGE_TEXTS.side[tradedSide(row)],
      (row) => toneOfSide(tradedSide(row)),
      'text',
    ],
    [
      HEADINGS.type,
      ({ kind, isReduceOnly }) =>
        noted(
          ACCOUNT_TEXTS.lists.kinds[kind] ?? kind,
          isReduceOnly,
          ACCOUNT_TEXTS.lists.reduceOnly,
        ),
      undefined,
      'text',
    ],
    [
      HEADINGS.trigger,
      (row) => (
        <>
          <span>{triggerText(row)}</span>
          <small>{triggerDistanceText(row)}</small>
        </>
      ),
      () => ({ title: TICKET_TEXTS.distance }),
    ],
    [HEADINGS.sentAs, sentAsText],
    [
      HEADINGS.size,
      ({ symbol, size }) =>
        size === 0n ? ACCOUNT_TEXTS.lists.wholePosition : sizeText(symbol, size),
      ({ size }) => ({ 'data-size': amountText(size) }),
    ],
    STATUS,
    TIME,
    actions(ALGO_PATH, (row) => editWaiting(row), cancelConditional, onlyReduces),
  ],
  sortValues: (row) => [
    symbolBase(row.symbol),
    tradedSide(row),
    row.kind,
    triggerDistance(row),
    row.price,
    row.size,
    row.status,
    row.atMs,
  ],
  keyOf: ({ id }) => id,
  attributesOf: ({ id, kind }) => ({ 'data-conditional': id, 'data-kind': kind }),
})

/** The button that cancels all conditional orders. */
export function CancelWaiting() {
  const rows = conditionals.value
  if (rows.length === 0) return null
  return (
    <WriteButton exit="conditional" onPress={() => askBulkAction({ kind: 'conditional', rows })}>
      {ACCOUNT_TEXTS.lists.cancelAll}
    </WriteButton>
  )
}

/** The distance of a stop's trigger from the mark price, as a fraction; null if one of them is unknown. */
function triggerDistance({ symbol, trigger }: Conditional): bigint | null {
  const mark = marketMark(symbol)
  return trigger === null || mark === 0n ? null : quotient(trigger - mark, mark)
}

function triggerDistanceText(row: Conditional): string {
  const distance = triggerDistance(row)
  return distance === null ? '' : percent(distance, 1)
}

/** The text of the limit price with which an order is sent, or that it is sent at market. */
function sentAsText({ symbol, price, type }: Conditional): string {
  return type === 'LIMIT' && price !== null
    ? priceText(symbol, price)
    : ACCOUNT_TEXTS.lists.atMarket
}
