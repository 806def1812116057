import { type Static, Type } from '@sinclair/typebox'
import { APPROVAL_ID } from './approval.ts'
import { AccountId, oneOf } from './envelope.ts'
import { HEX_PATTERNS, LOWER_HEX_PATTERNS } from './hex.ts'
import { LimitsBody } from './mandate.ts'

/** Bounds of wallet-signed messages. */
const WALLET = {
  amountMaxDigits: 38,
  brokerIdMaxChars: 128,
  nonceMaxDigits: 78,
  scopeMaxChars: 64,
  serviceMaxChars: 253,
  signatureMaxDigits: 2048,
} as const

// JSON numbers beyond this were rounded on the way in, and no longer are what the wallet signed.
const EXACT_MAX = Number.MAX_SAFE_INTEGER

const ChainId = Type.Integer({
  minimum: 1,
  maximum: EXACT_MAX,
  description: 'The chain the wallet signs on.',
})

function milliseconds(description: string) {
  return Type.Integer({ minimum: 1, maximum: EXACT_MAX, description })
}

const TradingKey = Type.String({
  pattern: '^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$',
  description:
    'The public half of the trading key: ed25519: and base58. No field takes the secret.',
})

const Scope = Type.String({
  pattern: '^[a-z_]+(?: {0,8}, {0,8}[a-z_]+)*$',
  maxLength: WALLET.scopeMaxChars,
  description: 'What the key may do, for example read,trading.',
})

const BrokerId = Type.Optional(
  Type.String({
    maxLength: WALLET.brokerIdMaxChars,
    description: 'Overwritten with the operator’s; any string will do, and none.',
  }),
)

const WALLET_SIGNATURE = {
  signature: Type.String({
    pattern: `^0x[0-9a-fA-F]{1,${WALLET.signatureMaxDigits}}$`,
    description: 'The wallet’s signature over the typed message.',
  }),
  address: Type.String({
    pattern: HEX_PATTERNS.address,
    description: 'The wallet address: 0x and 40 hex characters.',
  }),
} as const

// Wallets and older clients send fields the struct does not have; they are not signed, and not forwarded.
const TOLERANT = { additionalProperties: true } as const

/** Body of `POST /api/prep/register`. */
export const RegisterBody = Type.Object({
  message: Type.Object(
    {
      brokerId: BrokerId,
      chainId: ChainId,
      timestamp: milliseconds('When the wallet signed, in milliseconds.'),
      registrationNonce: Type.Union(
        [
          Type.Integer({ minimum: 0, maximum: EXACT_MAX }),
          Type.String({ pattern: `^[0-9]{1,${WALLET.nonceMaxDigits}}$` }),
        ],
        { description: 'From the nonce route, as it came.' },
      ),
    },
    TOLERANT,
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
      expiration: milliseconds(
        'When the key stops working, in milliseconds, at most 365 days ahead.',
      ),
    },
    TOLERANT,
  ),
  ...WALLET_SIGNATURE,
})

export type TradingKeyBody = Static<typeof TradingKeyBody>

const Service = Type.String({
  minLength: 1,
  maxLength: WALLET.serviceMaxChars,
  description: 'The host name of the service that is meant.',
})

const VenueNonce = Type.Integer({
  minimum: 1,
  maximum: EXACT_MAX,
  description: 'From the relayed /v1/withdraw_nonce or /v1/settle_nonce.',
})

const Frozen = Type.Boolean({
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
        maximum: EXACT_MAX,
        description: 'Higher than that of the account’s last mandate.',
      }),
      timestamp: milliseconds('When the wallet signed, in milliseconds.'),
    },
    TOLERANT,
  ),
  ...WALLET_SIGNATURE,
})

export type MandateBody = Static<typeof MandateBody>

const ApprovalId = Type.String({ pattern: APPROVAL_ID, description: 'The id of the approval.' })

/** Body of `POST /api/prep/approval/decision`: what the owner's wallet has signed, or a refusal, which needs no wallet. */
export const DecisionBody = Type.Union([
  Type.Object({
    message: Type.Object({ chainId: ChainId, approval: ApprovalId, service: Service }, TOLERANT),
    ...WALLET_SIGNATURE,
  }),
  Type.Object({ refuse: ApprovalId }),
])

export type DecisionBody = Static<typeof DecisionBody>

/** Body of `POST /api/prep/typed-data`. */
export const TypedDataBody = Type.Union([
  Type.Object({ kind: oneOf(['register']), chainId: ChainId }),
  Type.Object({
    kind: oneOf(['trading-key']),
    chainId: ChainId,
    tradingKey: TradingKey,
    scope: Scope,
    expiration: milliseconds(
      'When the key stops working, in milliseconds, at most 365 days ahead.',
    ),
  }),
  Type.Object({
    kind: oneOf(['mandate']),
    chainId: ChainId,
    address: WALLET_SIGNATURE.address,
    limits: LimitsBody,
    frozen: Type.Optional(Frozen),
  }),
  Type.Object({ kind: oneOf(['approval']), chainId: ChainId, approval: ApprovalId }),
  Type.Object({
    kind: oneOf(['withdraw']),
    chainId: ChainId,
    receiver: Type.String({
      pattern: HEX_PATTERNS.address,
      description: 'The wallet that receives: 0x and 40 hex characters.',
    }),
    token: Type.String({ pattern: '^[A-Z0-9]{1,20}$', description: 'For example USDC.' }),
    amount: Type.String({
      pattern: `^[1-9][0-9]{0,${WALLET.amountMaxDigits - 1}}$`,
      description: 'Fee included, in the smallest unit of the token on that chain.',
    }),
    withdrawNonce: VenueNonce,
  }),
  Type.Object({ kind: oneOf(['settle']), chainId: ChainId, settleNonce: VenueNonce }),
])

export type TypedDataBody = Static<typeof TypedDataBody>

export const NonceAnswer = Type.Object({ nonce: Type.String() })

/** Without `accountId` where the wallet had an account before. */
export const RegisterAnswer = Type.Object({
  created: Type.Boolean(),
  accountId: Type.Optional(AccountId),
})

export const TradingKeyAnswer = Type.Object({
  bound: Type.Boolean({ description: 'Always true.' }),
  expiration: Type.Integer({ description: 'When the key stops working, in milliseconds.' }),
})

export const TypedDataAnswer = Type.Object({
  typedData: Type.String({
    description: 'The EIP-712 document as one string, for eth_signTypedData_v4.',
  }),
  message: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'Goes as it is to register, trading-key, mandate or approval/decision; of a withdrawal or settlement into the relayed body.',
  }),
  digest: Type.String({ pattern: LOWER_HEX_PATTERNS.hash, description: 'What the wallet signs.' }),
  verifyingContract: Type.Optional(
    Type.String({
      pattern: HEX_PATTERNS.address,
      description: 'Of a withdrawal or settlement: goes with message into the relayed body.',
    }),
  ),
})
