import { type Static, Type } from '@sinclair/typebox'
import { DAY_SECONDS } from './durations.ts'
import type { RefusalRow } from './failures.ts'
import { HEX_PATTERNS } from './hex.ts'

/** Sizes, ages and counts of the voucher signer. The unit is the last word of each name. */
export const VOUCHER_LIMITS = {
  bodyMaxBytes: 1024,
  /** A stored voucher is returned only if it is valid for longer than this. Otherwise a new voucher is issued. */
  reissueMarginSeconds: 60,
  validityMaxSeconds: 604_800,
  capWindowSeconds: DAY_SECONDS,
  clockSkewMaxMs: 300_000,
  unknownHashMs: 10_000,
  unknownHashesMax: 10_000,
  flightsMax: 64,
  headMs: 3_000,
  endpointDeadlineMs: 8_000,
  /** How long to wait for the remaining endpoints once enough others agree. */
  endpointWaitMs: 1_000,
  endpointAnswerMaxBytes: 4 * 1024 * 1024,
  signerDeadlineMs: 5_000,
  signerAnswerMaxBytes: 1024,
  /** How often remote signers and caps are checked. */
  watchEveryMs: 15_000,
  logsMax: 10_000,
  listRowsMax: 500,
} as const

/**
 * The body of `POST /api/relayer/voucher`: the transaction, and the log index of one of its deposits. Everything else
 * is read from the chain.
 */
export const VoucherBody = Type.Object(
  {
    chainId: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Chain on which the deposit was made.',
    }),
    txHash: Type.String({
      pattern: HEX_PATTERNS.hash,
      description: 'Hash of the deposit’s transaction.',
    }),
    logIndex: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Which deposit, when the transaction holds several.',
      }),
    ),
  },
  { additionalProperties: false },
)

export type VoucherBody = Static<typeof VoucherBody>

/** The closed list of sentences and statuses that refuse a voucher. They have no code. */
export const VOUCHER_REFUSALS = {
  malformed: { status: 400, error: 'Send a JSON body with chainId and txHash.' },
  unsupported_chain: { status: 400, error: 'This chain is not supported.' },
  several_deposits: {
    status: 400,
    error: 'This transaction holds several deposits. Say which with logIndex.',
  },
  unknown_transaction: { status: 404, error: 'No such transaction was found on that chain.' },
  wrong_method: { status: 405, error: 'This method is not supported here.' },
  under_review: { status: 409, error: 'This deposit is under review.' },
  too_large: { status: 413, error: 'The request body is too large.' },
  wrong_type: { status: 415, error: 'Send the body as application/json.' },
  reverted: { status: 422, error: 'This transaction did not succeed.' },
  no_deposit: { status: 422, error: 'This transaction holds no deposit.' },
  not_redeemable: { status: 422, error: 'This deposit cannot be redeemed here.' },
  internal: { status: 500, error: 'Something went wrong on our side.' },
  unreadable: {
    status: 503,
    error: 'The chain could not be read safely. Try again shortly.',
    retryAfterSeconds: 15,
  },
  unkept: {
    status: 503,
    error: 'The voucher cannot be recorded right now. Nothing was signed. Try again in a moment.',
    retryAfterSeconds: 1,
  },
  closed: {
    status: 503,
    error: 'Vouchers are not available right now. Nothing was signed.',
    retryAfterSeconds: 60,
  },
  unavailable: { status: 503, error: 'Vouchers are not available on this deployment.' },
} as const satisfies Record<string, RefusalRow>

export type VoucherRefusalName = keyof typeof VOUCHER_REFUSALS

/** The wait before a caller may ask again about a deposit that is not final. */
export const PENDING_RETRY_SECONDS = 15

/** The EIP-712 domain, without the chain id and the redeemer contract. */
export const VOUCHER_DOMAIN = { name: 'Redemption Voucher', version: '1' } as const

/**
 * The fields of the signed struct. The redeemer contract has the same struct; the hash covers names, types and order.
 */
export const VOUCHER_FIELDS = [
  { name: 'sourceChainId', type: 'uint256' },
  { name: 'sourceVault', type: 'address' },
  { name: 'depositId', type: 'uint256' },
  { name: 'recipient', type: 'address' },
  { name: 'token', type: 'address' },
  { name: 'amount', type: 'uint256' },
  { name: 'validUntil', type: 'uint256' },
] as const

type EventField = {
  readonly name: string
  readonly type: 'uint256' | 'uint128' | 'uint64' | 'address' | 'bytes32'
}

export type EventRow = {
  readonly name: string
  /** The indexed fields: the log topics after the first topic. */
  readonly topics: readonly EventField[]
  readonly data: readonly EventField[]
}

/**
 * The events by which a vault reports a deposit. `Deposit` has token, amount, recipient and destination.
 * `AccountDepositTo` has only the request: a token transfer must confirm it, and the configuration sets the
 * destination.
 */
export const DEPOSIT_EVENTS = {
  Deposit: {
    name: 'Deposit',
    topics: [
      { name: 'depositId', type: 'uint256' },
      { name: 'depositor', type: 'address' },
      { name: 'token', type: 'address' },
    ],
    data: [
      { name: 'amount', type: 'uint256' },
      { name: 'recipient', type: 'address' },
      { name: 'destinationChainId', type: 'uint256' },
    ],
  },
  AccountDepositTo: {
    name: 'AccountDepositTo',
    topics: [
      { name: 'accountId', type: 'bytes32' },
      { name: 'userAddress', type: 'address' },
      { name: 'depositNonce', type: 'uint64' },
    ],
    data: [
      { name: 'tokenHash', type: 'bytes32' },
      { name: 'tokenAmount', type: 'uint128' },
    ],
  },
} as const satisfies Record<string, EventRow>

export type DepositEvent = keyof typeof DEPOSIT_EVENTS

/** The transfer event of ERC-20. */
export const TRANSFER_EVENT = {
  name: 'Transfer',
  topics: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
  ],
  data: [{ name: 'value', type: 'uint256' }],
} as const satisfies EventRow
