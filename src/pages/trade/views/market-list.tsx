import { computed, signal } from '@preact/signals'
import { product } from '../../../perp/amounts.ts'
import {
  changeTone,
  compact,
  countdown,
  filledTemplate,
  fixedText,
  percent,
  signed,
  tickPlaces,
} from '../../common/format.ts'
import { serverSecond } from '../feed/clock.ts'
import { STALE_MS } from '../feed/feed.ts'
import {
  favourites,
  GROUPS,
  group,
  isInGroup,
  listedReading,
  toggleFavourite,
} from '../market/groups.ts'
import type { ListedMarket } from '../market/rows.ts'
import { liveMarkets, marketsReading, rules, showMarket, symbol } from '../market/state.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { Stale } from './parts/dialog.tsx'

const search = signal('')

/** The sortable columns, each with the value that it compares. */
const SORTS = {
  name: (row: ListedMarket) => row.base,
  volume: (row: ListedMarket) => row.amount24h,
  price: (row: ListedMarket) => row.mark,
  funding: (row: ListedMarket) => row.fundingRate,
  change: (row: ListedMarket) => row.changePct,
  interest: openInterestValue,
} as const

type Sort = keyof typeof SORTS

const sort = signal<{ readonly by: Sort; readonly isDown: boolean }>({ by: 'volume', isDown: true })

const shown = computed(() => {
  const wanted = search.value.trim().toLowerCase()
  const { by, isDown } = sort.value
  const weigh = SORTS[by]
  return liveMarkets.value
    .filter(isInGroup)
    .filter(({ name, symbol: id, base }) => `${name} ${id} ${base}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => (weigh(a) < weigh(b) ? 1 : -1) * (isDown ? 1 : -1))
})

/** The open interest of a market in USDC, because base amounts of different markets are not comparable. */
function openInterestValue({ openInterest, mark }: ListedMarket): bigint {
  return product(openInterest, mark)
}

/** Sorts by a column: names from A, figures from the largest; a second press reverses the order. */
function sortBy(by: Sort): void {
  const { value } = sort
  sort.value = { by, isDown: value.by === by ? !value.isDown : by !== 'name' }
}

/** The list of all markets, with search, sorting and choice. */
export function MarketList({ onChoose }: { readonly onChoose: () => void }) {
  return (
    <section class="panel markets" aria-label={PAGE_TEXTS.markets}>
      <div class="head">
        <Search onChoose={onChoose} />
        <Stale reading={marketsReading.value} afterMs={STALE_MS.markets} />
      </div>
      <fieldset class="choices groups" aria-label={PAGE_TEXTS.list.group}>
        {GROUPS.map((name) => (
          <button
            key={name}
            type="button"
            class="plain"
            data-group={name}
            aria-pressed={group.value === name}
            aria-label={name === 'favourites' ? PAGE_TEXTS.list.favourites : undefined}
            onClick={() => {
              group.value = name
            }}
          >
            {PAGE_TEXTS.list.groups[name]}
          </button>
        ))}
      </fieldset>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <Head sorts={['name', 'volume']} />
              <Head sorts={['price', 'funding']} />
              <Head sorts={['change', 'interest']} />
            </tr>
          </thead>
          <tbody>
            {shown.value.map((row) => (
              <Row key={row.symbol} row={row} onChoose={onChoose} />
            ))}
          </tbody>
        </table>
        {shown.value.length === 0 && liveMarkets.value.length > 0 && (
          <p class="empty">{nothing()}</p>
        )}
      </div>
    </section>
  )
}

/** The text that explains why the list is empty. */
function nothing(): string {
  if (search.value.trim() !== '') return PAGE_TEXTS.list.nothing
  if (group.value === 'favourites') return PAGE_TEXTS.list.noFavourites
  if (group.value !== 'new') return PAGE_TEXTS.list.noneHere
  const { data, failure } = listedReading.value
  if (data !== null) return PAGE_TEXTS.list.noneNew
  return failure ? PAGE_TEXTS.list.notRead : PAGE_TEXTS.lists.waiting
}

function Search({ onChoose }: { readonly onChoose: () => void }) {
  return (
    <input
      type="search"
      placeholder={PAGE_TEXTS.list.search}
      aria-label={PAGE_TEXTS.list.search}
      value={search.value}
      maxLength={40}
      onInput={(event) => {
        search.value = event.currentTarget.value
      }}
      onKeyDown={({ key, isComposing }) => {
        if (key === 'Enter' && !isComposing) chooseFirst(onChoose)
      }}
    />
  )
}

/** Chooses the first market that the search found. */
function chooseFirst(onChoose: () => void): void {
  const [first] = shown.peek()
  if (!first || search.peek().trim() === '') return
  showMarket(first.symbol)
  onChoose()
}

/** The sortable headings of a column, stacked like its figures. */
function Head({ sorts }: { readonly sorts: readonly Sort[] }) {
  const { by, isDown } = sort.value
  const direction = !sorts.includes(by) ? 'none' : isDown ? 'descending' : 'ascending'
  return (
    <th aria-sort={direction}>
      {sorts.map((name) => (
        <button
          key={name}
          type="button"
          class="sort"
          data-sort={name}
          title={filledTemplate(PAGE_TEXTS.list.sort, { name: PAGE_TEXTS.list.heads[name] })}
          onClick={() => sortBy(name)}
        >
          {PAGE_TEXTS.list.heads[name]}
          {name === by ? (isDown ? ' ↓' : ' ↑') : ''}
        </button>
      ))}
    </th>
  )
}

function Row({ row, onChoose }: { readonly row: ListedMarket; readonly onChoose: () => void }) {
  const places = tickPlaces(rules.value.get(row.symbol)?.quoteTick)
  return (
    <tr aria-current={row.symbol === symbol.value ? 'true' : undefined} data-symbol={row.symbol}>
      <td>
        <button
          type="button"
          class="name"
          onClick={() => {
            showMarket(row.symbol)
            onChoose()
          }}
        >
          {row.base}
        </button>
        <Star row={row} />
        <small>{compact(row.amount24h)}</small>
      </td>
      <td>
        {fixedText(row.mark, places)}
        <small
          title={`${PAGE_TEXTS.list.heads.funding} ${countdown(row.nextFundingMs - serverSecond.value)}`}
        >
          {percent(row.fundingRate, 4)}
        </small>
      </td>
      <td>
        <span class={changeTone(row.changePct, 2)} data-change>
          {signed(row.changePct, 2)}%
        </span>
        <small>{compact(openInterestValue(row))}</small>
      </td>
    </tr>
  )
}

function Star({ row: { symbol: id, base } }: { readonly row: ListedMarket }) {
  const isFavourite = favourites.value.has(id)
  return (
    <button
      type="button"
      class="star"
      aria-label={filledTemplate(PAGE_TEXTS.list.favourite, { base })}
      aria-pressed={isFavourite}
      onClick={() => toggleFavourite(id)}
    >
      {isFavourite ? '★' : '☆'}
    </button>
  )
}
