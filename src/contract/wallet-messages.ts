import { type Static, Type } from '@sinclair/typebox'
import { APPROVAL_ID } from './approval.ts'
import { AccountId, oneOf } from './envelope.ts'
import { HEX_PATTERNS } from './hex.ts'
import { LimitsBody } from './mandate.ts'
import { WEBHOOK_ACTIONS, WEBHOOK_ID, WebhookEvents, WebhookUrl } from './webhook.ts'

/** Bounds of wallet-signed messages. */
const WALLET = {
  brokerIdMaxChars: 128,
  nonceMaxDigits: 78,
  scopeMaxChars: 64,
  serviceMaxChars: 253,
  signatureMaxDigits: 2048,
} as const

// The maximum of exact integers. The JSON parser rounds larger numbers, and a rounded number differs from the signed
// number.
export const EXACT_INTEGER_MAX = Number.MAX_SAFE_INTEGER

export const ChainId = Type.Integer({
  minimum: 1,
  maximum: EXACT_INTEGER_MAX,
  description: 'The chain the wallet signs on, as a number: 42161.',
})

function milliseconds(description: string) {
  return Type.Integer({ minimum: 1, maximum: EXACT_INTEGER_MAX, description })
}

export const TradingKey = Type.String({
  pattern: '^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$',
  description:
    'The public half of the trading key: ed25519: and base58. No field takes the secret.',
})

export const Scope = Type.String({
  pattern: '^[a-z_]+(?: {0,8}, {0,8}[a-z_]+)*$',
  maxLength: WALLET.scopeMaxChars,
  description: 'Rights of the key, for example read,trading.',
})

export const KeyExpiration = milliseconds(
  'When the key stops working, in milliseconds, at most 365 days ahead.',
)

const BrokerId = Type.Optional(
  Type.String({
    maxLength: WALLET.brokerIdMaxChars,
    description: 'Overwritten with the operator’s; any string, or absent.',
  }),
)

export const WALLET_SIGNATURE = {
  signature: Type.String({
    pattern: `^0x[0-9a-fA-F]{1,${WALLET.signatureMaxDigits}}$`,
    description: 'The wallet’s signature over the typed message: 0x and hex, 65 or 64 bytes.',
  }),
  address: Type.String({
    pattern: HEX_PATTERNS.address,
    description: 'The wallet address: 0x and 40 hex characters.',
  }),
} as const

// Accepts additional fields, which wallets and older clients send. They are neither signed nor forwarded.
const ADDITIONAL_FIELDS_ALLOWED = { additionalProperties: true } as const

/** Body of `POST /api/prep/register`. */
export const RegisterBody = Type.Object({
  message: Type.Object(
    {
      brokerId: BrokerId,
      chainId: ChainId,
      timestamp: milliseconds('When the wallet signed, in milliseconds.'),
      registrationNonce: Type.Union(
        [
          Type.Integer({ minimum: 0, maximum: EXACT_INTEGER_MAX }),
          Type.String({ pattern: `^[0-9]{1,${WALLET.nonceMaxDigits}}$` }),
        ],
        { description: 'From the nonce route, as it came.' },
      ),
    },
    ADDITIONAL_FIELDS_ALLOWED,
  ),
  ...WALLET_SIGNATURE,
})

export type RegisterBody = Static<typeof RegisterBody>

/** Body of `POST /api/prep/trading-key`. */
export const TradingKeyBody = Type.Object({
  message: Type.Object(
    {
      brokerId: BrokerId,
      chainId: ChainId,
      tradingKey: TradingKey,
      scope: Scope,
      timestamp: milliseconds('When the wallet signed, in milliseconds.'),
      expiration: KeyExpiration,
    },
    ADDITIONAL_FIELDS_ALLOWED,
  ),
  ...WALLET_SIGNATURE,
})

export type TradingKeyBody = Static<typeof TradingKeyBody>

const Service = Type.String({
  minLength: 1,
  maxLength: WALLET.serviceMaxChars,
  description: 'The host name of the service that is meant.',
})

export const Frozen = Type.Boolean({
  description:
    'Whether the account may only cancel and reduce; false lifts a freeze of its keys and its wallet.',
})

/** Body of `POST /api/prep/mandate`. */
export const MandateBody = Type.Object({
  message: Type.Object(
    {
      chainId: ChainId,
      account: AccountId,
      service: Service,
      limits: LimitsBody,
      frozen: Frozen,
      counter: Type.Integer({
        minimum: 1,
        maximum: EXACT_INTEGER_MAX,
        description: 'Higher than that of the account’s last mandate.',
      }),
      timestamp: milliseconds('When the wallet signed, in milliseconds.'),
    },
    ADDITIONAL_FIELDS_ALLOWED,
  ),
  ...WALLET_SIGNATURE,
})

export type MandateBody = Static<typeof MandateBody>

export const ApprovalId = Type.String({
  pattern: APPROVAL_ID,
  description: 'The id of the approval.',
})

/**
 * Body of `POST /api/prep/approval/decision`: an approval signed by the owner's wallet, or a refusal, which needs no
 * wallet.
 */
export const DecisionBody = Type.Union([
  Type.Object({
    message: Type.Object(
      { chainId: ChainId, approval: ApprovalId, service: Service },
      ADDITIONAL_FIELDS_ALLOWED,
    ),
    ...WALLET_SIGNATURE,
  }),
  Type.Object({ refuse: ApprovalId }),
])

export type DecisionBody = Static<typeof DecisionBody>

/** A wallet's action on its account's webhooks, with the parameters. */
export const WEBHOOK_ACT = {
  action: oneOf(WEBHOOK_ACTIONS, 'list shows them; delete needs webhook, add url and events.'),
  url: Type.Optional(WebhookUrl),
  events: Type.Optional(WebhookEvents),
  webhook: Type.Optional(
    Type.String({ pattern: WEBHOOK_ID, description: 'The id of the webhook to delete.' }),
  ),
} as const

/** Body of `POST /api/prep/webhook`. */
export const WebhookBody = Type.Object({
  message: Type.Object(
    {
      chainId: ChainId,
      account: AccountId,
      service: Service,
      ...WEBHOOK_ACT,
      timestamp: milliseconds('When the wallet signed, in milliseconds.'),
    },
    ADDITIONAL_FIELDS_ALLOWED,
  ),
  ...WALLET_SIGNATURE,
})

export type WebhookBody = Static<typeof WebhookBody>

export const NonceAnswer = Type.Object({ nonce: Type.String() })

/** `accountId` is absent if the wallet already had an account. */
export const RegisterAnswer = Type.Object({
  created: Type.Boolean(),
  accountId: Type.Optional(AccountId),
})

export const TradingKeyAnswer = Type.Object({
  bound: Type.Boolean({ description: 'Always true.' }),
  expiration: Type.Integer({ description: 'When the key stops working, in milliseconds.' }),
})
