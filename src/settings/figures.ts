import { parseDecimal } from '../core/decimals.ts'
import type { Policy } from '../spec/limits.ts'

/** How settings that are figures are read: undefined when the text is not of the kind. */

const USDC_DECIMALS = 6
const USDC_MAX_MICROS = 10n ** 15n

/** A decimal from 0 to 1. */
export function rateOf(text: string): number | undefined {
  return /^(?:0(?:\.\d{1,8})?|1(?:\.0{1,8})?)$/.test(text) ? Number(text) : undefined
}

/** A time of UTC to the second, within the century. */
export function instantOf(text: string): number | undefined {
  const atMs = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? undefined : atMs
}

/** A whole number without a sign, none above 2^53. */
export function wholeNumberOf(text: string): number | undefined {
  const number = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : undefined
}

/** USDC in millionths. */
export function usdcOf(text: string): bigint | undefined {
  const micros = /^[\d.]+$/.test(text) ? parseDecimal(text, USDC_DECIMALS) : null
  return micros === null || micros > USDC_MAX_MICROS ? undefined : micros
}

/** Reads a whole number from 0 to a most. */
export function wholeNumberTo(max: number): (text: string) => number | undefined {
  return (text) => {
    const number = wholeNumberOf(text)
    return number !== undefined && number <= max ? number : undefined
  }
}

/** A rate limit, written as `600/60s burst 120`. */
export function policyOf(text: string): Policy | undefined {
  const match = /^([1-9]\d{0,8})\/([1-9]\d{0,5})s burst ([1-9]\d{0,8})$/.exec(text)
  if (!match) return undefined
  const [requests = 0, seconds = 0, burst = 0] = match.slice(1).map(Number)
  return { requests, seconds, burst }
}
