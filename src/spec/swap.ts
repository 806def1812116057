import type { RefusalRow } from './failures.ts'
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

/** The closed list of sentences with which a transfer’s status is refused. They carry no code. */
export const STATUS_REFUSALS = {
  malformed_hash: { status: 400, error: 'Give a transaction hash: 0x and 64 hex characters.' },
  malformed_chain: { status: 400, error: 'Chain ids must be whole numbers.' },
  wrong_method: { status: 405, error: 'This method is not supported here.' },
  internal: { status: 500, error: 'Something went wrong on our side.' },
  unreachable: { status: 502, error: 'Transfer status is not available right now.' },
  unavailable: { status: 503, error: 'Transfer status is not available right now.' },
  timeout: { status: 504, error: 'Transfer status took too long.' },
} as const satisfies Record<string, RefusalRow>

export type StatusRefusalName = keyof typeof STATUS_REFUSALS
