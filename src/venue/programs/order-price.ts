import { DAY_MS } from '../../spec/durations.ts'
import { draw, stream } from '../market/price/chance.ts'

/** Micro-USDC for one ORDER, and how far a month's and a week's waves carry it away from that. */
const USUAL = 200_000
const WAVES = [
  { days: 30, reach: 60_000 },
  { days: 7, reach: 20_000 },
] as const

/** What one ORDER costs on a UTC day, micro-USDC: nobody trades it here, so it follows the seed alone. */
export function orderPriceOf(seed: number, day: number): number {
  return WAVES.reduce((price, wave) => price + waveAt(seed, day, wave), USUAL)
}

/** The price of ORDER at a time. */
export function orderPriceAt(seed: number, atMs: number): number {
  return orderPriceOf(seed, Math.floor(atMs / DAY_MS))
}

/** Straight from one random height to the next. */
function waveAt(seed: number, day: number, { days, reach }: (typeof WAVES)[number]): number {
  const source = stream(seed, 'order-price', String(days))
  const heightAt = (at: number) => Math.round((2 * draw(source, at) - 1) * reach)
  const from = Math.floor(day / days)
  const along = day - from * days
  return Math.round((heightAt(from) * (days - along) + heightAt(from + 1) * along) / days)
}
