import { computed, effect, signal } from '@preact/signals'
import { clockTime, fixedText } from '../../common/format.ts'
import { STALE_MS } from '../feed/feed.ts'
import { decimalPlaces, recentTrades, symbol, tradesReading } from '../market/state.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { Stale } from './parts/dialog.tsx'
import { SidePanel } from './parts/side-panel.tsx'

/** The trades, each with a key that does not change when newer trades arrive. */
const keyed = computed(() => {
  const seen = new Map<string, number>()
  const rows = recentTrades.value.toReversed().map((trade) => {
    const { atMs, price, size } = trade
    const name = `${symbol.value} ${atMs} ${price} ${size}`
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return { ...trade, key: `${name} ${count}` }
  })
  return rows.toReversed()
})

type Opened = {
  readonly name: string
  readonly atMs: number
  readonly keys: ReadonlySet<string>
}

/** The shown market, and the keys of the trades that were already there when the market was opened. */
const opened = signal<Opened>({ name: '', atMs: 0, keys: new Set() })

effect(() => {
  const name = symbol.value
  if (opened.peek().name === name || tradesReading.value.data === null) return
  const keys = new Set(keyed.value.map(({ key }) => key))
  opened.value = { name, atMs: keyed.value[0]?.atMs ?? 0, keys }
})

/** Whether a trade was made after its market was opened. */
function isNew({ key, atMs }: { readonly key: string; readonly atMs: number }): boolean {
  const { name, atMs: sinceMs, keys } = opened.value
  return name === symbol.value && atMs >= sinceMs && !keys.has(key)
}

/** The public tape, newest first; a new trade flashes in the colour of its side. */
export function TradesPanel() {
  return (
    <section class="panel tape" aria-label={PAGE_TEXTS.tape.title}>
      <div class="head">
        <SidePanel name="tape" />
        <span class="end">
          <Stale reading={tradesReading.value} afterMs={STALE_MS.trades} />
        </span>
      </div>
      <div class="columns quiet">
        <span>{PAGE_TEXTS.book.price}</span>
        <span>{PAGE_TEXTS.book.size}</span>
        <span>{PAGE_TEXTS.tape.time}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key as well. */}
      <div class="scroll" tabIndex={0}>
        {keyed.value.map(({ key, side, price, size, atMs }) => (
          <div class={`columns ${isNew({ key, atMs }) ? `new ${side}` : ''}`} key={key}>
            <span class={side === 'BUY' ? 'up' : 'down'}>
              {fixedText(price, decimalPlaces.value.price)}
            </span>
            <span>{fixedText(size, decimalPlaces.value.size)}</span>
            <span class="quiet">{clockTime(atMs)}</span>
          </div>
        ))}
        {tradesReading.value.data !== null && recentTrades.value.length === 0 && (
          <p class="empty">{PAGE_TEXTS.tape.empty}</p>
        )}
      </div>
    </section>
  )
}
