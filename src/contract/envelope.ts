import { type Static, Type } from '@sinclair/typebox'
import { HEX_PATTERNS } from './hex.ts'
import { LIMITS } from './limits.ts'

/** The schema of a string from a closed list. The pattern validates it; `enum` documents it. */
export function oneOf<const Words extends readonly string[]>(words: Words, description?: string) {
  return Type.Unsafe<Words[number]>(
    Type.String({
      pattern: `^(?:${words.join('|')})$`,
      enum: words,
      ...(description && { description }),
    }),
  )
}

/** An account id. */
export const AccountId = Type.String({
  pattern: HEX_PATTERNS.hash,
  description: 'An account id: 0x and 64 hex characters.',
})

/** A caller's signature over timestamp, method, path and body, with its account and key. */
const EnvelopeAuth = Type.Object({
  accountId: AccountId,
  key: Type.String({
    minLength: 1,
    maxLength: LIMITS.relayKeyMaxChars,
    description: 'The public half of the trading key: ed25519: and base58.',
  }),
  signature: Type.String({
    pattern: `^[A-Za-z0-9_-]{${LIMITS.relaySignatureMinChars},${LIMITS.relaySignatureMaxChars}}$`,
    description: 'The Ed25519 signature: base64url without padding.',
  }),
  timestamp: Type.String({
    pattern: `^[0-9]{${LIMITS.relayTimestampMinDigits},${LIMITS.relayTimestampMaxDigits}}$`,
    description: 'The signed time, in milliseconds.',
  }),
})

/**
 * The relay envelope. Lengths are in UTF-16 units. Unknown fields are dropped. The schema ignores the allowlist,
 * because a well-formed path off the list is forbidden instead of invalid.
 */
export const Envelope = Type.Object({
  method: oneOf(['GET', 'POST', 'PUT', 'DELETE']),
  path: Type.String({
    minLength: LIMITS.relayPathMinChars,
    maxLength: LIMITS.relayPathMaxChars,
    description: 'The signed path with its query, starting with /v1/ and on the allowlist.',
  }),
  body: Type.Optional(
    Type.Union([Type.String({ maxLength: LIMITS.relayBodyMaxChars }), Type.Null()], {
      description: 'The signed body, forwarded byte for byte; null: no body.',
    }),
  ),
  auth: EnvelopeAuth,
})

export type Envelope = Static<typeof Envelope>

/** The venue's payload, with the venue's field names. */
export const PayloadAnswer = Type.Unknown({
  description: 'The payload, under its own field names.',
})

const CatalogueOperation = Type.Object({
  id: Type.String(),
  summary: Type.String(),
  endpoint: Type.String(),
  method: oneOf(['GET']),
  parameters: Type.Array(
    Type.Object({
      name: Type.String(),
      in: oneOf(['query']),
      required: Type.Boolean(),
      description: Type.String(),
    }),
  ),
  cacheSeconds: Type.Integer({ minimum: 0, description: '0 is no-store.' }),
})

const CatalogueStream = Type.Object({
  topic: Type.String({ description: 'Braces stand for values: `orderbook:{symbol}`.' }),
  summary: Type.String(),
  parameters: Type.Array(Type.String()),
  kind: Type.String(),
  beatMs: Type.Integer({ minimum: 0, description: '0 is at once.' }),
  private: Type.Boolean({ description: 'Of the account that the connection has proved.' }),
  reads: Type.Array(Type.String(), { description: 'Requests that answer the same fields.' }),
})

/** The catalogue of operations, live topics and failures. */
export const CatalogueAnswer = Type.Object({
  version: Type.Integer(),
  operations: Type.Array(CatalogueOperation),
  groups: Type.Record(Type.String(), Type.Array(Type.String())),
  streams: Type.Array(CatalogueStream),
  errors: Type.Array(
    Type.Object({
      code: Type.String(),
      status: Type.Integer(),
      message: Type.String(),
      retryable: Type.Boolean(),
    }),
  ),
})
