import type { FeedMessage } from '../../core/feed.ts'
import { isObject, type Row, toFloat } from '../../core/json.ts'
import type { Clock } from '../../core/ports.ts'

/** The rows of `now` that were added since `before`. If equal rows occur several times, their numbers are compared. */
export function newRows(
  now: unknown,
  before: unknown,
  keyOf: (row: Row) => string,
): readonly Row[] {
  if (!Array.isArray(now) || !Array.isArray(before)) return []
  const known = new Map<string, number>()
  for (const row of before) known.set(keyOf(row), (known.get(keyOf(row)) ?? 0) + 1)
  return now.filter((row) => {
    const left = known.get(keyOf(row)) ?? 0
    known.set(keyOf(row), left - 1)
    return left <= 0
  })
}

/** Rows with the live feed's member names: `positions_by_perp` becomes `positionsByPerp`. */
export function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased)
  if (!isObject(value) || toFloat(value) !== undefined) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [camelCase(key), camelCased(member)]),
  )
}

function camelCase(key: string): string {
  return key.replace(/_([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())
}

/** A text that is the same for equal values. */
export function comparableText(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

/**
 * A message with the time of its event, or with the current time if the event has no time. In a topic with `prevTs`,
 * times increase strictly. `last` holds the time of the previous message and is updated.
 */
export function stamped(
  { nowMs: read }: Clock,
  topic: string,
  data: unknown,
  last: { lastMs: number },
): FeedMessage {
  const { lastMs } = last
  const nowMs = read()
  last.lastMs = nowMs
  if (topic.endsWith('@orderbookupdate') && isObject(data)) {
    last.lastMs = Math.max(nowMs, lastMs + 1)
    return { topic, atMs: last.lastMs, data: { ...data, prevTs: lastMs } }
  }
  const { ts, ...rest } = isObject(data) ? data : {}
  return { topic, atMs: toFloat(ts) ?? nowMs, data: ts === undefined ? data : rest }
}
