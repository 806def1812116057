import type { OnTrade } from './tape.ts'

/** The trades in a span: prices in ticks, volume in steps, amount in ticks × steps, and the number of trades. */
export type Bar = {
  firstAtMs: number
  lastAtMs: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  amount: number
  count: number
}

/** A bar without trades. */
export function emptyBar(): Bar {
  return {
    firstAtMs: Number.POSITIVE_INFINITY,
    lastAtMs: Number.NEGATIVE_INFINITY,
    open: 0,
    high: Number.NEGATIVE_INFINITY,
    low: Number.POSITIVE_INFINITY,
    close: 0,
    volume: 0,
    amount: 0,
    count: 0,
  }
}

/** Returns a function that adds each trade to the bar. */
export function intoBar(bar: Bar): OnTrade {
  return (atMs, _side, price, quantity) => foldTrade(bar, atMs, price, quantity)
}

/**
 * Adds a trade to a bar. Of two trades at the same time, the trade added first opens the bar, and the trade added last
 * closes it.
 */
export function foldTrade(bar: Bar, atMs: number, price: number, quantity: number): void {
  if (atMs < bar.firstAtMs) {
    bar.firstAtMs = atMs
    bar.open = price
  }
  if (atMs >= bar.lastAtMs) {
    bar.lastAtMs = atMs
    bar.close = price
  }
  if (price > bar.high) bar.high = price
  if (price < bar.low) bar.low = price
  bar.volume += quantity
  bar.amount += price * quantity
  bar.count += 1
}

/** Adds `bar` to `into`, with the same result as adding the trades of `bar` one by one. */
export function mergeBar(into: Bar, bar: Bar): void {
  if (bar.firstAtMs < into.firstAtMs) {
    into.firstAtMs = bar.firstAtMs
    into.open = bar.open
  }
  if (bar.lastAtMs >= into.lastAtMs) {
    into.lastAtMs = bar.lastAtMs
    into.close = bar.close
  }
  into.high = Math.max(into.high, bar.high)
  into.low = Math.min(into.low, bar.low)
  into.volume += bar.volume
  into.amount += bar.amount
  into.count += bar.count
}
