import { exactNumber, formatDecimal } from '../../core/decimals.ts'
import { type Row, toFloat } from '../../core/json.ts'
import { VALUE_PER_MICRO } from '../base/decimals.ts'
import type { Market } from './instruments.ts'

/** A market of a live venue: its row of rules and its row of prices. */
export type LiveMarket = { readonly rules: Row; readonly prices: Row }

const SCALE = 8
const MICRO_SCALE = 6
const PERCENT = 1_000_000n
const SYMBOL = /^PERP_([A-Z0-9]{1,20})_USDC$/
/**
 * The engine's books hold prices below 32 million ticks. A market starts at no more than half of this maximum, so that
 * its price can rise.
 */
const TICKS_MAX = 32_000_000n
const TICKS_BEGIN_MAX = 16_000_000

/** Values for rules that a live row leaves out. */
const DEFAULTS = {
  minNotional: 10_000_000n,
  priceRange: 3n * PERCENT,
  priceScope: 40n * PERCENT,
  capFunding: PERCENT,
  imrFactor: 0.000002,
  fundingHours: 8,
  openInterestMaxUsdc: 100_000_000,
  deviationFactor: 10,
  liquidationFee: PERCENT,
  liquidatorFee: PERCENT / 2n,
  claimDiscount: PERCENT / 5n,
} as const

/** The engine's market for a live venue's rules; null if the engine cannot represent the rules exactly. */
export function marketOfRules({ rules, prices }: LiveMarket): Market | null {
  const [, base] = SYMBOL.exec(String(rules['symbol'])) ?? []
  const index = liveIndexPrice(prices)
  const steps = tickRules(rules)
  if (base === undefined || index === null || steps === null) return null
  const { quoteTick, baseTick } = steps
  const referenceTicks = Math.round((index * 10 ** SCALE) / Number(quoteTick))
  if (referenceTicks < 1 || referenceTicks > TICKS_BEGIN_MAX) return null
  return {
    ...steps,
    ...{ base, referenceTicks, ...priceRules(rules, quoteTick), ...limitRules(rules, baseTick) },
    symbol: String(rules['symbol']),
    fundingPeriodHours: toFundingPeriod(rules),
    status: isActive(rules) ? 'ACTIVE' : 'REDUCE_ONLY',
    tier: tierRules(rules),
    listedBy: null,
    unitUsdc: Number(quoteTick * baseTick) / 1e16,
    dailyTurnoverUsdc: Math.max(1, numberIn(prices, '24h_amount', 1)),
    createdAtMs: numberIn(rules, 'created_time', 0),
  }
}

function isActive({ status }: Row): boolean {
  return status === undefined || status === 'ACTIVE'
}

function priceRules(rules: Row, quoteTick: bigint) {
  const bound = quoteTick * TICKS_MAX
  const quoteMax = rateIn(rules, 'quote_max', bound)
  return {
    quoteMin: rateIn(rules, 'quote_min', 0n),
    quoteMax: quoteMax > 0n && quoteMax < bound ? quoteMax : bound,
    priceRange: rateIn(rules, 'price_range', DEFAULTS.priceRange),
    priceScope: rateIn(rules, 'price_scope', DEFAULTS.priceScope),
  }
}

function limitRules(rules: Row, baseTick: bigint) {
  const capFunding = rateIn(rules, 'cap_funding', DEFAULTS.capFunding)
  return {
    baseMin: rateIn(rules, 'base_min', baseTick),
    minNotional: exactNumber(rules['min_notional'], MICRO_SCALE) ?? DEFAULTS.minNotional,
    imrFactor: numberIn(rules, 'imr_factor', DEFAULTS.imrFactor),
    capFunding,
    floorFunding: rateIn(rules, 'floor_funding', -capFunding),
  }
}

/** The live index price in USDC, otherwise the mark price; null if the row has neither. */
export function liveIndexPrice(prices: LiveMarket['prices']): number | null {
  const index = toFloat(prices['index_price']) ?? toFloat(prices['mark_price'])
  return index !== undefined && index > 0 ? index : null
}

/** Ticks and margin rates; null if one tick × one step is not a whole number of micro-USDC. */
function tickRules(rules: Row) {
  const [quoteTick, baseTick] = [ruleRate(rules, 'quote_tick'), ruleRate(rules, 'base_tick')]
  const [baseImr, baseMmr] = [ruleRate(rules, 'base_imr'), ruleRate(rules, 'base_mmr')]
  const baseMax = ruleRate(rules, 'base_max')
  if (!quoteTick || !baseTick || !baseImr || !baseMmr || !baseMax) return null
  const isPositive = [quoteTick, baseTick, baseImr, baseMmr, baseMax].every((value) => value > 0n)
  const isWhole = (quoteTick * baseTick) % VALUE_PER_MICRO === 0n
  return isPositive && isWhole ? { quoteTick, baseTick, baseImr, baseMmr, baseMax } : null
}

const PERIODS = [1, 4, 8] as const

function toFundingPeriod(rules: Row): Market['fundingPeriodHours'] {
  const hours = numberIn(rules, 'funding_period', DEFAULTS.fundingHours)
  return PERIODS.find((period) => period >= hours) ?? DEFAULTS.fundingHours
}

function tierRules(rules: Row): Market['tier'] {
  const text = (name: string, otherwise: bigint) =>
    formatDecimal(rateIn(rules, name, otherwise), SCALE)
  return {
    liquidationFee: text('std_liquidation_fee', DEFAULTS.liquidationFee),
    liquidatorFee: text('liquidator_fee', DEFAULTS.liquidatorFee),
    claimDiscount: text('claim_insurance_fund_discount', DEFAULTS.claimDiscount),
    deviationFactor: numberIn(rules, 'deviation_factor', DEFAULTS.deviationFactor),
    liquidationTier: rules['liquidation_tier'] === 1 ? 1 : 2,
    openInterestMaxUsdc: numberIn(rules, 'global_max_oi_cap', DEFAULTS.openInterestMaxUsdc),
    dailyVolatility: 0.02,
    bboDistanceMax: 0.0002,
    tradesPerMinute: 3,
  }
}

function numberIn(row: Row, name: string, otherwise: number): number {
  return toFloat(row[name]) ?? otherwise
}

function rateIn(rules: Row, name: string, otherwise: bigint): bigint {
  return ruleRate(rules, name) ?? otherwise
}

function ruleRate(rules: Row, name: string): bigint | null {
  return exactNumber(rules[name], SCALE)
}
