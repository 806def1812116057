import { isObject } from '../../src/core/json.ts'

const NEAR_MS = 3_600_000

/** The members of an answer that hold a time within an hour of a wall clock, as paths: ms, seconds, ISO text or a date. */
export function wallTimes(answer: unknown, wallMs: number = Date.now(), at = ''): string[] {
  if (Array.isArray(answer)) return answer.flatMap((each) => wallTimes(each, wallMs, `${at}[]`))
  if (isObject(answer))
    return Object.entries(answer).flatMap(([name, value]) =>
      wallTimes(value, wallMs, `${at}.${name}`),
    )
  return msOf(answer).some((ms) => Math.abs(ms - wallMs) < NEAR_MS) ? [at] : []
}

/** The times that a value may stand for, in ms. */
function msOf(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value, value * 1000]
  if (typeof value !== 'string') return []
  if (/^\d{10,16}$/.test(value)) return [Number(value), Number(value) * 1000]
  return /^\d{4}-\d\d-\d\d/.test(value) ? [Date.parse(value)] : []
}
