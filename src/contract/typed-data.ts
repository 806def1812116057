import { type Static, Type } from '@sinclair/typebox'
import { oneOf } from './envelope.ts'
import { HEX_PATTERNS, LOWER_HEX_PATTERNS } from './hex.ts'
import { LimitsBody } from './mandate.ts'
import {
  ApprovalId,
  ChainId,
  EXACT_INTEGER_MAX,
  Frozen,
  KeyExpiration,
  Scope,
  TradingKey,
  WALLET_SIGNATURE,
  WEBHOOK_ACT,
} from './wallet-messages.ts'

const AMOUNT_MAX_DIGITS = 38

const VenueNonce = Type.Integer({
  minimum: 1,
  maximum: EXACT_INTEGER_MAX,
  description: 'From the relayed /v1/withdraw_nonce or /v1/settle_nonce.',
})

/** Body of `POST /api/prep/typed-data`. */
export const TypedDataBody = Type.Union([
  Type.Object({ kind: oneOf(['register']), chainId: ChainId }),
  Type.Object({
    kind: oneOf(['trading-key']),
    chainId: ChainId,
    tradingKey: TradingKey,
    scope: Scope,
    expiration: KeyExpiration,
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
    kind: oneOf(['webhook']),
    chainId: ChainId,
    address: WALLET_SIGNATURE.address,
    ...WEBHOOK_ACT,
  }),
  Type.Object({
    kind: oneOf(['withdraw']),
    chainId: ChainId,
    receiver: Type.String({
      pattern: HEX_PATTERNS.address,
      description: 'The wallet that receives: 0x and 40 hex characters.',
    }),
    token: Type.String({ pattern: '^[A-Z0-9]{1,20}$', description: 'For example USDC.' }),
    amount: Type.String({
      pattern: `^[1-9][0-9]{0,${AMOUNT_MAX_DIGITS - 1}}$`,
      description: 'Fee included, in the smallest unit of the token on that chain.',
    }),
    withdrawNonce: VenueNonce,
  }),
  Type.Object({ kind: oneOf(['settle']), chainId: ChainId, settleNonce: VenueNonce }),
])

export type TypedDataBody = Static<typeof TypedDataBody>

export const TypedDataAnswer = Type.Object({
  typedData: Type.String({
    description: 'The EIP-712 document as one string, for eth_signTypedData_v4.',
  }),
  message: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'Goes as it is to register, trading-key, mandate, webhook or approval/decision; of a withdrawal or settlement into the relayed body.',
  }),
  digest: Type.String({
    pattern: LOWER_HEX_PATTERNS.hash,
    description: 'The message that the wallet signs.',
  }),
  verifyingContract: Type.Optional(
    Type.String({
      pattern: HEX_PATTERNS.address,
      description: 'Of a withdrawal or settlement: goes with message into the relayed body.',
    }),
  ),
})
