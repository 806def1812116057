import { spanStart } from '../../../src/simulator/past/spans.ts'
import type { Match } from '../../../src/simulator/state/observer.ts'

/** A candle counted again from the trades themselves: prices in ticks, volume in steps, amount in micro-USDC. */
export type Recounted = {
  readonly startMs: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
  readonly amount: bigint
}

export function amountOf({ market, price, quantity }: Match): bigint {
  return BigInt(price) * BigInt(quantity) * BigInt(market.spec.unit)
}

export function recounted(matches: readonly Match[], spanMs: number): Recounted[] {
  const spans = Map.groupBy(matches, ({ atMs }) => spanStart(spanMs, atMs))
  return Array.from(spans, ([startMs, own]) => {
    const prices = own.map(({ price }) => price)
    return {
      startMs,
      open: prices[0] ?? 0,
      high: Math.max(...prices),
      low: Math.min(...prices),
      close: prices.at(-1) ?? 0,
      volume: own.reduce((sum, { quantity }) => sum + quantity, 0),
      amount: own.reduce((sum, match) => sum + amountOf(match), 0n),
    }
  })
}
