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
  /** A URL without a slash at its end, or empty. */
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

/** A request for a quote, valid in itself. Amounts are in base units. */
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
  /** Whether the quoted amounts have it taken off already; otherwise it is paid on top. */
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

/** A quote as a provider gives it, with the provider's own echo of the order. It is still unchecked. */
export type SwapQuote = {
  readonly fromToken: SwapToken
  readonly toToken: SwapToken
  readonly fromAmount: bigint
  readonly toAmount: bigint
  readonly toAmountMin: bigint
  readonly fromAmountUsd: string | null
  readonly toAmountUsd: string | null
  /** The wallets the quote was made for; null only for an indicative one. */
  readonly wallets: { readonly from: string; readonly to: string } | null
  readonly durationSeconds: number
  readonly fees: readonly SwapFee[]
  readonly gas: readonly SwapGas[]
  /** The contract that needs an allowance for the tokens; null when an allowance is unnecessary. */
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
export const UNSEEN_TRANSFER: SwapTransfer = {
  state: { status: 'NOT_FOUND', substatus: null },
  sending: null,
  receiving: null,
  fees: [],
  fromAddress: null,
  toAddress: null,
}

/** A transfer to look up. The chains are hints. */
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
  /** Keeps one provider’s cached lists apart from another’s. */
  readonly origin: string
  /** Contracts that transactions may call and spenders may be, lower case; null allows any contract. */
  readonly routers: ReadonlySet<string> | null
  readonly chains: () => Promise<readonly SwapChain[]>
  /** Every token of a chain, in order of importance. */
  readonly tokens: (chainId: number) => Promise<readonly SwapToken[]>
  readonly quote: (order: SwapOrder) => Promise<SwapQuote>
  readonly transfer: (query: TransferQuery) => Promise<SwapTransfer>
}
