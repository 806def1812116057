import { isObject, type Row } from '../core/json.ts'
import { toAmount } from './amounts.ts'

/**
 * A market's rules for orders, as amounts; null for a bound that the venue does not set. A price must be a multiple of
 * `quoteTick`, a quantity a multiple of `baseTick`.
 */
export type MarketRules = {
  readonly symbol: string
  readonly maxLeverage: number
  readonly quoteTick: bigint
  readonly quoteMin: bigint
  readonly quoteMax: bigint | null
  readonly baseTick: bigint
  readonly baseMin: bigint
  readonly baseMax: bigint | null
  /** The smallest value of an order in USDC. */
  readonly minNotional: bigint
  /** How far an order may execute beyond the mark price (above for a BUY), as a fraction of the mark price. */
  readonly priceRange: bigint | null
  /** How far a limit price may be from the mark price on the passive side, as a fraction of the mark price. */
  readonly priceScope: bigint | null
  /** The lowest initial and maintenance margin rates, as fractions. */
  readonly baseImr: bigint
  readonly baseMmr: bigint
}

/** Parses one row of `GET /api/prep/market-rules`. Numbers may be strings, and 0 means no bound. */
export function toMarketRules(row: Row): MarketRules {
  const info = isObject(row['info']) ? row['info'] : {}
  const value = (field: string) => toAmount(info[field]) ?? 0n
  const bound = (field: string) => value(field) || null
  return {
    symbol: String(row['symbol'] ?? ''),
    maxLeverage: Number(row['maxLeverage']) || 1,
    quoteTick: value('quote_tick'),
    quoteMin: value('quote_min'),
    quoteMax: bound('quote_max'),
    baseTick: value('base_tick'),
    baseMin: value('base_min'),
    baseMax: bound('base_max'),
    minNotional: value('min_notional'),
    priceRange: bound('price_range'),
    priceScope: bound('price_scope'),
    baseImr: value('base_imr'),
    baseMmr: value('base_mmr'),
  }
}
