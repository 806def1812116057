import { MINUTE_MS } from '../contract/durations.ts'

/**
 * The units of times in tables: microseconds, milliseconds, … `digits` is the length of a present-day time in the unit;
 * 10 to the power of `places` converts the time to microseconds.
 */
const UNITS: readonly { readonly digits: number; readonly places: number }[] = [
  { digits: 10, places: 6 },
  { digits: 13, places: 3 },
  { digits: 16, places: 0 },
  { digits: 19, places: -3 },
]
const ZONE_MAX_MINUTES = 14 * 60
const NUMERAL = /^(\d{9,19})(?:\.(\d{1,9}))?$/
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)? ?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?$/

/** The forms of a time in a table, for a refusal. */
export const TABLE_TIME =
  'seconds, milli-, micro- or nanoseconds since 1970, or ISO 8601, which without a zone is UTC'

/**
 * A time in a table as microseconds since 1970; null for other text. The digits determine a numeral's unit: 10 are
 * seconds, 13 milli-, 16 micro- and 19 nanoseconds, one digit less before September 2001. A time without a zone is UTC.
 */
export function parseTableTime(text: string): number | null {
  const [, numeral, fraction = ''] = NUMERAL.exec(text) ?? []
  return numeral === undefined ? isoMicroseconds(text) : numeralMicroseconds(numeral, fraction)
}

/** Computes with digits, because nanoseconds exceed the safe integers. */
function numeralMicroseconds(numeral: string, fraction: string): number | null {
  const unit = UNITS.find(({ digits }) => [digits, digits - 1].includes(numeral.length))
  if (!unit || (fraction !== '' && unit.places <= 0)) return null
  const digits = numeral + fraction.padEnd(Math.max(0, unit.places), '0')
  return Number(digits.slice(0, numeral.length + unit.places))
}

function isoMicroseconds(text: string): number | null {
  const [, date, minute = '00:00', second = '00', fraction = '', zone = 'Z'] = ISO.exec(text) ?? []
  if (date === undefined) return null
  const atMs = Date.parse(`${date}T${minute}:${second}Z`)
  // Rejects a day that its month does not have.
  if (Number.isNaN(atMs) || new Date(atMs).toISOString().slice(0, 10) !== date) return null
  const microseconds = Number(fraction.padEnd(6, '0').slice(0, 6))
  const atUs = (atMs - offsetMs(zone)) * 1000 + microseconds
  return Number.isNaN(atUs) ? null : atUs
}

/** How far a zone is ahead of UTC in ms; NaN beyond 14 hours. */
function offsetMs(zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? []
  const away = Number(hours) * 60 + Number(minutes)
  if (away > ZONE_MAX_MINUTES || Number(minutes) > 59) return Number.NaN
  return (sign === '-' ? -away : away) * MINUTE_MS
}
