import { DAY_MS } from '../../spec/durations.ts'
import { scaledOf } from './decimal-text.ts'
import type { Instrument } from './feed.ts'
import {
  BUILDER_LISTINGS,
  MARKET_LINES,
  type MarketLine,
  REDUCE_ONLY_BASES,
  TIERS,
  type Tier,
} from './listings.ts'

/** An instrument, and what only the seeded world and the public rows need to know of it. */
export type Market = Instrument & {
  readonly tier: Tier
  readonly status: 'ACTIVE' | 'REDUCE_ONLY'
  /** The builder who listed it for itself; null for the markets that all share. */
  readonly listedBy: string | null
  /** The price its path winds around, in ticks. */
  readonly referenceTicks: number
  /** The USDC value of one tick times one step of quantity. */
  readonly unitUsdc: number
  readonly dailyTurnoverUsdc: number
  readonly createdAtMs: number
}

const FIRST_LISTED_AT_MS = 1_684_108_800_000
const LISTING_EVERY_MS = 6 * DAY_MS

/** Every market by symbol, in the order of the table. */
export const MARKETS: ReadonlyMap<string, Market> = new Map(
  MARKET_LINES.map(marketOf).map((market) => [market.symbol, market]),
)

function marketOf(line: MarketLine, position: number): Market {
  const [base, tierName, price, quoteTickText, baseTickText, baseMax, hours, millions] = line
  const tier = TIERS[tierName]
  const builder = BUILDER_LISTINGS.get(base) ?? null
  const quoteTick = scaledOf(quoteTickText)
  const baseTick = scaledOf(baseTickText)
  return {
    symbol: `PERP_${base}_USDC${builder === null ? '' : `_${builder}`}`,
    base,
    quoteTick,
    quoteMin: 0n,
    quoteMax: quoteTick * 10_000_000n,
    baseTick,
    baseMin: baseTick,
    baseMax: scaledOf(baseMax),
    minNotional: 10_000_000n,
    priceRange: scaledOf('0.03'),
    priceScope: scaledOf('0.4'),
    baseImr: scaledOf(tier.baseImr),
    baseMmr: scaledOf(tier.baseMmr),
    imrFactor: line[8] ?? tier.imrFactor,
    fundingPeriodHours: hours,
    capFunding: scaledOf(tier.capFunding),
    floorFunding: -scaledOf(tier.capFunding),
    tier,
    status: REDUCE_ONLY_BASES.has(base) ? 'REDUCE_ONLY' : 'ACTIVE',
    listedBy: builder,
    referenceTicks: Number(scaledOf(price) / quoteTick),
    unitUsdc: Number(quoteTick * baseTick) / 1e16,
    dailyTurnoverUsdc: millions * 1_000_000,
    createdAtMs: FIRST_LISTED_AT_MS + position * LISTING_EVERY_MS,
  }
}
