import { type Static, Type } from '@sinclair/typebox'
import { DAY_MS, HOUR_MS } from '../durations.ts'
import { Envelope, oneOf } from '../envelope.ts'
import { HEX_PATTERNS } from '../hex.ts'
import { SYMBOL_PATTERN } from '../market/symbols.ts'

/** The path of an advance, on the operator's listener and in the relay. A live venue has no such path. */
export const ADVANCE_PATH = '/venue/advance'

/** The callers who may move a shared virtual clock. */
export const CLOCK_CONTROLLERS = ['operator', 'accounts'] as const

export type ClockController = (typeof CLOCK_CONTROLLERS)[number]

/** Sizes of one advance. */
export const ADVANCE_LIMITS = {
  stepsMax: 100,
  /** Maximum number of reads per step. */
  readsMax: 20,
  /** Maximum number of signed calls before a step. */
  callsMax: 50,
  /** Maximum duration of a call, because its answer must arrive before the connection's idle timeout. */
  waitMaxMs: 50_000,
  /** Maximum total time of all steps. */
  msMax: 7 * DAY_MS,
  pathMaxChars: 256,
  /** A longer step is split into parts. The caller may disconnect between them. */
  partMs: HOUR_MS,
} as const

const symbol = Type.String({
  pattern: SYMBOL_PATTERN.source,
  description: 'A market, for example PERP_ETH_USDC.',
})
const orderId = Type.Integer({ minimum: 1, description: 'The id of an order.' })
const closed = { additionalProperties: false } as const

/** The states of an order; COMPLETED is FILLED or CANCELLED. */
const ORDER_STATES = ['NEW', 'PARTIAL_FILLED', 'FILLED', 'CANCELLED', 'COMPLETED'] as const

/** The conditions that end a step before its time is over, whichever comes first. */
const AdvanceUntil = Type.Object(
  {
    fill: Type.Optional(
      Type.Object({ symbol: Type.Optional(symbol), orderId: Type.Optional(orderId) }, closed),
    ),
    price: Type.Optional(
      Type.Object(
        {
          symbol,
          above: Type.Optional(Type.Number({ description: 'The mark price is at least this.' })),
          below: Type.Optional(Type.Number({ description: 'The mark price is at most this.' })),
        },
        closed,
      ),
    ),
    order: Type.Optional(
      Type.Object(
        {
          orderId: Type.Optional(orderId),
          clientOrderId: Type.Optional(
            Type.String({ minLength: 1, maxLength: 36, description: 'The id its sender gave it.' }),
          ),
          state: Type.Optional(oneOf(ORDER_STATES, 'The state it comes to. Default: COMPLETED.')),
        },
        closed,
      ),
    ),
    liquidation: Type.Optional(Type.Boolean({ description: 'A liquidation of the account.' })),
    atMs: Type.Optional(Type.Integer({ minimum: 0, description: 'A time of the venue, in ms.' })),
  },
  closed,
)

export type AdvanceUntil = Static<typeof AdvanceUntil>

const AdvanceStep = Type.Object(
  {
    ms: Type.Integer({
      minimum: 0,
      maximum: ADVANCE_LIMITS.msMax,
      description: 'How long the step is at most, in milliseconds of the venue.',
    }),
    account: Type.Optional(
      Type.String({
        pattern: HEX_PATTERNS.hash,
        description: 'Whose fills, orders and reads are meant; of the operator only.',
      }),
    ),
    calls: Type.Optional(
      Type.Array(Envelope, {
        maxItems: ADVANCE_LIMITS.callsMax,
        description:
          'Signed calls that are relayed together before the step, as if each was sent by itself; of the operator only.',
      }),
    ),
    until: Type.Optional(AdvanceUntil),
    reads: Type.Optional(
      Type.Array(
        Type.String({
          pattern: '^/v1/[\\w/?=&.%-]+$',
          maxLength: ADVANCE_LIMITS.pathMaxChars,
          description: 'A path of the venue with its query, read after the step.',
        }),
        { maxItems: ADVANCE_LIMITS.readsMax },
      ),
    ),
  },
  closed,
)

export type AdvanceStep = Static<typeof AdvanceStep>

/** Body of an advance. */
export const AdvanceBody = Type.Object(
  {
    steps: Type.Array(AdvanceStep, { minItems: 1, maxItems: ADVANCE_LIMITS.stepsMax }),
  },
  closed,
)

export type AdvanceBody = Static<typeof AdvanceBody>
