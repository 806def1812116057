import type { FeedAuth } from '../core/feed.ts'
import { isObject, numberOf, parseExact } from '../core/json.ts'
import { LIMITS } from '../spec/limits.ts'

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

/** A message that came. `told` is of a topic; `answered` answers something that was asked with an id. */
export type LiveMessage =
  | { readonly kind: 'ping' | 'other' }
  | { readonly kind: 'told'; readonly topic: string; readonly atMs: number; readonly data: unknown }
  | {
      readonly kind: 'answered'
      readonly event: string
      readonly id: string
      readonly isGood: boolean
      readonly atMs: number
      readonly data: unknown
    }

/** Reads a message; `other` for what is none of those that matter, or no JSON. */
export function readLive(text: string): LiveMessage {
  const said = parsed(text)
  if (!isObject(said)) return { kind: 'other' }
  const { topic, event, id, data, success } = said
  const inner = isObject(data) ? numberOf(data['ts']) : undefined
  const atMs = inner ?? numberOf(said['ts']) ?? 0
  if (event === 'ping') return { kind: 'ping' }
  if (typeof event === 'string') {
    return { kind: 'answered', event, id: String(id), isGood: success === true, atMs, data }
  }
  if (typeof topic !== 'string') return { kind: 'other' }
  return { kind: 'told', topic, atMs: numberOf(said['ts']) ?? 0, data }
}

function parsed(text: string): unknown {
  try {
    return parseExact(text, LIMITS.scrubDepthMax)
  } catch {
    return undefined
  }
}
