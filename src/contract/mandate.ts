import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { oneOf } from './envelope.ts'
import { SYMBOL_PATTERN } from './market/symbols.ts'

/** Bounds of a mandate's values. */
const MANDATE = {
  usdcMaxDigits: 12,
  leverageMax: 1000,
  ordersPerMinuteMax: 100_000,
  symbolsMax: 200,
  /** The latest time that a JavaScript Date can represent. */
  timeMaxMs: 8_640_000_000_000_000,
} as const

/** An amount of USDC as text with at most six decimals, or as a whole number. */
function usdc(description: string) {
  return Type.Union(
    [
      Type.Integer({ minimum: 0, maximum: 10 ** MANDATE.usdcMaxDigits - 1 }),
      Type.String({
        pattern: `^(?:0|[1-9][0-9]{0,${MANDATE.usdcMaxDigits - 1}})(?:\\.[0-9]{1,6})?$`,
      }),
    ],
    { description: `${description} Decimal text, or a whole number.` },
  )
}

/** The limits of an account as JSON. An omitted limit means no limit. */
const LIMIT_FIELDS = {
  maxOrderUsdc: usdc('Maximum value of one order, in USDC.'),
  maxDailyUsdc: usdc('Maximum value of orders in a rolling 24 hours, in whole minutes, in USDC.'),
  maxPositionUsdc: usdc(
    'Maximum exposure in one market, in USDC: the larger of the long and the short side that positions, open orders and waiting conditional orders can lead to.',
  ),
  maxLossUsdc: usdc(
    'Maximum loss in a rolling 24 hours, in USDC: PnL by prices, realised or not, with fees and funding.',
  ),
  maxTransferUsdc: usdc(
    'Maximum sum of internal transfers in a rolling 24 hours, in USDC. With it only USDC is transferred.',
  ),
  approveAboveUsdc: usdc(
    'Maximum value of one write that goes without the approval of the account’s owner, in USDC.',
  ),
  approveAboveDailyUsdc: usdc(
    'Maximum value of all writes in a rolling 24 hours that go without the approval of the account’s owner, in USDC.',
  ),
  maxLeverage: Type.Integer({
    minimum: 1,
    maximum: MANDATE.leverageMax,
    description: 'Maximum leverage: of the leverage setting, and of exposure ÷ account value.',
  }),
  maxOrdersPerMinute: Type.Integer({
    minimum: 1,
    maximum: MANDATE.ordersPerMinuteMax,
    description: 'Maximum number of orders per rolling minute.',
  }),
  symbols: Type.Array(Type.String({ pattern: SYMBOL_PATTERN.source }), {
    maxItems: MANDATE.symbolsMax,
    uniqueItems: true,
    description: 'Allowlist of markets; an empty list allows no market.',
  }),
  reduceOnly: Type.Boolean({ description: 'Only cancels and reduce-only orders.' }),
  readOnly: Type.Boolean({ description: 'No writes at all but cancels and reduce-only orders.' }),
  onceByClientOrderId: Type.Boolean({
    description: 'Each order carries a client_order_id, and one that was used is refused.',
  }),
  approveChanges: Type.Boolean({
    description:
      'Leverage, margin, transfers and withdrawals go only with the approval of the account’s owner.',
  }),
  expiresAtMs: Type.Integer({
    minimum: 1,
    maximum: MANDATE.timeMaxMs,
    description: 'From then on only cancels and reduce-only orders, in milliseconds.',
  }),
} as const satisfies Readonly<Record<string, TSchema>>

/** A set of limits. Unknown names are refused, because a misspelt limit would otherwise count as no limit. */
export const LimitsBody = Type.Partial(Type.Object(LIMIT_FIELDS, { additionalProperties: false }))

export type LimitsBody = Static<typeof LimitsBody>

/** Body of the call that tightens a mandate: stricter limits, or a freeze. */
export const TightenBody = Type.Object(
  {
    limits: Type.Optional(LimitsBody),
    frozen: Type.Optional(
      Type.Literal(true, { description: 'true: only cancels and reduce-only orders pass.' }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
)

const USDC_TEXT = Type.String({ description: 'USDC as decimal text.' })

/** The use of each current limit, and the time at which the use resets. */
const USE = {
  used: Type.Optional(
    Type.Partial(
      Type.Object({
        maxDailyUsdc: USDC_TEXT,
        maxOrdersPerMinute: Type.Integer(),
        maxPositionUsdc: Type.Union([USDC_TEXT, Type.Null()]),
        maxLossUsdc: Type.Union([USDC_TEXT, Type.Null()]),
        maxTransferUsdc: USDC_TEXT,
        approveAboveDailyUsdc: USDC_TEXT,
        maxLeverage: Type.Union([Type.Number(), Type.Null()]),
      }),
      {
        description:
          'Use of the limits that hold. null is unknown: relay GET /v1/algo/orders?status=INCOMPLETE&size=500 and then GET /v1/positions first; the figures count for ten seconds.',
      },
    ),
  ),
  renewsAtMs: Type.Optional(
    Type.Partial(
      Type.Object({
        maxDailyUsdc: Type.Union([Type.Integer(), Type.Null()]),
        maxOrdersPerMinute: Type.Union([Type.Integer(), Type.Null()]),
      }),
      {
        description: 'When the oldest use ends, by the venue’s clock; null where nothing is used.',
      },
    ),
  ),
  stillOpening: Type.Optional(
    Type.Union(
      [
        Type.Array(
          Type.Object({
            kind: oneOf(['open', 'waiting'], 'An order in the book, or a conditional order.'),
            orderId: Type.Integer(),
            symbol: Type.String(),
            side: Type.Union([oneOf(['BUY', 'SELL']), Type.Null()]),
            quantity: Type.String({ description: 'Open quantity, as decimal text.' }),
            cancel: Type.Object(
              { method: oneOf(['DELETE']), path: Type.String() },
              { description: 'Sign and relay it to cancel this order alone.' },
            ),
          }),
        ),
        Type.Null(),
      ],
      {
        description:
          'Of an account that may open nothing: its orders that can still open a position. They stay until they are cancelled. Reduce-only orders, and stops and take profits of positions, are left out. null is unknown: first relay GET /v1/orders?status=INCOMPLETE&size=500 and GET /v1/algo/orders?status=INCOMPLETE&size=500, whose answers count for ten seconds.',
      },
    ),
  ),
} as const satisfies Readonly<Record<string, TSchema>>

export type MandateUse = Pick<Static<typeof MandateAnswer>, 'used' | 'renewsAtMs' | 'stillOpening'>

/** The answer that an account's trading key reads: the account's limits and their use. */
export const MandateAnswer = Type.Object({
  ...USE,
  limits: LimitsBody,
  effectiveLimits: Type.Optional(
    Type.Composite([LimitsBody], {
      additionalProperties: false,
      description:
        'The tighter of the wallet’s limits and of the operator’s (PREPD_AGENT_…), where they differ from the wallet’s: every relayed write is judged by them.',
    }),
  ),
  counter: Type.Integer({
    minimum: 0,
    description: 'Of the wallet’s last mandate; 0 before the first.',
  }),
  frozenBy: oneOf(
    ['none', 'key', 'wallet', 'operator'],
    'Party that froze the account. The wallet lifts what it or a key froze, the operator what the operator froze.',
  ),
  recordsLost: Type.Optional(
    Type.String({
      description:
        'Present while records of the store are known to be lost: which, in a sentence. The account may only cancel and reduce (`restored`) until its wallet signs a mandate or the operator confirms the loss.',
    }),
  ),
})
