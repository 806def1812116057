import { DAY_MS } from '../../spec/durations.ts'
import { worthOf } from '../units.ts'
import type { Market } from './instruments.ts'
import { draw, stream } from './price/chance.ts'
import type { SeededFeed } from './seeded-feed.ts'

/** One seeded position that liquidators take over. `quantity` is signed: below zero, a short. */
export type Liquidation = {
  readonly id: number
  readonly atMs: number
  readonly market: Market
  readonly quantity: bigint
  readonly price: bigint
  /** USDC with six decimals. */
  readonly notional: bigint
}

/** When and in which market, without what costs more to compute. */
export type LiquidationMoment = Pick<Liquidation, 'id' | 'atMs' | 'market'>

/** The trickle of seeded liquidations, as it was before genesis. */
export type Liquidations = {
  /** Those with fromMs <= atMs < toMs, newest first, none older than a month. */
  readonly moments: (fromMs: number, toMs: number, nowMs: number) => readonly LiquidationMoment[]
  readonly complete: (moment: LiquidationMoment) => Liquidation
}

const SLOT_MS = 600_000
const HISTORY_MS = 30 * DAY_MS
const NOTIONAL_MIN_USDC = 150
const NOTIONAL_MAX_USDC = 25_000

/** Somewhere in every ten minutes one position is liquidated, in a market drawn at random. */
export function createLiquidations(feed: SeededFeed): Liquidations {
  const markets = [...feed.instruments.values()]
  const moments = stream(feed.seed, 'liquidation', 'moment')
  const choices = stream(feed.seed, 'liquidation', 'market')
  const sizes = stream(feed.seed, 'liquidation', 'size')
  const sides = stream(feed.seed, 'liquidation', 'side')

  return {
    moments: (fromMs, toMs, nowMs) => {
      const found: LiquidationMoment[] = []
      const end = Math.min(toMs, nowMs + 1)
      const start = Math.max(fromMs, nowMs - HISTORY_MS)
      for (let id = Math.floor(end / SLOT_MS); id >= Math.floor(start / SLOT_MS); id--) {
        const atMs = id * SLOT_MS + Math.floor(draw(moments, id) * SLOT_MS)
        const market = markets[Math.floor(draw(choices, id) * markets.length)]
        if (market && atMs >= start && atMs < end) found.push({ id, atMs, market })
      }
      return found
    },
    complete: (moment) => {
      const { id, atMs, market } = moment
      const price = feed.mark(market.symbol, atMs)
      const usdc = NOTIONAL_MIN_USDC * (NOTIONAL_MAX_USDC / NOTIONAL_MIN_USDC) ** draw(sizes, id)
      const steps = Math.ceil(usdc / (Number(price / market.quoteTick) * market.unitUsdc))
      const size = BigInt(steps) * market.baseTick
      const quantity = draw(sides, id) < 0.5 ? size : -size
      return { ...moment, quantity, price, notional: worthOf(price, size) }
    },
  }
}
