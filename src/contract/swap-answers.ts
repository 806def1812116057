import { type Static, Type } from '@sinclair/typebox'
import { oneOf } from './envelope.ts'
import { LOWER_HEX_PATTERNS } from './hex.ts'
import { FEE_TYPES, GAS_TYPES, STEP_TYPES, SWAP_LIMITS, TRANSFER_STATES } from './swap.ts'

const text = Type.String()
const address = Type.String({ pattern: LOWER_HEX_PATTERNS.address })
const hash = Type.String({ pattern: LOWER_HEX_PATTERNS.hash })
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
  data: Type.String({ pattern: LOWER_HEX_PATTERNS.bytes }),
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
