import type { FeedAuth } from '../core/feed.ts'
import { isObject, numberOf, parseExact } from '../core/json.ts'
import { matches } from '../core/parse-body.ts'
import { LIMITS } from '../spec/limits.ts'
import { ANSWER_SHAPE, TOPIC_SHAPE } from './live-shapes.ts'

/** The messages of the venue's live wire: what is sent, as text, and what comes, read. */

/** Asks for a topic; the answer carries the topic as its id. */
export function subscribeText(topic: string): string {
  return JSON.stringify({ id: topic, topic, event: 'subscribe' })
}

export function unsubscribeText(topic: string): string {
  return JSON.stringify({ id: topic, topic, event: 'unsubscribe' })
}

/** Asks for the whole order book of a market, once. */
export function bookText(id: string, symbol: string): string {
  return JSON.stringify({ id, event: 'request', params: { type: 'orderbook', symbol } })
}

/** Proves a key; the signature goes out as it was given. */
export function authText({ key, timestamp, signature }: FeedAuth): string {
  const params = { orderly_key: key, sign: signature, timestamp }
  return JSON.stringify({ id: 'auth', event: 'auth', params })
}

export const PONG_TEXT = JSON.stringify({ event: 'pong' })

/**
 * A message that came: `told` is of a topic, `answered` answers something that was asked with an id, and `malformed`
 * is none of the wire's.
 */
export type LiveMessage =
  | { readonly kind: 'ping' | 'malformed' }
  | { readonly kind: 'told'; readonly topic: string; readonly atMs: number; readonly data: unknown }
  | {
      readonly kind: 'answered'
      readonly event: string
      readonly id: string
      readonly isGood: boolean
      readonly atMs: number
      readonly data: unknown
    }

/** Reads a message, in time linear in its length. What a topic's `data` holds is checked by who reads it. */
export function readLive(text: string): LiveMessage {
  const message = parsed(text)
  if (!isObject(message)) return { kind: 'malformed' }
  if (message['event'] === 'ping') return { kind: 'ping' }
  if (matches(ANSWER_SHAPE, message)) {
    const { event, id, success, ts, data } = message
    const atMs = (isObject(data) ? numberOf(data['ts']) : undefined) ?? Number(ts ?? 0)
    return { kind: 'answered', event, id: id ?? '', isGood: success === true, atMs, data }
  }
  if (matches(TOPIC_SHAPE, message) && !('event' in message)) {
    const { topic, ts, data } = message
    return { kind: 'told', topic, atMs: Number(ts), data }
  }
  return { kind: 'malformed' }
}

function parsed(text: string): unknown {
  try {
    return parseExact(text, LIMITS.scrubDepthMax)
  } catch {
    return undefined
  }
}
