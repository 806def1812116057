import { absolute, mulDiv, ONE, parseDecimal, SCALE } from '../../core/decimals.ts'
import { amountText } from '../../perp/amounts.ts'

/** Parses a decimal string, rounded to eighteen places, for display only; zero for invalid text. */
export function displayDecimal(text: string): bigint {
  const fine = parseDecimal(text, FINE)
  return fine === null ? 0n : mulDiv(fine, 1n, 10n ** BigInt(FINE - SCALE), 'half')
}

const FINE = 36

/** An amount with a fixed number of places and grouped thousands: `12,345.60`. */
export function fixedText(value: bigint, places: number): string {
  const rounded = mulDiv(value, 10n ** BigInt(places), ONE, 'half')
  const sign = rounded < 0n ? '−' : ''
  const digits = absolute(rounded)
    .toString()
    .padStart(places + 1, '0')
  const point = digits.length - places
  const whole = inThousands(digits.slice(0, point))
  return sign + whole + (places > 0 ? `.${digits.slice(point)}` : '')
}

/** The text of `fixedText`, with a plus sign for a positive value. A value that rounds to zero has no sign. */
export function signed(value: bigint, places: number): string {
  return changeTone(value, places) === 'up'
    ? `+${fixedText(value, places)}`
    : fixedText(value, places)
}

/** The CSS class of a change that is rounded to `places`: '' for a value that rounds to zero. */
export function changeTone(value: bigint, places: number): 'up' | 'down' | '' {
  const rounded = mulDiv(value, 10n ** BigInt(places), ONE, 'half')
  if (rounded === 0n) return ''
  return rounded > 0n ? 'up' : 'down'
}

/** An amount with a unit for large values: `1.24 M`. */
export function compact(value: bigint): string {
  const magnitude = absolute(value)
  const unit = UNITS.find(([from]) => magnitude >= from * ONE)
  if (!unit) return fixedText(value, 2)
  const [from, name] = unit
  const scaled = value / from
  return `${fixedText(scaled, absolute(scaled) >= 100n * ONE ? 1 : 2)} ${name}`
}

const UNITS: readonly (readonly [bigint, string])[] = [
  [1_000_000_000n, 'B'],
  [1_000_000n, 'M'],
  [1000n, 'K'],
]

/**
 * The number of decimal places of a tick, such as three for 0.001. Two for an unknown tick, and for a tick with a
 * float's rounding error.
 */
export function tickPlaces(tick: bigint | null | undefined): number {
  const isKnown = tick !== null && tick !== undefined
  const places = isKnown ? (amountText(tick).split('.')[1]?.length ?? 0) : 2
  return places > PLACES_MAX ? 2 : places
}

const PLACES_MAX = 10

/** A ratio as signed percent. */
export function percent(ratio: bigint, places = 2): string {
  return `${signed(ratio * 100n, places)}%`
}

/** A ratio without a sign, such as a fee or a distance, as percent. */
export function unsignedPercent(ratio: bigint, places = 2): string {
  return `${fixedText(ratio * 100n, places)}%`
}

/** A ratio as percent with enough places for two significant digits, at least two: `0.012%`. */
export function finePercent(ratio: bigint): string {
  let places = 2
  while (
    ratio >= FINE_RATIO_MIN &&
    places < FINE_PLACES_MAX &&
    ratio * 10n ** BigInt(places) < ONE / 10n
  )
    places += 1
  return unsignedPercent(ratio, places)
}

/** Ratios below this get two places, because their first digit is beyond six places of percent. */
const FINE_RATIO_MIN = ONE / 100_000_000n
const FINE_PLACES_MAX = 6

/** The remaining time as `07:04:09`, or `00:00:00` when it is over. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** An age in one unit: `89 s`, `12 min` or `3 h`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

/** `14:03:22` in the user's time zone. */
export function clockTime(ms: number): string {
  const at = new Date(ms)
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')
}

/** `21 Nov 14:03:22` in the user's time zone. */
export function dayTime(ms: number): string {
  const at = new Date(ms)
  return `${twoDigits(at.getDate())} ${monthName(at.getMonth())} ${clockTime(ms)}`
}

/** The short name of a month from 0: `Nov` for 10. */
export function monthName(index: number): string {
  return MONTHS[index] ?? ''
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

// Grouping is done here, because loading the browser's number formats takes longer than all other work for the first
// row.
function inThousands(digits: string): string {
  const first = digits.length % 3
  const groups = digits.slice(first).match(/\d{3}/g) ?? []
  return [...(first > 0 ? [digits.slice(0, first)] : []), ...groups].join(',')
}

// biome-ignore format: a row
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'] as const

/** Replaces each `{name}` in a template by its value. */
export function filledTemplate(
  template: string,
  values: Readonly<Record<string, string | number>>,
): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}
