import type { FeedMessage } from '../../core/feed.ts'
import { isObject, numberOf } from '../../core/json.ts'
import type { Clock } from '../../core/ports.ts'

/**
 * A message with its time: that of what happened, where it says so. Times of a topic with `prevTs` rise. `last` is that
 * of the message before, and becomes that of this one.
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
  const { ts, ...said } = isObject(data) ? data : {}
  return { topic, atMs: numberOf(ts) ?? nowMs, data: ts === undefined ? data : said }
}
