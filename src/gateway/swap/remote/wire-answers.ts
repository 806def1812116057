import {
  type GasType,
  type StepType,
  SWAP_LIMITS,
  type TransferState,
} from '../../../contract/swap.ts'
import { isHash } from '../../../core/hex.ts'
import { isObject } from '../../../core/json.ts'
import {
  NATIVE_ADDRESS,
  type SwapQuote,
  type SwapStep,
  type Transfer,
  type TransferEnd,
  UNSEEN_TRANSFER,
} from '../provider.ts'
import { usdOf } from '../text.ts'
import {
  addressAt,
  addressOf,
  amountAt,
  amountOf,
  chainIdAt,
  feesOf,
  objectAt,
  rowsOf,
  secondsOf,
  tokenAt,
  tokenOf,
  WireError,
  type WireRow,
} from './wire.ts'

/** A quote out of the wire’s step object. Throws WireError when a part that money hangs on is missing or malformed. */
export function quoteOf(step: WireRow): SwapQuote {
  const action = objectAt(step, 'action')
  const estimate = objectAt(step, 'estimate')
  const fromToken = agreed(tokenAt(action, 'fromToken'), action, 'fromChainId')
  const call = step['transactionRequest']
  const isFree = fromToken.address === NATIVE_ADDRESS || estimate['skipApproval'] === true
  return {
    fromToken,
    toToken: agreed(tokenAt(action, 'toToken'), action, 'toChainId'),
    fromAmount: sameAmount(action, estimate),
    toAmount: amountAt(estimate, 'toAmount'),
    toAmountMin: amountAt(estimate, 'toAmountMin'),
    fromAmountUsd: usdOf(estimate['fromAmountUSD']),
    toAmountUsd: usdOf(estimate['toAmountUSD']),
    wallets: { from: addressAt(action, 'fromAddress'), to: addressAt(action, 'toAddress') },
    durationSeconds: secondsOf(estimate['executionDuration']),
    fees: feesOf(estimate['feeCosts']),
    gas: rowsOf(estimate['gasCosts'], SWAP_LIMITS.quoteRowsMax).map(gasOf),
    spender: isFree ? null : addressAt(estimate, 'approvalAddress'),
    resetAllowanceFirst: estimate['approvalReset'] === true,
    transaction:
      call === undefined || call === null ? null : callOf(objectAt(step, 'transactionRequest')),
    steps: rowsOf(step['includedSteps'], SWAP_LIMITS.quoteRowsMax).flatMap(stepOf),
  }
}

/** A token that is on the chain its action names. */
function agreed<T extends { readonly chainId: number }>(token: T, row: WireRow, field: string): T {
  if (token.chainId !== chainIdAt(row, field)) throw new WireError(field)
  return token
}

/** The amount that the action and the estimate agree on. */
function sameAmount(action: WireRow, estimate: WireRow): bigint {
  const amount = amountAt(action, 'fromAmount')
  if (amount !== amountAt(estimate, 'fromAmount')) throw new WireError('fromAmount')
  return amount
}

function gasOf(row: WireRow) {
  return {
    type: GAS_TYPES_BY_WIRE.get(String(row['type'])) ?? 'send',
    limit: amountOf(row['limit']) ?? 0n,
    amount: amountAt(row, 'amount'),
    amountUsd: usdOf(row['amountUSD']),
    token: tokenOf(row['token']),
  }
}

function callOf(row: WireRow) {
  const { data } = row
  // Checked for length and hex later; a string is all that makes it a call.
  if (typeof data !== 'string') throw new WireError('data')
  return {
    chainId: chainIdAt(row, 'chainId'),
    from: addressAt(row, 'from'),
    to: addressAt(row, 'to'),
    data: data.toLowerCase(),
    value: row['value'] === undefined ? 0n : amountAt(row, 'value'),
    gasLimit: amountOf(row['gasLimit']),
    gasPrice: amountOf(row['gasPrice']),
  }
}

/** A step for the caller. A malformed step is left out, since no amount depends on it. */
function stepOf(row: WireRow): readonly SwapStep[] {
  try {
    const action = objectAt(row, 'action')
    const estimate = objectAt(row, 'estimate')
    return [
      {
        type: STEP_TYPES_BY_WIRE.get(String(row['type'])) ?? 'other',
        fromToken: tokenAt(action, 'fromToken'),
        toToken: tokenAt(action, 'toToken'),
        fromAmount: amountAt(estimate, 'fromAmount'),
        toAmount: amountAt(estimate, 'toAmount'),
        durationSeconds: secondsOf(estimate['executionDuration']),
      },
    ]
  } catch (error) {
    if (error instanceof WireError) return []
    throw error
  }
}

const GAS_TYPES_BY_WIRE: ReadonlyMap<string, GasType> = new Map([
  ['SEND', 'send'],
  ['SUM', 'send'],
  ['APPROVE', 'approve'],
])

const STEP_TYPES_BY_WIRE: ReadonlyMap<string, StepType> = new Map([
  ['swap', 'swap'],
  ['cross', 'bridge'],
])

/**
 * A transfer out of the wire’s status object. An unknown status is pending, never done. Throws WireError for a transfer
 * without a source, and for another transfer than the requested one.
 */
export function transferOf(row: WireRow, txHash: string): Transfer {
  const state = stateOf(row['status'], row['substatus'])
  if (state.status === 'NOT_FOUND') return UNSEEN_TRANSFER
  const sending = objectAt(row, 'sending')
  const receiving = isObject(row['receiving']) ? endOf(row['receiving']) : null
  const source = endOf(sending)
  if (source.txHash !== txHash && receiving?.txHash !== txHash) throw new WireError('txHash')
  return {
    state,
    sending: {
      ...source,
      gasAmount: amountOf(sending['gasAmount']),
      gasAmountUsd: usdOf(sending['gasAmountUSD']),
    },
    receiving,
    fees: feesOf(row['feeCosts']),
    fromAddress: addressOf(row['fromAddress']),
    toAddress: addressOf(row['toAddress']),
  }
}

/** The state of the wire’s status and substatus. */
function stateOf(status: unknown, substatus: unknown): TransferState {
  const own = STATES.get(`${status} ${substatus}`)
  if (own) return own
  return DEFAULTS.get(String(status)) ?? PENDING_UNKNOWN
}

function endOf(row: WireRow): TransferEnd {
  const { txHash, timestamp } = row
  return {
    chainId: chainIdAt(row, 'chainId'),
    txHash: typeof txHash === 'string' && isHash(txHash) ? txHash.toLowerCase() : null,
    amount: amountOf(row['amount']),
    amountUsd: usdOf(row['amountUSD']),
    token: tokenOf(row['token']),
    atMs: Number.isSafeInteger(timestamp) ? Number(timestamp) * 1000 : null,
  }
}

const PENDING_UNKNOWN: TransferState = { status: 'PENDING', substatus: 'UNKNOWN' }

/** The state for a status whose detail is missing or new. */
const DEFAULTS: ReadonlyMap<string, TransferState> = new Map<string, TransferState>([
  ['NOT_FOUND', { status: 'NOT_FOUND', substatus: null }],
  ['INVALID', { status: 'NOT_FOUND', substatus: null }],
  ['DONE', { status: 'DONE', substatus: 'UNKNOWN' }],
  ['FAILED', { status: 'FAILED', substatus: 'UNKNOWN' }],
])

// biome-ignore format: one state a row
const STATES: ReadonlyMap<string, TransferState> = new Map<string, TransferState>([
  ['PENDING WAIT_SOURCE_CONFIRMATIONS', { status: 'PENDING', substatus: 'WAITING_SOURCE' }],
  ['PENDING INTENT_AWAITING_FUNDS', { status: 'PENDING', substatus: 'WAITING_SOURCE' }],
  ['PENDING WAIT_DESTINATION_TRANSACTION', { status: 'PENDING', substatus: 'WAITING_DESTINATION' }],
  ['PENDING INTENT_READY', { status: 'PENDING', substatus: 'WAITING_DESTINATION' }],
  ['PENDING INTENT_EXECUTING', { status: 'PENDING', substatus: 'WAITING_DESTINATION' }],
  ['PENDING INTENT_FAILED_RETRYABLE', { status: 'PENDING', substatus: 'WAITING_DESTINATION' }],
  ['PENDING INTENT_SIMULATION_FAILURE', { status: 'PENDING', substatus: 'WAITING_DESTINATION' }],
  ['PENDING REFUND_IN_PROGRESS', { status: 'PENDING', substatus: 'REFUND_IN_PROGRESS' }],
  ['PENDING BRIDGE_NOT_AVAILABLE', PENDING_UNKNOWN],
  ['PENDING CHAIN_NOT_AVAILABLE', PENDING_UNKNOWN],
  ['PENDING UNKNOWN_ERROR', PENDING_UNKNOWN],
  ['DONE COMPLETED', { status: 'DONE', substatus: 'COMPLETED' }],
  ['DONE PARTIAL', { status: 'DONE', substatus: 'PARTIAL' }],
  ['DONE REFUNDED', { status: 'FAILED', substatus: 'REFUNDED' }],
  ['FAILED REFUNDED', { status: 'FAILED', substatus: 'REFUNDED' }],
  ['FAILED INSUFFICIENT_ALLOWANCE', { status: 'FAILED', substatus: 'INSUFFICIENT_FUNDS' }],
  ['FAILED INSUFFICIENT_BALANCE', { status: 'FAILED', substatus: 'INSUFFICIENT_FUNDS' }],
  ['FAILED OUT_OF_GAS', { status: 'FAILED', substatus: 'OUT_OF_GAS' }],
  ['FAILED EXPIRED', { status: 'FAILED', substatus: 'EXPIRED' }],
  ['FAILED SLIPPAGE_EXCEEDED', { status: 'FAILED', substatus: 'SLIPPAGE_EXCEEDED' }],
  ['FAILED NOT_PROCESSABLE_REFUND_NEEDED', { status: 'FAILED', substatus: 'REFUND_NEEDED' }],
  ['FAILED UNKNOWN_FAILED_ERROR', { status: 'FAILED', substatus: 'UNKNOWN' }],
  ['FAILED UNKNOWN_ERROR', { status: 'FAILED', substatus: 'UNKNOWN' }],
])
