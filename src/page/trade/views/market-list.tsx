import { computed, signal } from '@preact/signals'
import {
  compact,
  countdown,
  fill,
  fixed,
  percent,
  placesOf,
  signed,
  toneOf,
} from '../../common/format.ts'
import { second } from '../feed/clock.ts'
import type { Market } from '../market/rows.ts'
import { choose, markets, marketsReading, rules, symbol } from '../market/state.ts'
import { M } from '../messages/page.ts'
import { Stale } from './parts/dialog.tsx'

const search = signal('')

const SORTS = {
  volume: (row: Market) => row.amount24h,
  mark: (row: Market) => row.mark,
  change: (row: Market) => row.changePct,
  funding: (row: Market) => row.fundingRate,
} as const

type Sort = keyof typeof SORTS

const sort = signal<{ readonly by: Sort; readonly isDown: boolean }>({ by: 'volume', isDown: true })

const shown = computed(() => {
  const wanted = search.value.trim().toLowerCase()
  const { by, isDown } = sort.value
  const weigh = SORTS[by]
  return markets.value
    .filter(({ name, symbol: id, base }) => `${name} ${id} ${base}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => (weigh(a) < weigh(b) ? 1 : -1) * (isDown ? 1 : -1))
})

function sortBy(by: Sort): void {
  const { value } = sort
  sort.value = { by, isDown: value.by === by ? !value.isDown : true }
}

/** Every market, to be searched, sorted and chosen. */
export function MarketList({ onChoose }: { readonly onChoose: () => void }) {
  return (
    <section class="panel markets" aria-label={M.markets}>
      <div class="head">
        <input
          type="search"
          placeholder={M.list.search}
          aria-label={M.list.search}
          value={search.value}
          maxLength={40}
          onInput={(event) => {
            search.value = event.currentTarget.value
          }}
          onKeyDown={({ key, isComposing }) => {
            if (key === 'Enter' && !isComposing) chooseFirst(onChoose)
          }}
        />
        <Stale reading={marketsReading.value} afterMs={15_000} />
      </div>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <Head by="volume">
                {M.market} / {M.list.volume}
              </Head>
              <Head by="mark">{M.list.mark}</Head>
              <Head by="change">{M.list.change}</Head>
            </tr>
          </thead>
          <tbody>
            {shown.value.map((row) => (
              <Row key={row.symbol} row={row} onChoose={onChoose} />
            ))}
          </tbody>
        </table>
        {shown.value.length === 0 && markets.value.length > 0 && (
          <p class="empty">{M.list.nothing}</p>
        )}
      </div>
    </section>
  )
}

/** Shows the first market that was found. */
function chooseFirst(onChoose: () => void): void {
  const [first] = shown.peek()
  if (!first || search.peek().trim() === '') return
  choose(first.symbol)
  onChoose()
}

function Head({
  by,
  children,
}: {
  readonly by: Sort
  readonly children: preact.ComponentChildren
}) {
  const { value } = sort
  const direction = value.by !== by ? 'none' : value.isDown ? 'descending' : 'ascending'
  return (
    <th aria-sort={direction}>
      <button
        type="button"
        class="sort"
        title={fill(M.list.sort, { name: by })}
        onClick={() => sortBy(by)}
      >
        {children}
        {value.by === by ? (value.isDown ? ' ↓' : ' ↑') : ''}
      </button>
    </th>
  )
}

function Row({ row, onChoose }: { readonly row: Market; readonly onChoose: () => void }) {
  const places = placesOf(rules.value.get(row.symbol)?.quoteTick ?? '0.01')
  return (
    <tr aria-current={row.symbol === symbol.value ? 'true' : undefined} data-symbol={row.symbol}>
      <td>
        <button
          type="button"
          class="name"
          onClick={() => {
            choose(row.symbol)
            onChoose()
          }}
        >
          {row.base}
        </button>
        <small>{compact(row.amount24h)}</small>
      </td>
      <td>
        {fixed(row.mark, places)}
        <small title={`${M.list.funding} ${countdown(row.nextFundingMs - second.value)}`}>
          {percent(row.fundingRate, 4)}
        </small>
      </td>
      <td class={toneOf(row.changePct, 2)}>{signed(row.changePct, 2)}%</td>
    </tr>
  )
}
