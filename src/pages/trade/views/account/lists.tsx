import { amountText, divided } from '../../../../perp/amounts.ts'
import { fill, fixed, percent, signed, toneOf } from '../../../common/format.ts'
import type { Column } from '../../../common/table.tsx'
import type { Conditional } from '../../account/conditional.ts'
import { balances, fills, fundings, history } from '../../account/past.ts'
import type { Order } from '../../account/rows.ts'
import { session } from '../../account/session.ts'
import { conditionals, orders } from '../../account/state.ts'
import { markOf } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { N } from '../../messages/pages.ts'
import { F } from '../../messages/ticket.ts'
import { askAll } from '../../orders/all.ts'
import { cancelOrder } from '../../orders/commands.ts'
import { cancelConditional } from '../../orders/conditional-commands.ts'
import { tradedSide, triggerText } from '../../orders/conditional-outcomes.ts'
import { priceText, sizeText } from '../../orders/text.ts'
import { Act } from '../parts/act.tsx'
import { PageLink } from '../parts/link.tsx'
import { editWaiting } from './conditional-dialog.tsx'
import { edit } from './edit-dialog.tsx'
import {
  BASE,
  type Known,
  listOf,
  MarketName,
  noted,
  SIDE,
  STATUS,
  TIME,
  toneOfSide,
} from './list-table.tsx'

const H = A.lists.head

const orNone = (text: string | null | false) => text || M.none

/** The columns of an order, open or past. */
const ORDER_COLUMNS: readonly Column<Order>[] = [
  [
    H.market,
    ({ symbol, tag }) => (
      <>
        <MarketName symbol={symbol} />
        {tag !== '' && <span class="quiet tag"> {tag}</span>}
      </>
    ),
  ],
  SIDE,
  [
    H.type,
    (row) => noted(ORDER_TYPES[row.type] ?? row.type, row.isReduceOnly, A.lists.reduceOnly),
    undefined,
    'text',
  ],
  [
    H.price,
    ({ symbol, price }) => orNone(price !== null && priceText(symbol, price)),
    ({ price }) => ({ 'data-price': price === null ? '' : amountText(price) }),
  ],
  [
    H.size,
    ({ symbol, size }) => sizeText(symbol, size),
    ({ size }) => ({ 'data-size': amountText(size) }),
  ],
  [H.filled, ({ symbol, executed }) => sizeText(symbol, executed)],
]

const ORDER_TYPES: Readonly<Record<string, string>> = A.orderType

/** The actions on an open order; `canEdit` is false for an order without a value to change. */
function actions<Row extends Pick<Order, 'id'>>(
  onEdit: (row: Row) => void,
  onCancel: (row: Row) => Promise<unknown>,
  canEdit: (row: Row) => boolean = () => true,
): Column<Row> {
  const cell = (row: Row) => (
    <div>
      <Act
        name={fill(A.lists.editOf, { id: row.id })}
        isStill={!canEdit(row)}
        onPress={() => onEdit(row)}
      >
        {A.lists.edit}
      </Act>
      <Act name={fill(A.lists.cancelOf, { id: row.id })} onPress={() => onCancel(row)}>
        {M.cancel}
      </Act>
    </div>
  )
  return [H.actions, cell, () => ({ class: 'actions' })]
}

/** Orders that rest, which can be changed and cancelled. */
export const OrderRows = listOf('orders', orders, {
  columns: [
    ...ORDER_COLUMNS,
    STATUS,
    TIME,
    actions(
      (row) => edit(row),
      cancelOrder,
      ({ price }) => price !== null,
    ),
  ],
  keyOf: ({ id }) => id,
  attributesOf: ({ id, clientId }) => ({ 'data-order': id, 'data-client': clientId }),
})

/** Cancels every order that rests. */
export function CancelOrders() {
  const rows = orders.value
  if (rows.length === 0) return null
  return <Act onPress={() => askAll({ kind: 'orders', rows })}>{A.lists.cancelAll}</Act>
}

/** Orders that wait for a price, which can be changed and cancelled. */
export const ConditionalRows = listOf<Conditional>('conditional', conditionals, {
  columns: [
    [H.market, MarketName],
    [H.side, (row) => M.side[tradedSide(row)], (row) => toneOfSide(tradedSide(row)), 'text'],
    [
      H.type,
      ({ kind, isReduceOnly }) =>
        noted(A.lists.kinds[kind] ?? kind, isReduceOnly, A.lists.reduceOnly),
      undefined,
      'text',
    ],
    [
      H.trigger,
      (row) => (
        <>
          <span>{triggerText(row)}</span>
          <small>{distanceOf(row)}</small>
        </>
      ),
      () => ({ title: F.distance }),
    ],
    [H.sentAs, sentAsText],
    [
      H.size,
      ({ symbol, size }) => (size === 0n ? A.lists.wholePosition : sizeText(symbol, size)),
      ({ size }) => ({ 'data-size': amountText(size) }),
    ],
    STATUS,
    TIME,
    actions((row) => editWaiting(row), cancelConditional),
  ],
  keyOf: ({ id }) => id,
  attributesOf: ({ id, kind }) => ({ 'data-conditional': id, 'data-kind': kind }),
})

/** Cancels every order that waits for a price. */
export function CancelWaiting() {
  const rows = conditionals.value
  if (rows.length === 0) return null
  return <Act onPress={() => askAll({ kind: 'conditional', rows })}>{A.lists.cancelAll}</Act>
}

/** The distance of a stop's trigger from the mark. */
function distanceOf({ symbol, trigger }: Conditional): string {
  const mark = markOf(symbol)
  return trigger === null || mark === 0n ? '' : percent(divided(trigger - mark, mark), 1)
}

/** The price at which an order is sent, or that it is sent at the market. */
function sentAsText({ symbol, price, type }: Conditional): string {
  return type === 'LIMIT' && price !== null ? priceText(symbol, price) : A.lists.atMarket
}

/** Orders that are over. */
export const HistoryRows = listOf('history', history, {
  columns: [
    ...ORDER_COLUMNS,
    [H.average, ({ symbol, average }) => orNone(average !== 0n && priceText(symbol, average))],
    STATUS,
    TIME,
  ],
  keyOf: ({ id }) => id,
  attributesOf: ({ id }) => ({ 'data-order': id }),
})

/** The account's trades. */
export const FillRows = listOf('fills', fills, {
  columns: [
    BASE,
    SIDE,
    [H.price, ({ symbol, price }) => priceText(symbol, price)],
    [H.size, ({ symbol, size }) => sizeText(symbol, size)],
    [H.fee, ({ fee, isMaker }) => noted(fixed(fee, 4), isMaker, A.lists.maker)],
    [H.pnl, ({ pnl }) => signed(pnl, 2), ({ pnl }) => ({ class: toneOf(pnl, 2) })],
    TIME,
  ],
  keyOf: ({ id }) => id,
})

/** The funding that positions paid and received. */
export const FundingRows = listOf('funding', fundings, {
  columns: [
    BASE,
    [H.rate, ({ rate }) => percent(rate, 4)],
    [H.amount, ({ amount }) => signed(amount, 6), ({ amount }) => ({ class: toneOf(amount, 6) })],
    TIME,
  ],
  keyOf: ({ symbol, atMs }) => `${symbol} ${atMs}`,
})

const Holdings = listOf('balances', balances, {
  columns: [
    [H.token, ({ token }) => token],
    [H.balance, ({ amount }) => fixed(amount, 6)],
    [H.frozen, ({ frozen }) => fixed(frozen, 6)],
  ],
  keyOf: ({ token }) => token,
})

/** The balances of the account, and the links to deposits and withdrawals. */
export function BalanceRows({ isKnown }: Known) {
  return (
    <>
      {session.value && <Holdings isKnown={isKnown} />}
      <p class="empty">
        {A.lists.movesWhy} <PageLink page="deposit">{N.deposit}</PageLink>
        {' · '}
        <PageLink page="withdraw">{N.withdraw}</PageLink>
      </p>
    </>
  )
}
