import { type ReadonlySignal, signal } from '@preact/signals'
import type { ComponentProps, ComponentType, JSX } from 'preact'
import { amountText } from '../../../../perp/amounts.ts'
import type { Exact } from '../../../common/exact-json.ts'
import { dayTime } from '../../../common/format.ts'
import { type Column, Table } from '../../../common/table.tsx'
import type { AccountOrder, AccountPosition } from '../../account/rows.ts'
import type { ListName } from '../../account/state.ts'
import { showMarket } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { priceText, sizeText, symbolBase } from '../../orders/text.ts'
import type { SortValue } from './list-order.ts'

const HEADINGS = ACCOUNT_TEXTS.lists.head

/** The answer with a list's rows; null before they have been read. */
export type ListAnswer = { readonly data: Exact | null }

/** The table of an account's list. */
export type ListTable<Row> = Omit<ComponentProps<typeof Table<Row>>, 'rows' | 'headingOf'> & {
  /** The values of a row by which its columns sort, in the order of the columns. */
  readonly sortValues: (row: Row) => readonly SortValue[]
  readonly totals?: readonly Total<Row>[] | undefined
  /** The sentence that the list is empty. */
  readonly empty: string
}

/** A total of a list's rows: its name, the amount of a row (null if unknown), and its text, by default with two places. */
type Total<Row> = readonly [
  name: string,
  amount: (row: Row) => bigint | null,
  text?: (total: bigint) => string,
]

/** A list with its rows. */
export type ListedRows<Row> = ListTable<Row> &
  ListAnswer & { readonly list: ListName; readonly rows: readonly Row[] }

type ListTools = {
  /** A list's table with sorting, filter and totals. */
  readonly SortedTable: <Row extends object>(props: ListedRows<Row>) => JSX.Element
  /** The filter of a list, and the button that saves it. */
  readonly ListBar: ComponentType<{ readonly list: ListName }>
  /** The distance of a position from its liquidation price. */
  readonly LiquidationDistance: ComponentType<{ readonly row: AccountPosition }>
  /** The button that sets a stop for a position without one. */
  readonly StopWarning: ComponentType<{
    readonly row: AccountPosition
    readonly onPress: (row: AccountPosition) => void
  }>
}

/** The tools of lists; null until their code is loaded. */
export const listTools = signal<ListTools | null>(null)

/** Creates the component of an account's list: its table, or the sentence that the list is empty. */
export function listComponent<Row extends object>(
  list: ListName,
  rows: ReadonlySignal<readonly Row[]>,
  table: ListTable<Row>,
) {
  return ({ data }: ListAnswer) => {
    const { value: tools } = listTools
    if (rows.value.length > 0)
      return tools ? (
        <tools.SortedTable rows={rows.value} list={list} data={data} {...table} />
      ) : (
        <Table rows={rows.value} {...table} />
      )
    return data !== null && <p class="empty">{table.empty}</p>
  }
}

type OfMarket = { readonly symbol: string }

/** The button that shows the market of a row. */
export function MarketName({ symbol }: OfMarket) {
  return (
    <button type="button" class="name" onClick={() => showMarket(symbol)}>
      {symbolBase(symbol)}
    </button>
  )
}

/** The cell attributes for the colour of a side. */
export function toneOfSide(side: AccountOrder['side']) {
  return { class: side === 'BUY' ? 'up' : 'down' }
}

export const SIDE: Column<Pick<AccountOrder, 'side'>> = [
  HEADINGS.side,
  ({ side }) => PAGE_TEXTS.side[side],
  ({ side }) => toneOfSide(side),
  'text',
]
export const STATUS: Column<Pick<AccountOrder, 'status'>> = [
  HEADINGS.status,
  ({ status }) => ACCOUNT_TEXTS.status[status] ?? status,
  undefined,
  'text',
]
export const TIME: Column<Pick<AccountOrder, 'atMs'>> = [
  HEADINGS.time,
  ({ atMs }) => dayTime(atMs),
  () => ({ class: 'quiet' }),
  'text',
]

/** A text, followed by a note if `isNoted`. */
export function noted(text: string, isNoted: boolean, note: string) {
  return (
    <>
      {text}
      {isNoted && <span class="quiet"> {note}</span>}
    </>
  )
}

/** A text above a smaller text. */
export function two(first: string, second: string) {
  return (
    <>
      <span>{first}</span>
      <small>{second}</small>
    </>
  )
}

export const orNone = (text: string | null | false) => text || PAGE_TEXTS.none

/** The columns of an order, open or past. */
export const ORDER_COLUMNS: readonly Column<AccountOrder>[] = [
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

/** The sort values of `ORDER_COLUMNS`. */
export function orderSortValues({ symbol, side, type, price, size, executed }: AccountOrder) {
  return [symbolBase(symbol), side, type, price, size, executed]
}

const ORDER_TYPES: Readonly<Record<string, string>> = ACCOUNT_TEXTS.orderType
