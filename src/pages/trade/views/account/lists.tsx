import { amountText, quotient } from '../../../../perp/amounts.ts'
import { changeTone, filledTemplate, fixedText, percent, signed } from '../../../common/format.ts'
import type { Column } from '../../../common/table.tsx'
import type { Conditional } from '../../account/conditional.ts'
import { balances, fills, fundings, history } from '../../account/past.ts'
import type { AccountOrder } from '../../account/rows.ts'
import { session } from '../../account/session.ts'
import { conditionals, orders } from '../../account/state.ts'
import { marketMark } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { OTHER_PAGE_TEXTS } from '../../messages/pages.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import { askBulkAction } from '../../orders/all.ts'
import { cancelRestingOrder } from '../../orders/commands.ts'
import { cancelConditional } from '../../orders/conditional-commands.ts'
import { tradedSide, triggerText } from '../../orders/conditional-outcomes.ts'
import { priceText, sizeText } from '../../orders/text.ts'
import { WriteButton } from '../parts/act.tsx'
import { PageLink } from '../parts/link.tsx'
import { editWaiting } from './conditional-dialog.tsx'
import { edit } from './edit-dialog.tsx'
import {
  BASE,
  type Known,
  listComponent,
  MarketName,
  noted,
  SIDE,
  STATUS,
  TIME,
  toneOfSide,
} from './list-table.tsx'

const HEADINGS = ACCOUNT_TEXTS.lists.head

const orNone = (text: string | null | false) => text || PAGE_TEXTS.none

/** The columns of an order, open or past. */
const ORDER_COLUMNS: readonly Column<AccountOrder>[] = [
  [
    HEADINGS.market,
    ({ symbol, tag }) => (
      <>
        <MarketName symbol={symbol} />
        {tag !== '' && <span class="quiet tag"> {tag}</span>}
      </>
    ),
  ],
  SIDE,
  [
    HEADINGS.type,
    (row) =>
      noted(ORDER_TYPES[row.type] ?? row.type, row.isReduceOnly, ACCOUNT_TEXTS.lists.reduceOnly),
    undefined,
    'text',
  ],
  [
    HEADINGS.price,
    ({ symbol, price }) => orNone(price !== null && priceText(symbol, price)),
    ({ price }) => ({ 'data-price': price === null ? '' : amountText(price) }),
  ],
  [
    HEADINGS.size,
    ({ symbol, size }) => sizeText(symbol, size),
    ({ size }) => ({ 'data-size': amountText(size) }),
  ],
  [HEADINGS.filled, ({ symbol, executed }) => sizeText(symbol, executed)],
]

const ORDER_TYPES: Readonly<Record<string, string>> = ACCOUNT_TEXTS.orderType

/** The actions on an open order; `canEdit` is false for an order without a value to change. */
function actions<Row extends Pick<AccountOrder, 'id'>>(
  onEdit: (row: Row) => void,
  onCancel: (row: Row) => Promise<unknown>,
  canEdit: (row: Row) => boolean = () => true,
): Column<Row> {
  const cell = (row: Row) => (
    <div>
      <WriteButton
        name={filledTemplate(ACCOUNT_TEXTS.lists.editOf, { id: row.id })}
        isStill={!canEdit(row)}
        onPress={() => onEdit(row)}
      >
        {ACCOUNT_TEXTS.lists.edit}
      </WriteButton>
      <WriteButton
        name={filledTemplate(ACCOUNT_TEXTS.lists.cancelOf, { id: row.id })}
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
  columns: [
    ...ORDER_COLUMNS,
    STATUS,
    TIME,
    actions(
      (row) => edit(row),
      cancelRestingOrder,
      ({ price }) => price !== null,
    ),
  ],
  keyOf: ({ id }) => id,
  attributesOf: ({ id, clientId }) => ({ 'data-order': id, 'data-client': clientId }),
})

/** The button that cancels all resting orders. */
export function CancelOrders() {
  const rows = orders.value
  if (rows.length === 0) return null
  return (
    <WriteButton onPress={() => askBulkAction({ kind: 'orders', rows })}>
      {ACCOUNT_TEXTS.lists.cancelAll}
    </WriteButton>
  )
}

/** The conditional orders, which can be edited and cancelled. */
export const ConditionalRows = listComponent<Conditional>('conditional', conditionals, {
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
    actions((row) => editWaiting(row), cancelConditional),
  ],
  keyOf: ({ id }) => id,
  attributesOf: ({ id, kind }) => ({ 'data-conditional': id, 'data-kind': kind }),
})

/** The button that cancels all conditional orders. */
export function CancelWaiting() {
  const rows = conditionals.value
  if (rows.length === 0) return null
  return (
    <WriteButton onPress={() => askBulkAction({ kind: 'conditional', rows })}>
      {ACCOUNT_TEXTS.lists.cancelAll}
    </WriteButton>
  )
}

/** The distance of a stop's trigger from the mark price, in percent. */
function triggerDistanceText({ symbol, trigger }: Conditional): string {
  const mark = marketMark(symbol)
  return trigger === null || mark === 0n ? '' : percent(quotient(trigger - mark, mark), 1)
}

/** The text of the limit price with which an order is sent, or that it is sent at market. */
function sentAsText({ symbol, price, type }: Conditional): string {
  return type === 'LIMIT' && price !== null
    ? priceText(symbol, price)
    : ACCOUNT_TEXTS.lists.atMarket
}

/** The ended orders. */
export const HistoryRows = listComponent('history', history, {
  columns: [
    ...ORDER_COLUMNS,
    [
      HEADINGS.average,
      ({ symbol, average }) => orNone(average !== 0n && priceText(symbol, average)),
    ],
    STATUS,
    TIME,
  ],
  keyOf: ({ id }) => id,
  attributesOf: ({ id }) => ({ 'data-order': id }),
})

/** The account's trades. */
export const FillRows = listComponent('fills', fills, {
  columns: [
    BASE,
    SIDE,
    [HEADINGS.price, ({ symbol, price }) => priceText(symbol, price)],
    [HEADINGS.size, ({ symbol, size }) => sizeText(symbol, size)],
    [
      HEADINGS.fee,
      ({ fee, isMaker }) => noted(fixedText(fee, 4), isMaker, ACCOUNT_TEXTS.lists.maker),
    ],
    [HEADINGS.pnl, ({ pnl }) => signed(pnl, 2), ({ pnl }) => ({ class: changeTone(pnl, 2) })],
    TIME,
  ],
  keyOf: ({ id }) => id,
})

/** The funding payments, paid and received. */
export const FundingRows = listComponent('funding', fundings, {
  columns: [
    BASE,
    [HEADINGS.rate, ({ rate }) => percent(rate, 4)],
    [
      HEADINGS.amount,
      ({ amount }) => signed(amount, 6),
      ({ amount }) => ({ class: changeTone(amount, 6) }),
    ],
    TIME,
  ],
  keyOf: ({ symbol, atMs }) => `${symbol} ${atMs}`,
})

const Holdings = listComponent('balances', balances, {
  columns: [
    [HEADINGS.token, ({ token }) => token],
    [HEADINGS.balance, ({ amount }) => fixedText(amount, 6)],
    [HEADINGS.frozen, ({ frozen }) => fixedText(frozen, 6)],
  ],
  keyOf: ({ token }) => token,
})

/** The balances of the account, and the links to deposits and withdrawals. */
export function BalanceRows({ isKnown }: Known) {
  return (
    <>
      {session.value && <Holdings isKnown={isKnown} />}
      <p class="empty">
        {ACCOUNT_TEXTS.lists.movesWhy}{' '}
        <PageLink page="deposit">{OTHER_PAGE_TEXTS.deposit}</PageLink>
        {' · '}
        <PageLink page="withdraw">{OTHER_PAGE_TEXTS.withdraw}</PageLink>
      </p>
    </>
  )
}
