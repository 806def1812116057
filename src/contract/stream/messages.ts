import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { AccountId, oneOf } from '../envelope.ts'
import { LIMITS } from '../limits.ts'
import { STREAM_LIMITS } from './limits.ts'

/** The topics in a client's message. */
const Topics = Type.Array(Type.String({ minLength: 1, maxLength: STREAM_LIMITS.topicMaxChars }), {
  minItems: 1,
  maxItems: STREAM_LIMITS.topicsPerConnection,
})

export const SubscribeMessage = Type.Object({
  op: oneOf(['subscribe']),
  topics: Topics,
  since: Type.Optional(
    Type.Record(Type.String(), Type.Tuple([Type.String(), Type.Integer({ minimum: 0 })]), {
      description: 'By topic, the epoch and seq of the last message that was seen.',
    }),
  ),
})

const UnsubscribeMessage = Type.Object({ op: oneOf(['unsubscribe']), topics: Topics })

const PingMessage = Type.Object({ op: oneOf(['ping']) })

/** Authenticates a key. The signature covers only the timestamp, so it can never authorise an order. */
export const AuthMessage = Type.Object({
  op: oneOf(['auth']),
  accountId: AccountId,
  key: Type.String({ minLength: 1, maxLength: LIMITS.relayKeyMaxChars }),
  timestamp: Type.String({
    pattern: `^[0-9]{${LIMITS.relayTimestampMinDigits},${LIMITS.relayTimestampMaxDigits}}$`,
  }),
  signature: Type.String({
    pattern: `^[A-Za-z0-9_-]{${LIMITS.relaySignatureMinChars},${LIMITS.relaySignatureMaxChars}}$`,
  }),
})

export type SubscribeMessage = Static<typeof SubscribeMessage>
export type AuthMessage = Static<typeof AuthMessage>

/** Messages of a client, by `op`. */
export const CLIENT_MESSAGES = {
  subscribe: SubscribeMessage,
  unsubscribe: UnsubscribeMessage,
  ping: PingMessage,
  auth: AuthMessage,
} as const satisfies Record<string, TSchema>

/** The types of the server's messages. */
// biome-ignore format: read as a list
const STREAM_MESSAGES = [
  'hello', 'ack', 'pong', 'snapshot', 'delta', 'event', 'resync', 'stale', 'auth_required', 'error', 'bye',
] as const

export type StreamMessageType = (typeof STREAM_MESSAGES)[number]
