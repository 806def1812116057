import { signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { sumOrNull } from '../../../../perp/amounts.ts'
import { type Exact, memberText, memberValue } from '../../../common/exact-json.ts'
import { displayDecimal, filledTemplate, fixedText } from '../../../common/format.ts'
import { Table } from '../../../common/table.tsx'
import { CLOSED_MAX } from '../../account/position-funding.ts'
import type { ListName } from '../../account/state.ts'
import { symbol } from '../../market/state.ts'
import { LIST_TEXTS } from '../../messages/lists.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import type { RecordName } from '../../portfolio/records.ts'
import { isSaving, saveRecords } from '../../portfolio/save.ts'
import { Checkbox } from '../parts/form.tsx'
import { nextSort, rowsInOrder, type Sort, sortedRows } from './list-order.ts'
import type { ListedRows } from './list-table.tsx'

/** The chosen order of each list; without a choice, the venue's own order. */
const sorts = signal<Partial<Record<ListName, Sort | undefined>>>({})

/** Whether the lists show only the shown market. It is not stored, because it hides positions. */
const isOnlyHere = signal(false)

/** A list's table with sortable headings, and its totals. */
export function SortedTable<Row extends object>({ rows, ...props }: ListedRows<Row>) {
  const here = isOnlyHere.value ? rows.filter(isHere) : rows
  return (
    <>
      {here.length > 0 ? (
        <Sortable rows={here} {...props} />
      ) : (
        <p class="empty">{LIST_TEXTS.nothingHere}</p>
      )}
      <Hidden count={rows.length - here.length} />
      {here.length > 0 && <Totals rows={here} totals={props.totals} />}
      <More list={props.list} data={props.data} shown={rows.length} />
    </>
  )
}

/** Whether a row belongs to the shown market, or to no market. */
function isHere(row: object): boolean {
  return !('symbol' in row) || row.symbol === symbol.value
}

function Hidden({ count }: { readonly count: number }) {
  if (count === 0) return null
  return (
    <p class="inside quiet">
      {filledTemplate(LIST_TEXTS.hidden, { count })}{' '}
      <button
        type="button"
        class="link"
        onClick={() => {
          isOnlyHere.value = false
        }}
      >
        {LIST_TEXTS.showAll}
      </button>
    </p>
  )
}

function Sortable<Row>({ list, rows, sortValues, ...table }: ListedRows<Row>) {
  const box = useRef<HTMLDivElement>(null)
  const last = useRef<{ sort: Sort | undefined; keys: readonly (string | number)[] }>(null)
  const names = table.columns.map(([name]) => name)
  const { [list]: sort } = sorts.value
  const toSortValue = (name: string) => (row: Row) => sortValues(row)[names.indexOf(name)] ?? null
  const sorted = sort ? sortedRows(rows, toSortValue(sort.name), sort.isDown) : rows
  // A row that is pointed at or focused keeps its place, so that a press hits the row that the user saw.
  const isHeld = box.current?.querySelector('tbody:is(:hover, :focus-within)')
  const kept = sort && isHeld && last.current?.sort === sort ? last.current.keys : null
  const shown = kept ? rowsInOrder(sorted, kept, table.keyOf) : sorted
  last.current = { sort, keys: shown.map(table.keyOf) }
  const [first] = rows
  const isSortable = (name: string) =>
    first !== undefined && names.indexOf(name) < sortValues(first).length
  const press = (name: string) => {
    const sample = rows.map(toSortValue(name)).find((value) => value !== null) ?? null
    sorts.value = { ...sorts.peek(), [list]: nextSort(sort, name, sample) }
  }
  return (
    <div ref={box}>
      <SortChoice list={list} names={names.filter(isSortable)} sort={sort} />
      <Table
        rows={shown}
        headingOf={(name) => (isSortable(name) ? heading(name, sort, () => press(name)) : null)}
        {...table}
      />
    </div>
  )
}

/** A heading as a button that sorts by its column. */
function heading(name: string, sort: Sort | undefined, onPress: () => void) {
  const isSorted = sort?.name === name
  const content = (
    <button
      type="button"
      class="sort"
      title={filledTemplate(PAGE_TEXTS.list.sort, { name })}
      onClick={onPress}
    >
      {name}
      {isSorted && (sort.isDown ? ' ↓' : ' ↑')}
    </button>
  )
  const direction = isSorted ? (sort.isDown ? 'descending' : 'ascending') : 'none'
  return { content, direction } as const
}

type SortChoiceProps = {
  readonly list: ListName
  readonly names: readonly string[]
  readonly sort: Sort | undefined
}

/** The choice of the order on narrow screens, whose cards have no headings. */
function SortChoice({ list, names, sort }: SortChoiceProps) {
  const choose = (chosen: Sort | undefined) => {
    sorts.value = { ...sorts.peek(), [list]: chosen }
  }
  return (
    <p class="row card-sort">
      <select
        aria-label={LIST_TEXTS.sort}
        value={sort?.name ?? ''}
        onChange={({ currentTarget: { value } }) =>
          choose(value === '' ? undefined : { name: value, isDown: sort?.isDown ?? true })
        }
      >
        <option value="">{LIST_TEXTS.unsorted}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {sort && (
        <button type="button" onClick={() => choose({ ...sort, isDown: !sort.isDown })}>
          {LIST_TEXTS.direction[sort.isDown ? 'down' : 'up']}
        </button>
      )}
    </p>
  )
}

/** The totals of the shown rows. */
function Totals<Row>({ rows, totals = [] }: Pick<ListedRows<Row>, 'rows' | 'totals'>) {
  if (totals.length === 0) return null
  return (
    <div class="inside totals">
      <span class="quiet">{filledTemplate(LIST_TEXTS.total, { count: rows.length })}</span>
      <dl>
        {totals.map(([name, amount, text = valueText]) => {
          const total = sumOrNull(rows, amount)
          return (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{total === null ? PAGE_TEXTS.none : text(total)}</dd>
            </div>
          )
        })}
      </dl>
    </div>
  )
}

function valueText(total: bigint): string {
  return fixedText(total, 2)
}

type MoreProps = Pick<ListedRows<never>, 'list' | 'data'> & { readonly shown: number }

/** The sentence that the venue has more rows than the list. */
function More({ list, data, shown }: MoreProps) {
  // Live changes leave the number of all orders unknown.
  const count = Number(memberText(memberValue(data ?? undefined, 'meta'), 'total'))
  // The venue does not say how many positions have been closed.
  const isUnknown = list === 'closed' && shown >= CLOSED_MAX
  if (!(count > shown || isUnknown)) return null
  const text = isUnknown ? LIST_TEXTS.latestClosed : LIST_TEXTS.latest
  return <p class="inside quiet">{filledTemplate(text, { shown, count })}</p>
}

/** The record that a list is saved from. */
const RECORDS: Readonly<Record<ListName, RecordName>> = {
  positions: 'positions',
  orders: 'open-orders',
  conditional: 'conditional-orders',
  history: 'order-history',
  closed: 'closed-positions',
  fills: 'fills',
  funding: 'funding',
  balances: 'balances',
}

/** The filter of a list, and the button that saves it. */
export function ListBar({ list }: { readonly list: ListName }) {
  return (
    <>
      {list !== 'balances' && <Checkbox label={LIST_TEXTS.onlyHere} checked={isOnlyHere} />}
      <button
        type="button"
        title={LIST_TEXTS.csvWhy}
        disabled={isSaving.value}
        onClick={() => void saveList(list)}
      >
        {LIST_TEXTS.csv}
      </button>
    </>
  )
}

/** Saves all rows of a list, or all rows of the shown market. */
async function saveList(list: ListName): Promise<void> {
  const market = isOnlyHere.peek() && list !== 'balances' ? symbol.peek() : ''
  const isWanted = (row: Exact) =>
    (market === '' || memberText(row, 'symbol') === market) &&
    // The venue also answers markets that have only orders.
    (list !== 'positions' || displayDecimal(memberText(row, 'position_qty')) !== 0n)
  await saveRecords(RECORDS[list], { label: market, isWanted })
}
