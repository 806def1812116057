import { type Exact, memberText } from './exact-json.ts'
import { displayDecimal, monthName } from './format.ts'

/** A numeric member of an answer, rounded to eighteen places; null if it is missing or not a number. */
export function memberFigure(answer: Exact | undefined, name: string): bigint | null {
  const text = memberText(answer, name)
  return JSON_NUMBER.test(text) ? displayDecimal(text) : null
}

const JSON_NUMBER = /^-?\d{1,60}(?:\.\d{1,60})?(?:[eE][+-]?\d{1,2})?$/

/** The UTC day of a time, such as `21 Nov 2026`. */
export function utcDayText(ms: number): string {
  const at = new Date(ms)
  return `${at.getUTCDate()} ${monthName(at.getUTCMonth())} ${at.getUTCFullYear()}`
}
