import { DAY_SECONDS } from './durations.ts'
import type { ReasonOf, RefusalRow } from './failures.ts'
import { type Lifetime, lifetime } from './limits.ts'

/** The criterion for the best quote; the first is the default. */
export const SWAP_PREFERENCES = ['CHEAPEST', 'FASTEST'] as const

export type SwapPreference = (typeof SWAP_PREFERENCES)[number]

/** The purpose of a fee. */
export const FEE_TYPES = ['service', 'relay', 'protocol'] as const

export type FeeType = (typeof FEE_TYPES)[number]

/** The uses of gas. */
export const GAS_TYPES = ['send', 'approve'] as const

export type GasType = (typeof GAS_TYPES)[number]

export const STEP_TYPES = ['swap', 'bridge', 'other'] as const

export type StepType = (typeof STEP_TYPES)[number]

/**
 * The states of a transfer, with their details. A refund is a failure, so that a client that reads only `status` does
 * not mistake it for success.
 */
export const TRANSFER_STATES = {
  NOT_FOUND: [],
  PENDING: ['WAITING_SOURCE', 'WAITING_DESTINATION', 'REFUND_IN_PROGRESS', 'UNKNOWN'],
  DONE: ['COMPLETED', 'PARTIAL', 'UNKNOWN'],
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

/** A valid pair of a transfer's state and its detail. */
export type TransferState =
  | { readonly status: 'NOT_FOUND'; readonly substatus: null }
  | {
      readonly [S in Exclude<keyof States, 'NOT_FOUND'>]: {
        readonly status: S
        readonly substatus: States[S][number]
      }
    }[Exclude<keyof States, 'NOT_FOUND'>]

/** The reason why there is no route: `meta.reason` of `no_route`. */
export type NoRouteReason = ReasonOf<'no_route'>

/** The failures of the transfer status route: sentences without codes. */
export const SWAP_STATUS_REFUSALS = {
  malformed_hash: { status: 400, error: 'Give a transaction hash: 0x and 64 hex characters.' },
  malformed_chain: { status: 400, error: 'Chain ids must be whole numbers.' },
  wrong_method: { status: 405, error: 'This method is not supported here.' },
  internal: { status: 500, error: 'Something went wrong on our side.' },
  unreachable: { status: 502, error: 'Transfer status is not available right now.' },
  unavailable: { status: 503, error: 'Transfer status is not available right now.' },
  timeout: { status: 504, error: 'Transfer status took too long.' },
} as const satisfies Record<string, RefusalRow>

export type StatusRefusalName = keyof typeof SWAP_STATUS_REFUSALS

/**
 * Router functions that a swap transaction may call if the operator names no routers, by selector (the first four bytes
 * of the signature's Keccak-256). They swap on one chain, or transfer to another chain with or without a swap.
 */
// biome-ignore format: one function a row
export const ROUTER_CALLS: ReadonlyMap<string, string> = new Map([
  ['0x4630a0d8', 'swapTokensGeneric'],
  ['0x5fd9ae2e', 'swapTokensMultipleV3ERC20ToERC20'],
  ['0x2c57e884', 'swapTokensMultipleV3ERC20ToNative'],
  ['0x736eac0b', 'swapTokensMultipleV3NativeToERC20'],
  ['0x4666fc80', 'swapTokensSingleV3ERC20ToERC20'],
  ['0x733214a3', 'swapTokensSingleV3ERC20ToNative'],
  ['0xaf7060fd', 'swapTokensSingleV3NativeToERC20'],
  ['0x1fd8010c', 'startBridgeTokensViaAcross'],
  ['0x3a3f7332', 'swapAndStartBridgeTokensViaAcross'],
  ['0x7260352d', 'startBridgeTokensViaAcrossV4ERC20Min'],
  ['0x36b92404', 'startBridgeTokensViaAcrossV4ERC20Packed'],
  ['0x72dd147e', 'startBridgeTokensViaAcrossV4NativeMin'],
  ['0xc5d60e97', 'startBridgeTokensViaAcrossV4NativePacked'],
  ['0xa1f1ce43', 'startBridgeTokensViaAcrossV4'],
  ['0x1794958f', 'swapAndStartBridgeTokensViaAcrossV4'],
  ['0x6a90d66e', 'startBridgeTokensViaAcrossV4Swap'],
  ['0x9b054bc4', 'swapAndStartBridgeTokensViaAcrossV4Swap'],
  ['0x6a51e9a9', 'startBridgeTokensViaAllBridge'],
  ['0x63267469', 'swapAndStartBridgeTokensViaAllBridge'],
  ['0xc9851d0b', 'startBridgeTokensViaArbitrumBridge'],
  ['0x3cc9517b', 'swapAndStartBridgeTokensViaArbitrumBridge'],
  ['0xe0a4201c', 'startBridgeTokensViaCelerCircleBridge'],
  ['0x4f3b0759', 'swapAndStartBridgeTokensViaCelerCircleBridge'],
  ['0x0315138f', 'startBridgeTokensViaCentrifuge'],
  ['0x8fd4d4dd', 'swapAndStartBridgeTokensViaCentrifuge'],
  ['0x0ad553b3', 'startBridgeTokensViaChainflip'],
  ['0xee3314a1', 'swapAndStartBridgeTokensViaChainflip'],
  ['0x4004633e', 'startBridgeTokensViaDeBridgeDln'],
  ['0x2c7d2db0', 'swapAndStartBridgeTokensViaDeBridgeDln'],
  ['0xbff90b61', 'startBridgeTokensViaEco'],
  ['0x762aea18', 'swapAndStartBridgeTokensViaEco'],
  ['0x678786ea', 'startBridgeTokensViaFrax'],
  ['0x07b8e4c7', 'swapAndStartBridgeTokensViaFrax'],
  ['0x5f9af35d', 'startBridgeTokensViaGarden'],
  ['0x76ad76fe', 'swapAndStartBridgeTokensViaGarden'],
  ['0xfc5f1003', 'startBridgeTokensViaGasZip'],
  ['0x606326ff', 'swapAndStartBridgeTokensViaGasZip'],
  ['0x6f9206ba', 'startBridgeTokensViaGlacis'],
  ['0x9c4b6dd9', 'swapAndStartBridgeTokensViaGlacis'],
  ['0xf66fe519', 'startBridgeTokensViaGnosisBridge'],
  ['0x7bf96e0a', 'swapAndStartBridgeTokensViaGnosisBridge'],
  ['0xee9e98e0', 'startBridgeTokensViaLayerSwap'],
  ['0x4c279d6b', 'swapAndStartBridgeTokensViaLayerSwap'],
  ['0x7dbcf1d9', 'startBridgeTokensViaLiFiIntentEscrowV2'],
  ['0x6d21c5df', 'swapAndStartBridgeTokensViaLiFiIntentEscrowV2'],
  ['0xb4875292', 'startBridgeTokensViaMayan'],
  ['0x80c65808', 'swapAndStartBridgeTokensViaMayan'],
  ['0x4213dfff', 'startBridgeTokensViaMegaETHBridge'],
  ['0x22256e89', 'swapAndStartBridgeTokensViaMegaETHBridge'],
  ['0x4698f032', 'startBridgeTokensViaNEARIntents'],
  ['0x02631b09', 'swapAndStartBridgeTokensViaNEARIntents'],
  ['0x782621d8', 'startBridgeTokensViaOmniBridge'],
  ['0x95726782', 'swapAndStartBridgeTokensViaOmniBridge'],
  ['0xce8a97a5', 'startBridgeTokensViaOptimismBridge'],
  ['0x5bb5d448', 'swapAndStartBridgeTokensViaOptimismBridge'],
  ['0x5080ffe2', 'startBridgeTokensViaPaxosTransit'],
  ['0x637f1d04', 'swapAndStartBridgeTokensViaPaxosTransit'],
  ['0xaf62c7d6', 'startBridgeTokensViaPolygonBridge'],
  ['0xb4f37581', 'swapAndStartBridgeTokensViaPolygonBridge'],
  ['0xf434d6ca', 'startBridgeTokensViaPolymerCCTP'],
  ['0x17917a4e', 'swapAndStartBridgeTokensViaPolymerCCTP'],
  ['0x092e8fa4', 'startBridgeTokensViaRelayDepository'],
  ['0xa3443faa', 'swapAndStartBridgeTokensViaRelayDepository'],
  ['0x3f313808', 'startBridgeTokensViaSquid'],
  ['0xa8f66666', 'swapAndStartBridgeTokensViaSquid'],
  ['0x14d53077', 'startBridgeTokensViaStargate'],
  ['0xa6010a66', 'swapAndStartBridgeTokensViaStargate'],
  ['0x0691ff78', 'startBridgeTokensViaSuperset'],
  ['0xf26e657f', 'swapAndStartBridgeTokensViaSuperset'],
  ['0xe23b7a08', 'startBridgeTokensViaSymbiosis'],
  ['0xc46059b2', 'swapAndStartBridgeTokensViaSymbiosis'],
  ['0x2541ec57', 'startBridgeTokensViaThorSwap'],
  ['0xad673d88', 'swapAndStartBridgeTokensViaThorSwap'],
  ['0x64261d58', 'startBridgeTokensViaUnit'],
  ['0x21a3af52', 'swapAndStartBridgeTokensViaUnit'],
])

/** Sizes, ages and counts of the swap routes. The unit is the last word of each name. */
export const SWAP_LIMITS = {
  slippageMinBps: 1,
  slippageMaxBps: 2000,
  slippageDefaultBps: 50,
  searchMaxChars: 64,
  decimalsMax: 36,
  symbolMaxChars: 32,
  nameMaxChars: 64,
  urlMaxChars: 256,
  calldataMaxBytes: 64 * 1024,
  /** Maximum number of fees, gas costs and steps per quote. */
  quoteRowsMax: 32,
  /**
   * Maximum value of native coins that a transaction may take in addition to the amount. A quarter of the swap's value
   * applies if it is larger.
   */
  costsFreeUsd: 20n,
  /** Maximum value of a transaction's gas. A quarter of the swap's value applies if it is larger. */
  gasFreeUsd: 250n,
  gasLimitMax: 30_000_000n,
  gasPriceMaxWei: 10_000n * 10n ** 9n,
  chainsMax: 256,
  tokensPerChainMax: 20_000,
  quoteLifeMs: 60_000,
  durationMaxSeconds: 7 * DAY_SECONDS,
  quoteDeadlineMs: 15_000,
  listDeadlineMs: 20_000,
  statusDeadlineMs: 10_000,
  quoteBodyMaxBytes: 1024 * 1024,
  listBodyMaxBytes: 16 * 1024 * 1024,
  concurrentMax: 32,
  queuedMax: 128,
  retryPauseMs: 250,
  quotaPauseDefaultSeconds: 60,
  quotaPauseMaxSeconds: 7200,
} as const

/** List sizes of the tokens route. */
export const SWAP_TOKENS_CLAMP = { min: 1, max: 500, fallback: 100 } as const

/** The lifetimes of answers in this service's cache. Callers get quotes and states as no-store. */
export const SWAP_LIFETIMES = {
  chains: lifetime(3600, DAY_SECONDS),
  tokens: lifetime(3600, DAY_SECONDS),
  indicativeQuote: lifetime(10, 0),
  status: lifetime(3, 0),
  finalStatus: lifetime(3600, 0),
} as const satisfies Record<string, Lifetime>

/** Whether a quote's minimum amount is within the slippage of its amount, with a tolerance of one base unit for rounding. */
export function isWithinSlippage(slippageBps: number, amount: bigint, least: bigint): boolean {
  const kept = amount * BigInt(ALL_BPS - slippageBps)
  return least > 0n && least <= amount && (least + 1n) * BigInt(ALL_BPS) >= kept
}

const ALL_BPS = 10_000
