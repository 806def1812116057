import type { TapeFigure, TapeMarket } from '../../tape/records.ts'
import type { MarketSpec } from '../state/market-spec.ts'
import { BUY, type Side } from '../state/state.ts'
import type { Ratio, Scale } from '../state/tape.ts'

/** Ticks and steps have eight decimals. */
const DECIMALS = 8

/** The scale of a market's recorded figures. */
export function scaleOf(
  { priceDecimals, quantityDecimals }: Pick<TapeMarket, 'priceDecimals' | 'quantityDecimals'>,
  { tick, step }: MarketSpec,
): Scale {
  return { price: ratio(priceDecimals, tick), quantity: ratio(quantityDecimals, step) }
}

function ratio(decimals: number, unit: number): Ratio {
  return decimals <= DECIMALS
    ? { times: 10 ** (DECIMALS - decimals), by: unit }
    : { times: 1, by: unit * 10 ** (decimals - DECIMALS) }
}

/** The tick of a recorded price; between two ticks that of a worse price for its owner. */
export function tickOf({ price: { times, by } }: Scale, side: Side, price: number): number {
  const ticks = (price * times) / by
  return side === BUY ? Math.floor(ticks) : Math.ceil(ticks)
}

/** The whole steps of a recorded quantity. */
export function stepsOf({ quantity: { times, by } }: Scale, quantity: number): number {
  return Math.floor((quantity * times) / by)
}

/** A recorded price in ticks, with a fraction. */
export function ticksOf({ value, decimals }: TapeFigure, { tick }: MarketSpec): number {
  const { times, by } = ratio(decimals, tick)
  return (value * times) / by
}
