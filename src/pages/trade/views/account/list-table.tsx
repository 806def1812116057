import type { ReadonlySignal } from '@preact/signals'
import type { ComponentProps } from 'preact'
import { dayTime } from '../../../common/format.ts'
import { type Column, Table } from '../../../common/table.tsx'
import type { AccountOrder } from '../../account/rows.ts'
import type { ListName } from '../../account/state.ts'
import { showMarket } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { symbolBase } from '../../orders/text.ts'

const HEADINGS = ACCOUNT_TEXTS.lists.head

/** Whether a list's rows have been read; before this, an empty list means unknown. */
export type Known = { readonly isKnown: boolean }

type TableOf<Row> = Omit<ComponentProps<typeof Table<Row>>, 'rows'>

/** Creates the component of an account's list: its table, or the sentence that the list is empty. */
export function listComponent<Row>(
  list: ListName,
  rows: ReadonlySignal<readonly Row[]>,
  table: TableOf<Row>,
) {
  return ({ isKnown }: Known) => {
    if (rows.value.length > 0) return <Table rows={rows.value} {...table} />
    return isKnown ? <p class="empty">{ACCOUNT_TEXTS.lists.empty[list]}</p> : null
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

export const BASE: Column<OfMarket> = [HEADINGS.market, ({ symbol }) => symbolBase(symbol)]
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
