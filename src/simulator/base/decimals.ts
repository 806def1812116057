import { formatDecimal, parseDecimal } from '../../core/decimals.ts'

/** Prices, quantities and ratios have eight decimals, USDC amounts six, and price × quantity sixteen. */
export const DECIMAL_ONE = 100_000_000n

/** One micro-USDC in units of price × quantity, which have sixteen decimals. */
export const VALUE_PER_MICRO = 10_000_000_000n

const SCALE = 8

/** The number of decimal places of a tick: 2 for 0.01. */
export function tickDecimals(tick: bigint): number {
  return formatDecimal(tick, SCALE).split('.')[1]?.length ?? 0
}

/** A price or quantity with exactly `places` decimals. Further digits are cut off. */
export function paddedText(value: bigint, places: number): string {
  const [whole = '0', fraction = ''] = formatDecimal(value, SCALE).split('.')
  return places === 0 ? whole : `${whole}.${fraction.slice(0, places).padEnd(places, '0')}`
}

/** A price or quantity as a plain decimal without trailing zeros. */
export function plainText(value: bigint): string {
  return formatDecimal(value, SCALE)
}

/** A USDC amount as a plain decimal without trailing zeros. */
export function microUsdcText(value: bigint): string {
  return formatDecimal(value, 6)
}

/** A decimal text scaled by 10^8. Throws RangeError for any other text and for more than eight decimals. */
export function parseScaled(text: string): bigint {
  const value = parseDecimal(text, SCALE)
  if (value === null) throw new RangeError(`not a decimal of ${SCALE} places: ${text}`)
  return value
}

/** A large amount as the venue prints its insurance fund, for example `1.234567E8`. */
export function exponentText(value: number): string {
  return value.toExponential().replace('e+', 'E')
}
