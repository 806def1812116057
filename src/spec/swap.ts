import { type Static, Type } from '@sinclair/typebox'
import { oneOf } from './envelope.ts'
import type { RouteParameter } from './routes.ts'
import { SWAP_LIMITS } from './swap-limits.ts'

/** What a quote is best at; the first is the default. */
export const SWAP_PREFERENCES = ['CHEAPEST', 'FASTEST'] as const

export type SwapPreference = (typeof SWAP_PREFERENCES)[number]

/** What a fee pays for. */
export const FEE_TYPES = ['service', 'relay', 'protocol'] as const

export type FeeType = (typeof FEE_TYPES)[number]

/** What gas is spent on. */
export const GAS_TYPES = ['send', 'approve'] as const

export type GasType = (typeof GAS_TYPES)[number]

export const STEP_TYPES = ['swap', 'bridge', 'other'] as const

export type StepType = (typeof STEP_TYPES)[number]

/** Every state of a transfer. A refund is a failure, so that who reads `status` alone never takes one for success. */
export const TRANSFER_STATES = {
  NOT_FOUND: [],
  PENDING: ['WAITING_SOURCE', 'WAITING_DESTINATION', 'REFUND_IN_PROGRESS', 'UNKNOWN'],
  DONE: ['COMPLETED', 'PARTIAL'],
  FAILED: [
    'REFUNDED',
    'EXPIRED',
    'SLIPPAGE_EXCEEDED',
    'OUT_OF_GAS',
    'INSUFFICIENT_FUNDS',
    'REFUND_NEEDED',
    'UNKNOWN',
  ],
} as const satisfies Record<string, readonly string[]>

type States = typeof TRANSFER_STATES

/** One state of a transfer and its detail, only in pairs that exist. */
export type TransferState =
  | { readonly status: 'NOT_FOUND'; readonly substatus: null }
  | {
      readonly [S in Exclude<keyof States, 'NOT_FOUND'>]: {
        readonly status: S
        readonly substatus: States[S][number]
      }
    }[Exclude<keyof States, 'NOT_FOUND'>]

/** Why there is no route, as `meta.reason` of `no_route`. */
export type NoRouteReason =
  | 'no_path'
  | 'insufficient_liquidity'
  | 'recipient_not_supported'
  | 'slippage_too_low'
  | 'price_impact'

export type StatusRefusalRow = { readonly status: number; readonly error: string }

/** The closed list of sentences with which a transfer’s status is refused. They carry no code. */
export const STATUS_REFUSALS = {
  malformed_hash: { status: 400, error: 'Give a transaction hash: 0x and 64 hex characters.' },
  malformed_chain: { status: 400, error: 'Chain ids must be whole numbers.' },
  wrong_method: { status: 405, error: 'This method is not supported here.' },
  internal: { status: 500, error: 'Something went wrong on our side.' },
  unreachable: { status: 502, error: 'Transfer status is not available right now.' },
  unavailable: { status: 503, error: 'Transfer status is not available right now.' },
  timeout: { status: 504, error: 'Transfer status took too long.' },
} as const satisfies Record<string, StatusRefusalRow>

export type StatusRefusalName = keyof typeof STATUS_REFUSALS

const CHAIN = { type: 'string', pattern: '^[1-9][0-9]{0,15}$' } as const
const ADDRESS = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' } as const
const HASH = { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' } as const

function parameter(
  name: string,
  required: boolean,
  description: string,
  schema: RouteParameter['schema'],
): RouteParameter {
  return { name, required, description, schema }
}

/** What each swap route takes. */
export const SWAP_PARAMETERS = {
  quote: [
    parameter('fromChain', true, 'Chain the tokens are on, from the chain list.', CHAIN),
    parameter('toChain', true, 'Chain the tokens go to.', CHAIN),
    parameter('fromToken', true, 'Token given; the zero address is the native coin.', ADDRESS),
    parameter('toToken', true, 'Token wanted.', ADDRESS),
    parameter('fromAmount', true, 'Amount given, in base units.', {
      type: 'string',
      pattern: '^[1-9][0-9]{0,77}$',
    }),
    parameter(
      'fromAddress',
      false,
      'Wallet that sends. Without it the price is indicative.',
      ADDRESS,
    ),
    parameter('toAddress', false, 'Wallet that receives; the sender unless given.', ADDRESS),
    parameter('slippageBps', false, 'Highest slippage accepted, in hundredths of a percent.', {
      type: 'integer',
      minimum: SWAP_LIMITS.slippageMinBps,
      maximum: SWAP_LIMITS.slippageMaxBps,
      default: SWAP_LIMITS.slippageDefaultBps,
    }),
    parameter('order', false, 'What the route should be best at.', {
      type: 'string',
      enum: SWAP_PREFERENCES,
      default: SWAP_PREFERENCES[0],
    }),
  ],
  tokens: [
    parameter('chainId', true, 'A chain of the chain list.', CHAIN),
    parameter('search', false, 'Part of a symbol or name, or a whole address.', {
      type: 'string',
      minLength: 1,
      maxLength: SWAP_LIMITS.searchMaxChars,
    }),
    parameter('limit', false, 'How many rows, clamped to 1..500.', {
      type: 'integer',
      minimum: 1,
      maximum: 500,
      default: 100,
    }),
  ],
  status: [
    parameter('txHash', true, 'Hash of the transaction on the source chain.', HASH),
    parameter('fromChain', false, 'Source chain; makes the look-up quicker.', CHAIN),
    parameter('toChain', false, 'Destination chain.', CHAIN),
    parameter('quoteId', false, 'The id of the quote.', { type: 'string', maxLength: 256 }),
  ],
} as const satisfies Record<string, readonly RouteParameter[]>

const text = Type.String()
const address = Type.String({ pattern: '^0x[0-9a-f]{40}$' })
const hash = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
const baseUnits = Type.String({ pattern: '^[0-9]{1,78}$', description: 'In base units.' })
const usd = nullable(Type.String({ description: 'US dollars; null when not known.' }))
const chainId = Type.Integer({ minimum: 1 })
const milliseconds = Type.Integer({ description: 'Milliseconds since the epoch.' })

function nullable<T extends ReturnType<typeof Type.Unsafe>>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

/** One token of a chain. Native coins have the zero address. */
const SwapTokenRow = Type.Object({
  chainId,
  address,
  symbol: text,
  name: text,
  decimals: Type.Integer({ minimum: 0, maximum: SWAP_LIMITS.decimalsMax }),
  priceUsd: usd,
  logo: Type.String({ description: 'A URL, or empty.' }),
})

const SwapChainRow = Type.Object({
  chainId,
  name: text,
  type: oneOf(['EVM']),
  nativeSymbol: text,
  nativeDecimals: Type.Integer(),
  nativeAddress: address,
  explorer: Type.String({ description: 'A URL, or empty.' }),
  logo: text,
})

const Fee = Type.Object({
  type: oneOf(FEE_TYPES),
  included: Type.Boolean({ description: 'Whether the amounts of the quote have it taken off.' }),
  amount: baseUnits,
  amountUsd: usd,
  token: nullable(SwapTokenRow),
})

const Gas = Type.Object({
  type: oneOf(GAS_TYPES),
  limit: baseUnits,
  amount: baseUnits,
  amountUsd: usd,
  token: nullable(SwapTokenRow),
})

const Step = Type.Object({
  type: oneOf(STEP_TYPES),
  fromChainId: chainId,
  toChainId: chainId,
  fromToken: SwapTokenRow,
  toToken: SwapTokenRow,
  fromAmount: baseUnits,
  toAmount: baseUnits,
  estimatedDurationSec: Type.Integer(),
})

const Transaction = Type.Object({
  chainId,
  from: address,
  to: address,
  data: Type.String({ pattern: '^0x(?:[0-9a-f]{2})*$' }),
  value: baseUnits,
  gasLimit: Type.Optional(baseUnits),
  gasPrice: Type.Optional(baseUnits),
})

const Approval = Type.Object({
  token: address,
  spender: address,
  amount: Type.String({ description: 'Exactly what is swapped, never unlimited.' }),
  resetFirst: Type.Boolean({ description: 'Whether an allowance must be set to zero before.' }),
})

/** `GET /api/swap/quote`. */
export const SwapQuoteAnswer = Type.Object({
  id: Type.String({ maxLength: 256 }),
  indicative: Type.Boolean({ description: 'A price only: no wallet was given.' }),
  fromChainId: chainId,
  toChainId: chainId,
  fromToken: SwapTokenRow,
  toToken: SwapTokenRow,
  fromAddress: nullable(address),
  toAddress: nullable(address),
  fromAmount: baseUnits,
  toAmount: baseUnits,
  toAmountMin: baseUnits,
  fromAmountUsd: usd,
  toAmountUsd: usd,
  slippageBps: Type.Integer(),
  estimatedDurationSec: Type.Integer(),
  fees: Type.Array(Fee),
  gas: Type.Array(Gas),
  feesUsd: Type.String({ description: 'The sum of the fees whose value is known.' }),
  gasUsd: text,
  approval: nullable(Approval),
  transaction: nullable(Transaction),
  steps: Type.Array(Step),
  createdAt: milliseconds,
  expiresAt: milliseconds,
})

/** `GET /api/swap/chains`. */
export const SwapChainsAnswer = Type.Object({ rows: Type.Array(SwapChainRow) })

/** `GET /api/swap/tokens`. */
export const SwapTokensAnswer = Type.Object({
  rows: Type.Array(SwapTokenRow),
  total: Type.Integer({ minimum: 0, description: 'How many match, before `limit`.' }),
})

const Receipt = {
  chainId,
  txHash: nullable(hash),
  txLink: nullable(text),
  amount: nullable(baseUnits),
  amountUsd: usd,
  token: nullable(SwapTokenRow),
  timestamp: nullable(milliseconds),
}

/** `GET /api/swap/status`. */
export const SwapStatusAnswer = Type.Object({
  status: oneOf(['NOT_FOUND', 'PENDING', 'DONE', 'FAILED']),
  substatus: nullable(Type.String({ enum: [...new Set(Object.values(TRANSFER_STATES).flat())] })),
  final: Type.Boolean(),
  sending: nullable(Type.Object({ ...Receipt, gasAmount: nullable(baseUnits), gasAmountUsd: usd })),
  receiving: nullable(Type.Object(Receipt)),
  fees: Type.Array(Fee),
  fromAddress: nullable(address),
  toAddress: nullable(address),
  updatedAt: milliseconds,
})

export type SwapTokenRow = Static<typeof SwapTokenRow>
export type SwapChainRow = Static<typeof SwapChainRow>
export type SwapQuoteAnswer = Static<typeof SwapQuoteAnswer>
export type SwapChainsAnswer = Static<typeof SwapChainsAnswer>
export type SwapTokensAnswer = Static<typeof SwapTokensAnswer>
export type SwapStatusAnswer = Static<typeof SwapStatusAnswer>
