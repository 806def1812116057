import { product, sumOrNull } from '../../../../perp/amounts.ts'
import {
  changeTone,
  dayTime,
  filledTemplate,
  fixedText,
  percent,
  signed,
} from '../../../common/format.ts'
import type { Column } from '../../../common/table.tsx'
import type { ClosedPosition } from '../../account/closed-positions.ts'
import { balances, closed, fills, fundings, history } from '../../account/past.ts'
import { session } from '../../account/session.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { LIST_TEXTS } from '../../messages/lists.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { OTHER_PAGE_TEXTS } from '../../messages/pages.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import { priceText, sizeText, symbolBase } from '../../orders/text.ts'
import { PageLink } from '../parts/link.tsx'
import {
  type ListAnswer,
  listComponent,
  MarketName,
  noted,
  ORDER_COLUMNS,
  orderSortValues,
  orNone,
  SIDE,
  STATUS,
  TIME,
  two,
} from './list-table.tsx'

const HEADINGS = ACCOUNT_TEXTS.lists.head

const BASE: Column<{ readonly symbol: string }> = [
  HEADINGS.market,
  ({ symbol }) => symbolBase(symbol),
]

function signedOrNone(amount: bigint | null, places: number): string {
  return orNone(amount !== null && signed(amount, places))
}

/** A column of amounts in USDC, signed and coloured. */
function change<Row>(
  name: string,
  amount: (row: Row) => bigint | null,
  places: number,
): Column<Row> {
  return [
    name,
    (row) => signedOrNone(amount(row), places),
    (row) => ({ class: changeTone(amount(row) ?? 0n, places) }),
  ]
}

/** The ended orders. */
export const HistoryRows = listComponent('history', history, {
  empty: LIST_TEXTS.empty.history,
  columns: [
    ...ORDER_COLUMNS,
    [
      LIST_TEXTS.average,
      ({ symbol, average }) => orNone(average !== 0n && priceText(symbol, average)),
    ],
    STATUS,
    TIME,
  ],
  sortValues: (row) => [...orderSortValues(row), row.average || null, row.status, row.atMs],
  totals: [
    [
      HEADINGS.value,
      // Without an average price, the value of an executed order is unknown.
      ({ executed, average }) => product(executed, average) || (executed && null),
    ],
  ],
  keyOf: ({ id }) => id,
  attributesOf: ({ id }) => ({ 'data-order': id }),
})

/** The positions that were closed, with their result. */
export const ClosedRows = listComponent<ClosedPosition>('closed', closed, {
  empty: LIST_TEXTS.empty.closed,
  columns: [
    [
      HEADINGS.market,
      ({ symbol, isLong, leverage, isIsolated }) => (
        <>
          <MarketName symbol={symbol} />{' '}
          <span class={isLong ? 'up' : 'down'}>{isLong ? PAGE_TEXTS.long : PAGE_TEXTS.short}</span>
          <small>
            {leverage}× {isIsolated ? TICKET_TEXTS.isolated : TICKET_TEXTS.cross}
          </small>
        </>
      ),
    ],
    [
      HEADINGS.size,
      ({ symbol, size, largest }) =>
        two(
          sizeText(symbol, size),
          size === largest
            ? ''
            : filledTemplate(LIST_TEXTS.ofLargest, { size: sizeText(symbol, largest) }),
        ),
    ],
    [
      LIST_TEXTS.exit,
      ({ symbol, entry, exit }) => two(priceText(symbol, entry), priceText(symbol, exit)),
    ],
    change(HEADINGS.pnl, ({ pnl }) => pnl, 2),
    change(LIST_TEXTS.fees, ({ fees }) => fees, 4),
    change(LIST_TEXTS.funding, ({ funding }) => funding, 4),
    change(LIST_TEXTS.net, netResult, 2),
    [LIST_TEXTS.result, ({ type }) => LIST_TEXTS.results[type] ?? type, undefined, 'text'],
    [
      LIST_TEXTS.opened,
      ({ openedAtMs }) => dayTime(openedAtMs),
      () => ({ class: 'quiet' }),
      'text',
    ],
    [
      LIST_TEXTS.closed,
      ({ closedAtMs }) => dayTime(closedAtMs),
      () => ({ class: 'quiet' }),
      'text',
    ],
  ],
  sortValues: (row) => [
    ...[symbolBase(row.symbol), product(row.size, row.exit), row.entry, row.pnl, row.fees],
    ...[row.funding, netResult(row), row.type, row.openedAtMs, row.closedAtMs],
  ],
  totals: [
    [HEADINGS.pnl, ({ pnl }) => pnl, signedUsdc],
    [LIST_TEXTS.fees, ({ fees }) => fees, signedUsdc],
    [LIST_TEXTS.funding, ({ funding }) => funding, signedUsdc],
    [LIST_TEXTS.net, netResult, signedUsdc],
  ],
  keyOf: ({ id, closedAtMs }) => `${id} ${closedAtMs}`,
})

/** The result of a closed position: its PnL with fees and funding; null if one of them is unknown. */
function netResult({ pnl, fees, funding }: ClosedPosition): bigint | null {
  return sumOrNull([pnl, fees, funding], (amount) => amount)
}

function signedUsdc(total: bigint): string {
  return signed(total, 2)
}

/** The account's trades. */
export const FillRows = listComponent('fills', fills, {
  empty: LIST_TEXTS.empty.fills,
  columns: [
    BASE,
    SIDE,
    [HEADINGS.price, ({ symbol, price }) => priceText(symbol, price)],
    [HEADINGS.size, ({ symbol, size }) => sizeText(symbol, size)],
    [
      LIST_TEXTS.fee,
      ({ fee, isMaker }) =>
        noted(orNone(fee !== null && fixedText(fee, 4)), isMaker, LIST_TEXTS.maker),
    ],
    change(HEADINGS.pnl, ({ pnl }) => pnl, 2),
    TIME,
  ],
  sortValues: ({ symbol, side, price, size, fee, pnl, atMs }) => [
    ...[symbolBase(symbol), side, price, size, fee, pnl, atMs],
  ],
  totals: [
    [HEADINGS.value, ({ price, size }) => product(price, size) || null],
    [
      LIST_TEXTS.fee,
      ({ fee, feeToken }) => (feeToken === 'USDC' ? fee : null),
      (total) => fixedText(total, 4),
    ],
    [HEADINGS.pnl, ({ pnl }) => pnl, signedUsdc],
  ],
  keyOf: ({ id }) => id,
})

/** The funding payments, paid and received. */
export const FundingRows = listComponent('funding', fundings, {
  empty: LIST_TEXTS.empty.funding,
  columns: [
    BASE,
    [LIST_TEXTS.rate, ({ rate }) => percent(rate, 4)],
    change(HEADINGS.amount, ({ amount }) => amount, 6),
    TIME,
  ],
  sortValues: ({ symbol, rate, amount, atMs }) => [symbolBase(symbol), rate, amount, atMs],
  totals: [[HEADINGS.amount, ({ amount }) => amount, (total) => signed(total, 6)]],
  keyOf: ({ symbol, atMs }) => `${symbol} ${atMs}`,
})

const Holdings = listComponent('balances', balances, {
  empty: LIST_TEXTS.empty.balances,
  columns: [
    [LIST_TEXTS.token, ({ token }) => token],
    [LIST_TEXTS.balance, ({ amount }) => fixedText(amount, 6)],
    [LIST_TEXTS.frozen, ({ frozen }) => fixedText(frozen, 6)],
  ],
  sortValues: ({ token, amount, frozen }) => [token, amount, frozen],
  keyOf: ({ token }) => token,
})

/** The balances of the account, and the links to deposits and withdrawals. */
export function BalanceRows({ data }: ListAnswer) {
  return (
    <>
      {session.value && <Holdings data={data} />}
      <p class="empty">
        {LIST_TEXTS.movesWhy} <PageLink page="deposit">{OTHER_PAGE_TEXTS.deposit}</PageLink>
        {' · '}
        <PageLink page="withdraw">{OTHER_PAGE_TEXTS.withdraw}</PageLink>
      </p>
    </>
  )
}
