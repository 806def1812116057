import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contract/durations.ts'

/** A time in UTC with its distance from now: `2026-01-01T09:00:00Z (3 h ago)`. If `nowMs` is null, only the time. */
export function timeText(ms: number, nowMs: number | null): string {
  const text = new Date(ms).toISOString()
  if (nowMs === null) return text
  const distance = durationText(Math.abs(ms - nowMs))
  return `${text.replace(/\.\d+Z$/, 'Z')} (${ms > nowMs ? `in ${distance}` : `${distance} ago`})`
}

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'min'],
  [1000, 's'],
]

/** A duration in its two largest units, rounded down: `2 d 3 h`, `5 min`, `40 s`, `300 ms`. */
export function durationText(ms: number): string {
  const at = UNITS.findIndex(([unitMs]) => ms >= unitMs)
  if (at === -1) return `${Math.floor(ms)} ms`
  let restMs = ms
  const texts = UNITS.slice(at, at + 2).map(([unitMs, unit]) => {
    const count = Math.floor(restMs / unitMs)
    restMs -= count * unitMs
    return count === 0 ? '' : `${count} ${unit}`
  })
  return texts.filter(Boolean).join(' ')
}
