import { computed, signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ONE } from '../../../core/decimals.ts'
import { amountText, divided } from '../../../perp/amounts.ts'
import { fill, finePercent, fixedText, unsignedPercent } from '../../common/format.ts'
import { keptSignal } from '../../common/kept.ts'
import { orders } from '../account/state.ts'
import { STALE_MS } from '../feed/feed.ts'
import { buyShare, GROUP_MULTIPLES, grouped, levelAt, type SummedLevel } from '../market/book.ts'
import {
  book,
  bookReading,
  places,
  recentTrades,
  rule,
  shownMarket,
  symbol,
} from '../market/state.ts'
import { M } from '../messages/page.ts'
import { pickedPrice } from '../orders/switches.ts'
import { Beside } from './parts/beside.tsx'
import { Stale } from './parts/dialog.tsx'

/**
 * The number of rows that fit on each side. `ROW_PX` is the height of a row, `BETWEEN_PX` the height of the space
 * between the sides.
 */
const rowsEachSide = signal(12)
const ROW_PX = 19
const BETWEEN_PX = 34

/** Whether sizes are shown by value instead of in the base asset. */
const isByValue = keptSignal(
  'book-unit',
  (text) => text === 'quote',
  (value) => (value ? 'quote' : 'base'),
)

const multiple = signal<bigint>(1n)

const step = computed(() => (rule.value?.quoteTick ?? 1n) * multiple.value)

const sides = computed(() => ({
  asks: grouped(book.value.asks, step.value, 'asks').slice(0, rowsEachSide.value),
  bids: grouped(book.value.bids, step.value, 'bids').slice(0, rowsEachSide.value),
}))

/** The open size of the user's own orders at each level, by side. */
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

/** Both sides of the book with their sums; a click puts a price into the ticket. */
export function BookPanel() {
  const { asks, bids } = sides.value
  const isEmpty = bookReading.value.data !== null && asks.length + bids.length === 0
  return (
    <section class="panel book" aria-label={M.book.title}>
      <div class="head">
        <Beside name="book" />
        <span class="end">
          <Grouping />
        </span>
      </div>
      <div class="columns quiet">
        <span>{M.book.price}</span>
        <UnitChoice />
        <span>{M.book.sum}</span>
      </div>
      {isEmpty ? <p class="empty">{M.book.empty}</p> : <Levels asks={asks} bids={bids} />}
    </section>
  )
}

type Sides = { readonly asks: readonly SummedLevel[]; readonly bids: readonly SummedLevel[] }

/** The levels that fit, with the last price between the sides, and each side's share. */
function Levels({ asks, bids }: Sides) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => {
      const room = (entry?.contentRect.height ?? 0) - BETWEEN_PX
      rowsEachSide.value = Math.max(3, Math.floor(room / 2 / ROW_PX))
    })
    if (element.current) watch.observe(element.current)
    return () => watch.disconnect()
  }, [])
  return (
    <>
      <div class="levels" ref={element}>
        <Side rows={asks.toReversed()} kind="down" />
        <Between />
        <Side rows={bids} kind="up" />
      </div>
      <Balance share={buyShare(asks, bids)} />
    </>
  )
}

/** The share of buyers in the value of both sides. */
function Balance({ share }: { readonly share: bigint | null }) {
  if (share === null) return null
  const [buy, sell] = [share, ONE - share].map((part) => unsignedPercent(part, 0))
  return (
    <div class="balance" title={M.book.balance} style={{ '--share': buy }}>
      <span class="up">
        {M.side.BUY} {buy}
      </span>
      <span class="down">
        {sell} {M.side.SELL}
      </span>
    </div>
  )
}

/** The button that shows the unit of sizes and switches to the other unit. */
function UnitChoice() {
  const name = isByValue.value ? 'USDC' : (shownMarket.value?.base ?? '')
  return (
    <button
      type="button"
      class="plain"
      title={M.book.unit}
      onClick={() => {
        isByValue.value = !isByValue.peek()
      }}
    >
      {M.book.size} {name} ⇄
    </button>
  )
}

function Grouping() {
  const tick = rule.value?.quoteTick ?? 0n
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
          {amountText(tick * times)}
        </option>
      ))}
    </select>
  )
}

type Kind = { readonly kind: 'up' | 'down' }

function Side({ rows, kind }: Kind & { readonly rows: readonly SummedLevel[] }) {
  return (
    <div class={`rows ${kind === 'up' ? 'bids' : 'asks'}`}>
      {rows.map((row) => (
        <Row key={String(row.price)} row={row} kind={kind} />
      ))}
    </div>
  )
}

function Row({ row, kind }: Kind & { readonly row: SummedLevel }) {
  const sized = (amount: bigint) => fixedText(amount, places.value.size)
  const mine = own.value[kind === 'up' ? 'bids' : 'asks'].get(row.price)
  const share = deepest.value === 0n ? 0n : (row.sum * 100n) / deepest.value
  const { quantity, sum, value, valueSum } = row
  const shown = isByValue.value
    ? [fixedText(value, 0), fixedText(valueSum, 0)]
    : [sized(quantity), sized(sum)]
  return (
    <button
      type="button"
      class={mine ? 'level own' : 'level'}
      tabIndex={-1}
      title={mine ? fill(M.book.own, { size: sized(mine) }) : M.book.take}
      style={{ '--share': `${share}%` }}
      data-price={amountText(row.price)}
      data-size={amountText(row.quantity)}
      onClick={() => {
        pickedPrice.value = row.price
      }}
    >
      <span class={kind}>{fixedText(row.price, places.value.price)}</span>
      <span>{shown[0]}</span>
      <span class="quiet">{shown[1]}</span>
    </button>
  )
}

/** The last price in the taker's colour, the book's age if it is stale, the mark price, and the spread. */
function Between() {
  const [ask, bid] = [book.value.asks[0], book.value.bids[0]]
  const [last] = recentTrades.value
  const mark = shownMarket.value?.mark
  const gap = ask && bid ? finePercent(divided(ask.price - bid.price, ask.price, 'half')) : M.none
  return (
    <div class="between">
      {last ? (
        <b class={last.side === 'BUY' ? 'up' : 'down'} title={M.book.last}>
          {last.side === 'BUY' ? '↑' : '↓'} {fixedText(last.price, places.value.price)}
        </b>
      ) : (
        <b>{M.none}</b>
      )}
      <Stale reading={bookReading.value} afterMs={STALE_MS.book} />
      <span class="quiet" title={M.stats.mark}>
        {mark ? fixedText(mark, places.value.price) : M.none}
      </span>
      <span class="quiet" title={M.book.spread}>
        {gap}
      </span>
    </div>
  )
}
