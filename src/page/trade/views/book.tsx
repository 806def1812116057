import { computed, signal } from '@preact/signals'
import { divided } from '../../common/amounts.ts'
import { fill, fixed, percent, placesOf, textOfExact } from '../../common/format.ts'
import { orders } from '../account/state.ts'
import { GROUP_MULTIPLES, grouped, levelAt, type SummedLevel } from '../market/book.ts'
import { book, bookReading, rule, symbol } from '../market/state.ts'
import { M } from '../messages/page.ts'
import { kind, priceInput, triggerInput } from '../orders/switches.ts'
import { inputText } from '../orders/text.ts'
import { Beside } from './parts/beside.tsx'
import { Stale } from './parts/dialog.tsx'

const ROWS_EACH_SIDE = 12

const multiple = signal<bigint>(1n)

const step = computed(() => (rule.value?.tick ?? 1n) * multiple.value)

const sides = computed(() => ({
  asks: grouped(book.value.asks, step.value, 'asks').slice(0, ROWS_EACH_SIDE),
  bids: grouped(book.value.bids, step.value, 'bids').slice(0, ROWS_EACH_SIDE),
}))

/** What the reader's own orders have at each level, by side. */
const own = computed(() => {
  const found = { asks: new Map<bigint, bigint>(), bids: new Map<bigint, bigint>() }
  for (const order of orders.value) {
    if (order.symbol !== symbol.value || order.price === null) continue
    const side = order.side === 'BUY' ? 'bids' : 'asks'
    const at = levelAt(order.price, step.value, side)
    found[side].set(at, (found[side].get(at) ?? 0n) + order.size - order.executed)
  }
  return found
})

const deepest = computed(() => {
  const sums = [sides.value.asks.at(-1)?.sum ?? 0n, sides.value.bids.at(-1)?.sum ?? 0n]
  return sums.reduce((one, other) => (one > other ? one : other))
})

/** Both sides of the book with their sums; a click takes a price into the ticket. */
export function Book() {
  const { asks, bids } = sides.value
  const isEmpty = bookReading.value.data !== null && asks.length + bids.length === 0
  return (
    <section class="panel book" aria-label={M.book.title}>
      <div class="head">
        <Beside name="book" />
        <span class="end">
          <Stale reading={bookReading.value} afterMs={5000} />
          <Grouping />
        </span>
      </div>
      <div class="columns quiet">
        <span>{M.book.price}</span>
        <span>{M.book.size}</span>
        <span>{M.book.sum}</span>
      </div>
      {isEmpty ? (
        <p class="empty">{M.book.empty}</p>
      ) : (
        <div class="levels">
          <Side rows={asks.toReversed()} kind="down" />
          <Spread />
          <Side rows={bids} kind="up" />
        </div>
      )}
    </section>
  )
}

function Grouping() {
  const tick = rule.value?.tick ?? 0n
  return (
    <select
      aria-label={M.book.group}
      value={String(multiple.value)}
      onChange={(event) => {
        multiple.value = BigInt(event.currentTarget.value)
      }}
    >
      {GROUP_MULTIPLES.map((times) => (
        <option key={String(times)} value={String(times)}>
          {textOfExact(tick * times)}
        </option>
      ))}
    </select>
  )
}

function Side({
  rows,
  kind,
}: {
  readonly rows: readonly SummedLevel[]
  readonly kind: 'up' | 'down'
}) {
  return (
    <div class={`rows ${kind === 'up' ? 'bids' : 'asks'}`}>
      {rows.map((row) => (
        <Row key={String(row.price)} row={row} kind={kind} />
      ))}
    </div>
  )
}

function Row({ row, kind }: { readonly row: SummedLevel; readonly kind: 'up' | 'down' }) {
  const places = placesOf(rule.value?.quoteTick ?? '0.01')
  const sizePlaces = placesOf(rule.value?.baseTick ?? '0.01')
  const mine = own.value[kind === 'up' ? 'bids' : 'asks'].get(row.price)
  const share = deepest.value === 0n ? 0n : (row.sum * 100n) / deepest.value
  return (
    <button
      type="button"
      class={mine ? 'level own' : 'level'}
      tabIndex={-1}
      title={mine ? fill(M.book.own, { size: fixed(mine, sizePlaces) }) : M.book.take}
      style={{ '--share': `${share}%` }}
      data-price={textOfExact(row.price)}
      data-size={textOfExact(row.size)}
      onClick={() => take(row.price)}
    >
      <span class={kind}>{fixed(row.price, places)}</span>
      <span>{fixed(row.size, sizePlaces)}</span>
      <span class="quiet">{fixed(row.sum, sizePlaces)}</span>
    </button>
  )
}

function take(price: bigint): void {
  if (kind.peek() === 'STOP') triggerInput.value = inputText(price)
  else {
    priceInput.value = inputText(price)
    kind.value = 'LIMIT'
  }
}

function Spread() {
  const [ask, bid] = [book.value.asks[0], book.value.bids[0]]
  if (!ask || !bid) return <div class="spread quiet">{M.none}</div>
  const gap = ask.price - bid.price
  const places = placesOf(rule.value?.quoteTick ?? '0.01')
  return (
    <div class="spread quiet">
      <span>{M.book.spread}</span>
      <span>{fixed(gap, places)}</span>
      <span>{percent(divided(gap, ask.price), 3).replace('+', '')}</span>
    </div>
  )
}
