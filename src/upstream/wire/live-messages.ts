import { Kind, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { LIMITS } from '../../contract/limits.ts'
import type { FeedAuth } from '../../core/feed.ts'
import { isObject, parseExact, type SpelledNumber, toFloat } from '../../core/json.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { matchesSchema } from '../../core/parse-body.ts'

/** The messages of the venue's live feed: messages to send as text, received messages as parsed values. */

/** The text that subscribes to a topic. The venue's answer has the topic as its id. */
export function subscribeText(topic: string): string {
  return JSON.stringify({ id: topic, topic, event: 'subscribe' })
}

export function unsubscribeText(topic: string): string {
  return JSON.stringify({ id: topic, topic, event: 'unsubscribe' })
}

/** The text that requests a market's whole order book once. */
export function bookText(id: string, symbol: string): string {
  return JSON.stringify({ id, event: 'request', params: { type: 'orderbook', symbol } })
}

/** The text that authenticates with a key. The signature is sent unchanged. */
export function authText({ key, timestamp, signature }: FeedAuth): string {
  const params = { orderly_key: key, sign: signature, timestamp }
  return JSON.stringify({ id: 'auth', event: 'auth', params })
}

export const PONG_TEXT = JSON.stringify({ event: 'pong' })

/**
 * A received message: `published` belongs to a topic, `answered` answers the request with its id, `malformed` is not a
 * message of the feed.
 */
export type LiveMessage =
  | { readonly kind: 'ping' | 'malformed' }
  | {
      readonly kind: 'published'
      readonly topic: string
      readonly atMs: number
      readonly data: unknown
    }
  | {
      readonly kind: 'answered'
      readonly event: string
      readonly id: string
      readonly isGood: boolean
      readonly atMs: number
      readonly data: unknown
    }

/** Parses a received message in linear time. The receiver checks the `data` of a topic. */
export function readLive(text: string): LiveMessage {
  const message = parsed(text)
  if (!isObject(message)) return { kind: 'malformed' }
  if (message['event'] === 'ping') return { kind: 'ping' }
  if (matchesSchema(ANSWER_SHAPE, message)) {
    const { event, id, success, ts, data } = message
    const atMs = (isObject(data) ? toFloat(data['ts']) : undefined) ?? Number(ts ?? 0)
    return { kind: 'answered', event, id: id ?? '', isGood: success === true, atMs, data }
  }
  if (matchesSchema(TOPIC_SHAPE, message) && !('event' in message)) {
    const { topic, ts, data } = message
    return { kind: 'published', topic, atMs: Number(ts), data }
  }
  return { kind: 'malformed' }
}

function parsed(text: string): unknown {
  try {
    return parseExact(text, LIMITS.scrubDepthMax)
  } catch (error) {
    reportUnexpected('upstream', error, SyntaxError, RangeError)
    return undefined
  }
}

/** The shapes of the venue's live messages. Source: its WebSocket API. */

/** A number as the venue writes it: a JSON number, or its text. */
export type VenueNumber = number | string | SpelledNumber

const VENUE_NUMBER = 'VenueNumber'
const NUMBER_MAX_CHARS = 128
/** A JSON number (RFC 8259, 6). */
const NUMBER_TEXT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

TypeRegistry.Set<{ readonly minimum?: number }>(
  VENUE_NUMBER,
  ({ minimum = Number.NEGATIVE_INFINITY }, value) =>
    isVenueNumber(value) && Number(value) >= minimum,
)

function isVenueNumber(value: unknown): boolean {
  if (typeof value !== 'string') return toFloat(value) !== undefined
  return value.length <= NUMBER_MAX_CHARS && NUMBER_TEXT.test(value) && Number.isFinite(+value)
}

const Amount = Type.Unsafe<VenueNumber>({ [Kind]: VENUE_NUMBER })
const Unsigned = Type.Unsafe<VenueNumber>({ [Kind]: VENUE_NUMBER, minimum: 0 })
const Text = Type.String({ maxLength: 4096 })
const Name = Type.String({ minLength: 1, maxLength: 128 })
const Amounts = optional(Amount)
const Texts = optional(Text)
const Levels = optional(Type.Array(Type.Array(Unsigned, { minItems: 2 })))

/** A member that may be absent. Null means absent. */
function optional<S extends TSchema>(schema: S) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

/** A message without a topic: a ping of the venue, or its answer to the request with an id. */
const ANSWER_SHAPE = Type.Object({
  event: Type.Union(['subscribe', 'unsubscribe', 'request', 'auth'].map((e) => Type.Literal(e))),
  id: optional(Name),
  success: Type.Optional(Type.Boolean()),
  ts: Amounts,
  data: Type.Optional(Type.Unknown()),
})

/** A message of any topic. */
const TOPIC_SHAPE = Type.Object({
  topic: Name,
  ts: Amount,
  data: Type.Optional(Type.Unknown()),
})

/** The shape of messages by subject. Members that are not listed may have any value. */
export const LIVE_SHAPES = {
  market: Type.Object({
    symbol: Name,
    ...{ open: Amounts, close: Amounts, high: Amounts, low: Amounts, volume: Amounts },
    ...{ amount: Amounts, price: Amounts, openInterest: Amounts, fundingRate: Amounts },
    fundingTs: Amounts,
  }),
  trade: Type.Object({
    ...{ symbol: Name, price: Unsigned, size: Unsigned },
    side: Type.Union([Type.Literal('BUY'), Type.Literal('SELL')]),
  }),
  candle: Type.Object({
    ...{ open: Unsigned, high: Unsigned, low: Unsigned, close: Unsigned, volume: Unsigned },
    startTime: Unsigned,
  }),
  book: Type.Object({ prevTs: Amounts, asks: Levels, bids: Levels }),
  liquidation: Type.Object({
    ...{ liquidationId: Amount, timestamp: Amounts, type: Texts },
    positionsByPerp: optional(
      Type.Array(Type.Object({ symbol: Texts, positionQty: Amounts, liquidatorFee: Amounts })),
    ),
  }),
  status: Type.Object({ status: Amounts, msg: Texts }),
  report: Type.Object({
    ...{ symbol: Name, orderId: Amounts, tradeId: Amounts, timestamp: Amounts, side: Texts },
    ...{ status: Texts, type: Texts, quantity: Amounts, price: Amounts, fee: Amounts },
    ...{ executedPrice: Amounts, executedQuantity: Amounts, totalExecutedQuantity: Amounts },
    ...{ avgExecutedPrice: Amounts, maker: optional(Type.Boolean()) },
  }),
  position: Type.Object({ symbol: Name, positionQty: Amounts, markPrice: Amounts }),
  balance: Type.Object({ holding: Amounts, frozen: Amounts }),
} as const

/** Thrown for a message that does not match its topic's shape. The topic's earlier state is then out of date. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

/** A value that was checked against a known shape. Throws MalformedMessage. */
export function checkedValue<S extends TSchema>(schema: S, value: unknown): Static<S> {
  if (matchesSchema(schema, value)) return value
  throw new MalformedMessage('malformed live message')
}
