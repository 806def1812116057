import { type Static, Type } from '@sinclair/typebox'
import { DAY_MS, SECOND_MS } from './durations.ts'
import { Envelope, oneOf } from './envelope.ts'

/**
 * Bounds of standby cancels: a caller signs a cancel in advance, and prepd relays it if the caller gives no sign of
 * life for too long.
 */
export const STANDBY = {
  envelopesMax: 24,
  /** Age at which a cancel is sent in any case; therefore also the maximum time between two signed cancels. */
  renewWithinMs: 260_000,
  /** Maximum age of a cancel when it is sent: the venue refuses it at five minutes. */
  sendWithinMs: 270_000,
  afterMinMs: 10 * SECOND_MS,
  /** How often due cancels are looked up. */
  lookEveryMs: SECOND_MS,
  /** How often the last activity of callers with live connections is stored. */
  postponeEveryMs: 5 * SECOND_MS,
  /** Lease of an instance on a cancel that it is sending; longer than a write may take. */
  leaseMs: 20 * SECOND_MS,
  /** Delay after an attempt that certainly changed nothing. */
  retryMs: 2 * SECOND_MS,
  /** Concurrency limit per instance. If answers take 1.5 seconds, 10,000 cancels that are due at once are sent in time. */
  sendingMax: 64,
  /** How long the result of a standby is kept. */
  keptMs: 30 * DAY_MS,
} as const

/** The path of signed calls about a standby; it is never valid at the venue. */
export const STANDBY_PATH = '/api/prep/standby'

/** The writes that a standby may have, with their queries: cancels of all orders, of one market's orders, or of one order. */
export const STANDBY_CANCEL =
  /^\/v1\/(?:orders(?:\?symbol=PERP_[A-Z0-9]{1,20}_USDC)?|(?:algo\/)?order\?order_id=\d{1,19}&symbol=PERP_[A-Z0-9]{1,20}_USDC)$/

/** Body of `POST /api/prep/standby`. */
export const StandbyBody = Type.Object({
  envelopes: Type.Array(Envelope, {
    minItems: 1,
    maxItems: STANDBY.envelopesMax,
    description:
      'Signed DELETE calls by one key: /v1/orders (all, or of one symbol), or /v1/order and /v1/algo/order with order_id and symbol. The first is signed now, each next at most 260 seconds after the one before. One per path is sent.',
  }),
  afterMs: Type.Integer({
    minimum: STANDBY.afterMinMs,
    description: 'How long after the last sign of life one of them is sent, in milliseconds.',
  }),
})

export type StandbyBody = Static<typeof StandbyBody>

/** The states of a standby. */
const STANDBY_STATES = ['none', 'armed', 'sending', 'cancelled', 'withdrawn', 'lapsed'] as const

/** An account's standby, as its keys read it. */
export const StandbyAnswer = Type.Object({
  state: oneOf(STANDBY_STATES),
  sendsAtMs: Type.Optional(
    Type.Integer({ description: 'While armed: when it is sent if the caller is silent.' }),
  ),
  endsAtMs: Type.Optional(
    Type.Integer({ description: 'While armed: when it is sent unless it was renewed.' }),
  ),
  endedAtMs: Type.Optional(
    Type.Integer({ description: 'When it was cancelled, withdrawn or lapsed.' }),
  ),
  failure: Type.Optional(
    Type.String({ description: 'Of a lapsed one: why nothing was cancelled.' }),
  ),
})
