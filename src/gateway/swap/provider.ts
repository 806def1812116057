import type {
  FeeType,
  GasType,
  StepType,
  SwapPreference,
  TransferState,
} from '../../contract/swap.ts'
import { ZERO_ADDRESS } from '../../core/hex.ts'

/** The address that stands for a chain’s native coin. */
export const NATIVE_ADDRESS = ZERO_ADDRESS

/** A chain that swaps can start or end on. Addresses everywhere in this port are lower case. */
export type SwapChain = {
  readonly chainId: number
  readonly name: string
  readonly nativeSymbol: string
  readonly nativeDecimals: number
  /** A URL without a trailing slash, or empty. */
  readonly explorer: string
}

export type SwapToken = {
  readonly chainId: number
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** A plain decimal. */
  readonly priceUsd: string | null
  /** A URL, or empty. */
  readonly logo: string
}

/** A well-formed request for a quote. Amounts are in base units. */
export type SwapOrder = {
  readonly fromChainId: number
  readonly toChainId: number
  readonly fromToken: string
  readonly toToken: string
  readonly fromAmount: bigint
  /** The wallets; null for a price without a transaction. */
  readonly wallets: { readonly from: string; readonly to: string } | null
  readonly slippageBps: number
  readonly preference: SwapPreference
}

export type SwapFee = {
  readonly type: FeeType
  /** Whether the quoted amounts already deduct the fee; otherwise it is paid in addition. */
  readonly included: boolean
  readonly amount: bigint
  readonly amountUsd: string | null
  readonly token: SwapToken | null
}

export type SwapGas = {
  readonly type: GasType
  readonly limit: bigint
  readonly amount: bigint
  readonly amountUsd: string | null
  readonly token: SwapToken | null
}

export type SwapStep = {
  readonly type: StepType
  readonly fromToken: SwapToken
  readonly toToken: SwapToken
  readonly fromAmount: bigint
  readonly toAmount: bigint
  readonly durationSeconds: number
}

export type SwapTransaction = {
  readonly chainId: number
  readonly from: string
  readonly to: string
  /** 0x and lower-case hex. */
  readonly data: string
  readonly value: bigint
  readonly gasLimit: bigint | null
  readonly gasPrice: bigint | null
}

/** A provider's quote, including its echo of the order. The quote is still unchecked. */
export type SwapQuote = {
  readonly fromToken: SwapToken
  readonly toToken: SwapToken
  readonly fromAmount: bigint
  readonly toAmount: bigint
  readonly toAmountMin: bigint
  readonly fromAmountUsd: string | null
  readonly toAmountUsd: string | null
  /** The wallets of the quote; null only for an indicative quote. */
  readonly wallets: { readonly from: string; readonly to: string } | null
  readonly durationSeconds: number
  readonly fees: readonly SwapFee[]
  readonly gas: readonly SwapGas[]
  /** The contract that needs an allowance for the tokens; null if no allowance is needed. */
  readonly spender: string | null
  readonly resetAllowanceFirst: boolean
  readonly transaction: SwapTransaction | null
  readonly steps: readonly SwapStep[]
}

/** One end of a transfer. */
export type TransferEnd = {
  readonly chainId: number
  readonly txHash: string | null
  readonly amount: bigint | null
  readonly amountUsd: string | null
  readonly token: SwapToken | null
  readonly atMs: number | null
}

export type TransferStart = TransferEnd & {
  readonly gasAmount: bigint | null
  readonly gasAmountUsd: string | null
}

export type SwapTransfer = {
  readonly state: TransferState
  readonly sending: TransferStart | null
  readonly receiving: TransferEnd | null
  readonly fees: readonly SwapFee[]
  readonly fromAddress: string | null
  readonly toAddress: string | null
}

/** A transfer that the provider has not seen yet. */
export const UNKNOWN_TRANSFER: SwapTransfer = {
  state: { status: 'NOT_FOUND', substatus: null },
  sending: null,
  receiving: null,
  fees: [],
  fromAddress: null,
  toAddress: null,
}

/** A transfer to look up. The chains are optional hints. */
export type TransferQuery = {
  readonly txHash: string
  readonly fromChainId: number | null
  readonly toChainId: number | null
}

/**
 * A source of routes. Every method throws only Failure. `quote` may throw `unsupported_token`, `no_route` with
 * `meta.reason`, `amount_too_low` and `amount_too_high`.
 */
export type SwapProvider = {
  /** Part of cache keys, so that the lists of different providers are separate. */
  readonly origin: string
  /** Contracts that may be the target or the spender of transactions, in lower case; null: any contract. */
  readonly routers: ReadonlySet<string> | null
  readonly chains: () => Promise<readonly SwapChain[]>
  /** Every token of a chain, in order of importance. */
  readonly tokens: (chainId: number) => Promise<readonly SwapToken[]>
  readonly quote: (order: SwapOrder) => Promise<SwapQuote>
  readonly transfer: (query: TransferQuery) => Promise<SwapTransfer>
}
