import { HOUR_MS } from '../../contract/durations.ts'
import type { Rounding } from '../../core/decimals.ts'
import { parseScaled } from '../base/decimals.ts'
import { createPriceSet } from '../base/price-set.ts'
import { createPriceTable } from '../base/price-table.ts'
import { MICRO, RATE_ONE, safeMulDiv } from '../base/units.ts'
import type { Market as Listed } from '../listing/instruments.ts'
import { baseRateNotionalMax } from './margin-rates.ts'
import type { MarketSpec } from './market-spec.ts'
import { BUY, type EngineMarket, type Ladder, SELL, type SideSign } from './state.ts'

const VALUE_PER_MICRO = 10_000_000_000

/** The engine's rules for a listed market. */
export function marketSpec(listed: Listed): MarketSpec {
  const { quoteTick, baseTick, tier } = listed
  const rates = { baseImr: Number(listed.baseImr), imrFactor: listed.imrFactor }
  return {
    ...rates,
    growsFrom: baseRateNotionalMax(rates),
    symbol: listed.symbol,
    unit: Number((quoteTick * baseTick) / BigInt(VALUE_PER_MICRO)),
    tick: Number(quoteTick),
    step: Number(baseTick),
    priceMin: Number(listed.quoteMin / quoteTick),
    priceMax: Number(listed.quoteMax / quoteTick),
    quantityMin: Number(listed.baseMin / baseTick),
    quantityMax: Number(listed.baseMax / baseTick),
    notionalMin: Number(listed.minNotional),
    priceRange: Number(listed.priceRange),
    priceScope: Number(listed.priceScope),
    baseMmr: Number(listed.baseMmr),
    openInterestMax: tier.openInterestMaxUsdc * MICRO,
    fundingPeriodMs: listed.fundingPeriodHours * HOUR_MS,
    fundingCap: Number(listed.capFunding),
    markDeviation: tier.deviationFactor * Number(listed.capFunding),
    liquidationFee: Number(parseScaled(tier.liquidationFee)),
    liquidatorFee: Number(parseScaled(tier.liquidatorFee)),
    liquidationTier: tier.liquidationTier,
    isRwa: tier.isRwa === true,
  }
}

/** A market without trades, at a price in ticks. */
export function openMarket(
  number: number,
  spec: MarketSpec,
  price: number,
  status: EngineMarket['status'] = 'ACTIVE',
): EngineMarket {
  return {
    number,
    spec,
    book: { bids: createLadder(BUY), asks: createLadder(SELL) },
    holders: new Set(),
    armed: new Set(),
    idleLow: 0,
    idleHigh: Number.POSITIVE_INFINITY,
    status,
    isAway: false,
    index: price,
    mark: price,
    stamp: 0,
    last: price,
    openInterest: 0,
    safeLow: 0,
    safeHigh: Number.POSITIVE_INFINITY,
    sumUnitary: 0,
  }
}

function createLadder(side: SideSign): Ladder {
  return { side, prices: createPriceSet(), levels: createPriceTable(), best: null, orders: 0 }
}

/** The exact notional of a quantity at a price, in micro-USDC. */
export function notionalAt({ unit }: MarketSpec, price: number, quantity: number): number {
  return price * quantity * unit
}

/** A price in ticks moved up (+1) or down (-1) by a rate, rounded towards the original price. */
export function movedPrice(price: number, direction: 1 | -1, rate: number): number {
  const exact = (price * (RATE_ONE + direction * rate)) / RATE_ONE
  return direction === 1 ? Math.floor(exact) : Math.ceil(exact)
}

/** The notional of a quantity at a price with eight decimals, in micro-USDC. */
export function unitaryNotional(
  { step }: MarketSpec,
  price: number,
  quantity: number,
  rounding: Rounding,
): number {
  return step >= VALUE_PER_MICRO
    ? price * quantity * (step / VALUE_PER_MICRO)
    : safeMulDiv(price, quantity, VALUE_PER_MICRO / step, rounding)
}
