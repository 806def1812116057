import { MINUTE_MS } from '../../spec/durations.ts'
import type { Tick } from './feed.ts'
import type { Market } from './instruments.ts'
import { draw, stream } from './price/chance.ts'
import { BUCKET_MS } from './price/path.ts'
import type { SeededTouch } from './seeded-touch.ts'

/** Receives one trade: price in ticks, quantity in steps. Plain numbers, because a day has hundreds of thousands. */
export type TradeVisit = (atMs: number, side: Tick['side'], price: number, quantity: number) => void

/** Visits the seeded trades with fromMs <= atMs < toMs, oldest first. */
export type Tape = (fromMs: number, toMs: number, visit: TradeVisit) => void

const KEYS_PER_MINUTE = 16

/**
 * The seeded trades of a market. Each minute is cut into equal slots with one trade somewhere in each, so every minute
 * trades, in order. A trade takes part of the best quantity of its bucket: a tenth of it up to all.
 */
export function createTape(market: Market, seed: number, touch: SeededTouch): Tape {
  const counts = stream(seed, 'counts', market.symbol)
  const moments = stream(seed, 'moments', market.symbol)
  const takes = stream(seed, 'takes', market.symbol)
  const { tradesPerMinute } = market.tier

  function trade(key: number, atMs: number, visit: TradeVisit): void {
    const bucket = Math.floor(atMs / BUCKET_MS)
    // One draw decides both: which half it falls in is the side, where in that half is the share taken.
    const chance = 2 * draw(takes, key)
    const side = chance < 1 ? 'BUY' : 'SELL'
    const price = touch.price(bucket, side)
    const take = 0.1 + 0.9 * (chance % 1)
    visit(atMs, side, price, Math.ceil(touch.quantity(bucket, side, price) * take))
  }

  function minute(number: number, fromMs: number, toMs: number, visit: TradeVisit): void {
    const count = tradesPerMinute - 1 + Math.floor(draw(counts, number) * 3)
    const slotMs = Math.floor(MINUTE_MS / count)
    for (let slot = 0; slot < count; slot++) {
      const key = number * KEYS_PER_MINUTE + slot
      const atMs = number * MINUTE_MS + Math.floor((slot + draw(moments, key)) * slotMs)
      if (atMs >= fromMs && atMs < toMs) trade(key, atMs, visit)
    }
  }

  return function tape(fromMs, toMs, visit) {
    const end = Math.ceil(toMs / MINUTE_MS)
    for (let number = Math.floor(fromMs / MINUTE_MS); number < end; number++) {
      minute(number, fromMs, toMs, visit)
    }
  }
}
