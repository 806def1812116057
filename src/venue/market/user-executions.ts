import type { Tick } from './feed.ts'
import type { Market } from './instruments.ts'
import type { TradeVisit } from './tape.ts'

/** The executions of users in one market, in memory, oldest first. */
export type UserExecutions = {
  readonly add: (tick: Tick) => void
  /** Visits those with fromMs <= atMs < toMs, oldest first. */
  readonly visit: (fromMs: number, toMs: number, visit: TradeVisit) => void
}

// Beyond this the oldest are forgotten, and the candles that are still computed from them shrink.
const KEPT_MAX = 10_000

/** Starts empty; whoever keeps the venue's history adds it again after a restart. */
export function createUserExecutions(market: Market): UserExecutions {
  const ticks: Tick[] = []
  return {
    add: (tick) => {
      ticks.splice(firstAt(ticks, tick.atMs + 1), 0, tick)
      if (ticks.length > KEPT_MAX) ticks.shift()
    },
    visit: (fromMs, toMs, visit) => {
      for (let at = firstAt(ticks, fromMs); at < ticks.length; at++) {
        const tick = ticks[at]
        if (tick === undefined || tick.atMs >= toMs) return
        const price = Number(tick.price / market.quoteTick)
        visit(tick.atMs, tick.side, price, Number(tick.quantity / market.baseTick))
      }
    },
  }
}

/** The position of the first tick at or after a time. */
function firstAt(ticks: readonly Tick[], atMs: number): number {
  let low = 0
  let high = ticks.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ticks[middle]?.atMs ?? atMs) < atMs) low = middle + 1
    else high = middle
  }
  return low
}
