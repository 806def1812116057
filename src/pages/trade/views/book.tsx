import { computed, signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ONE } from '../../../core/decimals.ts'
import { amountText, quotient } from '../../../perp/amounts.ts'
import { filledTemplate, finePercent, fixedText, unsignedPercent } from '../../common/format.ts'
import { keptSignal } from '../../common/kept.ts'
import { orders } from '../account/state.ts'
import { STALE_MS } from '../feed/feed.ts'
import {
  buyShare,
  GROUP_MULTIPLES,
  groupedLevels,
  levelAt,
  type SummedLevel,
} from '../market/book.ts'
import {
  book,
  bookReading,
  decimalPlaces,
  marketRule,
  recentTrades,
  shownMarket,
  symbol,
} from '../market/state.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { pickedPrice } from '../orders/switches.ts'
import { Stale } from './parts/dialog.tsx'
import { SidePanel } from './parts/side-panel.tsx'

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

const step = computed(() => (marketRule.value?.quoteTick ?? 1n) * multiple.value)

const sides = computed(() => ({
  asks: groupedLevels(book.value.asks, step.value, 'asks').slice(0, rowsEachSide.value),
  bids: groupedLevels(book.value.bids, step.value, 'bids').slice(0, rowsEachSide.value),
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
    <section class="panel book" aria-label={PAGE_TEXTS.book.title}>
      <div class="head">
        <SidePanel name="book" />
        <span class="end">
          <Grouping />
        </span>
      </div>
      <div class="columns quiet">
        <span>{PAGE_TEXTS.book.price}</span>
        <UnitChoice />
        <span>{PAGE_TEXTS.book.sum}</span>
      </div>
      {isEmpty ? <p class="empty">{PAGE_TEXTS.book.empty}</p> : <Levels asks={asks} bids={bids} />}
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
    <div class="balance" title={PAGE_TEXTS.book.balance} style={{ '--share': buy }}>
      <span class="up">
        {PAGE_TEXTS.side.BUY} {buy}
      </span>
      <span class="down">
        {sell} {PAGE_TEXTS.side.SELL}
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
      title={PAGE_TEXTS.book.unit}
      onClick={() => {
        isByValue.value = !isByValue.peek()
      }}
    >
      {PAGE_TEXTS.book.size} {name} ⇄
    </button>
  )
}

function Grouping() {
  const tick = marketRule.value?.quoteTick ?? 0n
  return (
    <select
      aria-label={PAGE_TEXTS.book.group}
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
  const sized = (amount: bigint) => fixedText(amount, decimalPlaces.value.size)
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
      title={
        mine ? filledTemplate(PAGE_TEXTS.book.own, { size: sized(mine) }) : PAGE_TEXTS.book.take
      }
      style={{ '--share': `${share}%` }}
      data-price={amountText(row.price)}
      data-size={amountText(row.quantity)}
      onClick={() => {
        pickedPrice.value = row.price
      }}
    >
      <span class={kind}>{fixedText(row.price, decimalPlaces.value.price)}</span>
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
  const gap =
    ask && bid ? finePercent(quotient(ask.price - bid.price, ask.price, 'half')) : PAGE_TEXTS.none
  return (
    <div class="between">
      {last ? (
        <b class={last.side === 'BUY' ? 'up' : 'down'} title={PAGE_TEXTS.book.last}>
          {last.side === 'BUY' ? '↑' : '↓'} {fixedText(last.price, decimalPlaces.value.price)}
        </b>
      ) : (
        <b>{PAGE_TEXTS.none}</b>
      )}
      <Stale reading={bookReading.value} afterMs={STALE_MS.book} />
      <span class="quiet" title={PAGE_TEXTS.stats.mark}>
        {mark ? fixedText(mark, decimalPlaces.value.price) : PAGE_TEXTS.none}
      </span>
      <span class="quiet" title={PAGE_TEXTS.book.spread}>
        {gap}
      </span>
    </div>
  )
}
