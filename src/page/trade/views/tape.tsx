import { clockTime, fixed, placesOf } from '../../common/format.ts'
import { rule, trades, tradesReading } from '../market/state.ts'
import { M } from '../messages/page.ts'
import { Beside } from './parts/beside.tsx'
import { Stale } from './parts/dialog.tsx'

/** The public tape, newest first. */
export function Tape() {
  const places = placesOf(rule.value?.quoteTick ?? '0.01')
  const sizePlaces = placesOf(rule.value?.baseTick ?? '0.01')
  return (
    <section class="panel tape" aria-label={M.tape.title}>
      <div class="head">
        <Beside name="tape" />
        <span class="end">
          <Stale reading={tradesReading.value} afterMs={15_000} />
        </span>
      </div>
      <div class="columns quiet">
        <span>{M.book.price}</span>
        <span>{M.book.size}</span>
        <span>{M.tape.time}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by key as well. */}
      <div class="scroll" tabIndex={0}>
        {trades.value.map(({ side, price, size, atMs }, at) => (
          <div class="columns" key={`${atMs} ${price} ${size} ${at}`}>
            <span class={side === 'BUY' ? 'up' : 'down'}>{fixed(price, places)}</span>
            <span>{fixed(size, sizePlaces)}</span>
            <span class="quiet">{clockTime(atMs)}</span>
          </div>
        ))}
        {tradesReading.value.data !== null && trades.value.length === 0 && (
          <p class="empty">{M.tape.empty}</p>
        )}
      </div>
    </section>
  )
}
