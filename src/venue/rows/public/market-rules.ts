import type { MarketStatus } from '../../engine/market-spec.ts'
import { scaledOf } from '../../market/decimal-text.ts'
import type { Market } from '../../market/instruments.ts'
import { ONE } from '../../units.ts'
import { fixed } from '../../wire/number.ts'

const INTEREST_RATE = '0.0001'
const INTEREST_BOUND = '0.0004'
const RULES_UPDATED_AT_MS = 1_777_000_000_000

/** What the public rows of a market begin with. */
export function identityOf({ symbol, base, listedBy }: Market, status: MarketStatus) {
  return {
    symbol,
    display_symbol_name: base,
    status,
    broker_id: listedBy,
    is_pretge: false,
  }
}

/** A market's row of `/v1/public/info`. */
export function rulesOf(market: Market, status: MarketStatus) {
  const { tier } = market
  const deviation = BigInt(tier.deviationFactor) * market.capFunding
  return {
    ...identityOf(market, status),
    quote_min: fixed(market.quoteMin),
    quote_max: fixed(market.quoteMax),
    quote_tick: fixed(market.quoteTick),
    base_min: fixed(market.baseMin),
    base_max: fixed(market.baseMax),
    base_tick: fixed(market.baseTick),
    min_notional: Number(market.minNotional / 1_000_000n),
    price_range: fixed(market.priceRange),
    price_scope: fixed(market.priceScope),
    std_liquidation_fee: fixed(scaledOf(tier.liquidationFee)),
    liquidator_fee: fixed(scaledOf(tier.liquidatorFee)),
    claim_insurance_fund_discount: fixed(scaledOf(tier.claimDiscount)),
    funding_period: market.fundingPeriodHours,
    cap_funding: fixed(market.capFunding),
    floor_funding: fixed(market.floorFunding),
    cap_ir: fixed(scaledOf(INTEREST_BOUND)),
    floor_ir: fixed(-scaledOf(INTEREST_BOUND)),
    interest_rate: fixed(scaledOf(INTEREST_RATE)),
    imr_factor: market.imrFactor,
    created_time: market.createdAtMs,
    updated_time: RULES_UPDATED_AT_MS,
    base_mmr: fixed(market.baseMmr),
    base_imr: fixed(market.baseImr),
    liquidation_tier: tier.liquidationTier,
    global_max_oi_cap: tier.openInterestMaxUsdc,
    mark_index_price_deviation_floor: fixed(ONE - deviation),
    mark_index_price_deviation_cap: fixed(ONE + deviation),
    deviation_factor: tier.deviationFactor,
  }
}
