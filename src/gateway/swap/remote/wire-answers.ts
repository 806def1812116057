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
  type SwapTransfer,
  type TransferEnd,
  UNKNOWN_TRANSFER,
} from '../provider.ts'
import { parseUsd } from '../text.ts'
import {
  addressAt,
  chainIdAt,
  objectAt,
  parseWireAddress,
  parseWireAmount,
  parseWireFees,
  parseWireSeconds,
  parseWireToken,
  tokenAt,
  WireError,
  type WireRow,
  wireAmountAt,
  wireRows,
} from './wire.ts'

/** Parses a quote from the wire’s step object. Throws WireError if a part that affects money is missing or malformed. */
export function parseWireQuote(step: WireRow): SwapQuote {
  const action = objectAt(step, 'action')
  const estimate = objectAt(step, 'estimate')
  const fromToken = tokenOnChain(tokenAt(action, 'fromToken'), action, 'fromChainId')
  const call = step['transactionRequest']
  const isFree = fromToken.address === NATIVE_ADDRESS || estimate['skipApproval'] === true
  return {
    fromToken,
    toToken: tokenOnChain(tokenAt(action, 'toToken'), action, 'toChainId'),
    fromAmount: agreedAmount(action, estimate),
    toAmount: wireAmountAt(estimate, 'toAmount'),
    toAmountMin: wireAmountAt(estimate, 'toAmountMin'),
    fromAmountUsd: parseUsd(estimate['fromAmountUSD']),
    toAmountUsd: parseUsd(estimate['toAmountUSD']),
    wallets: { from: addressAt(action, 'fromAddress'), to: addressAt(action, 'toAddress') },
    durationSeconds: parseWireSeconds(estimate['executionDuration']),
    fees: parseWireFees(estimate['feeCosts']),
    gas: wireRows(estimate['gasCosts'], SWAP_LIMITS.quoteRowsMax).map(parseGas),
    spender: isFree ? null : addressAt(estimate, 'approvalAddress'),
    resetAllowanceFirst: estimate['approvalReset'] === true,
    transaction:
      call === undefined || call === null
        ? null
        : parseTransaction(objectAt(step, 'transactionRequest')),
    steps: wireRows(step['includedSteps'], SWAP_LIMITS.quoteRowsMax).flatMap(parseStep),
  }
}

/** Returns the token if it is on the chain that `row` names. Otherwise throws WireError. */
function tokenOnChain<T extends { readonly chainId: number }>(
  token: T,
  row: WireRow,
  field: string,
): T {
  if (token.chainId !== chainIdAt(row, field)) throw new WireError(field)
  return token
}

/** The amount of action and estimate. Throws WireError unless both are equal. */
function agreedAmount(action: WireRow, estimate: WireRow): bigint {
  const amount = wireAmountAt(action, 'fromAmount')
  if (amount !== wireAmountAt(estimate, 'fromAmount')) throw new WireError('fromAmount')
  return amount
}

function parseGas(row: WireRow) {
  return {
    type: GAS_TYPES_BY_WIRE.get(String(row['type'])) ?? 'send',
    limit: parseWireAmount(row['limit']) ?? 0n,
    amount: wireAmountAt(row, 'amount'),
    amountUsd: parseUsd(row['amountUSD']),
    token: parseWireToken(row['token']),
  }
}

function parseTransaction(row: WireRow) {
  const { data } = row
  // Length and hex digits are checked later, with the quote.
  if (typeof data !== 'string') throw new WireError('data')
  return {
    chainId: chainIdAt(row, 'chainId'),
    from: addressAt(row, 'from'),
    to: addressAt(row, 'to'),
    data: data.toLowerCase(),
    value: row['value'] === undefined ? 0n : wireAmountAt(row, 'value'),
    gasLimit: parseWireAmount(row['gasLimit']),
    gasPrice: parseWireAmount(row['gasPrice']),
  }
}

/** Parses a step. A malformed step gives an empty list, since no amount depends on steps. */
function parseStep(row: WireRow): readonly SwapStep[] {
  try {
    const action = objectAt(row, 'action')
    const estimate = objectAt(row, 'estimate')
    return [
      {
        type: STEP_TYPES_BY_WIRE.get(String(row['type'])) ?? 'other',
        fromToken: tokenAt(action, 'fromToken'),
        toToken: tokenAt(action, 'toToken'),
        fromAmount: wireAmountAt(estimate, 'fromAmount'),
        toAmount: wireAmountAt(estimate, 'toAmount'),
        durationSeconds: parseWireSeconds(estimate['executionDuration']),
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
 * Parses a transfer from the wire’s status object. An unknown status counts as pending, never as done. Throws WireError
 * for a transfer without a source, or a transfer other than the requested one.
 */
export function parseTransfer(row: WireRow, txHash: string): SwapTransfer {
  const state = toTransferState(row['status'], row['substatus'])
  if (state.status === 'NOT_FOUND') return UNKNOWN_TRANSFER
  const sending = objectAt(row, 'sending')
  const receiving = isObject(row['receiving']) ? parseTransferEnd(row['receiving']) : null
  const source = parseTransferEnd(sending)
  if (source.txHash !== txHash && receiving?.txHash !== txHash) throw new WireError('txHash')
  return {
    state,
    sending: {
      ...source,
      gasAmount: parseWireAmount(sending['gasAmount']),
      gasAmountUsd: parseUsd(sending['gasAmountUSD']),
    },
    receiving,
    fees: parseWireFees(row['feeCosts']),
    fromAddress: parseWireAddress(row['fromAddress']),
    toAddress: parseWireAddress(row['toAddress']),
  }
}

/** The state for the wire’s status and substatus. */
function toTransferState(status: unknown, substatus: unknown): TransferState {
  const own = STATES.get(`${status} ${substatus}`)
  if (own) return own
  return DEFAULTS.get(String(status)) ?? PENDING_UNKNOWN
}

function parseTransferEnd(row: WireRow): TransferEnd {
  const { txHash, timestamp } = row
  return {
    chainId: chainIdAt(row, 'chainId'),
    txHash: typeof txHash === 'string' && isHash(txHash) ? txHash.toLowerCase() : null,
    amount: parseWireAmount(row['amount']),
    amountUsd: parseUsd(row['amountUSD']),
    token: parseWireToken(row['token']),
    atMs: Number.isSafeInteger(timestamp) ? Number(timestamp) * 1000 : null,
  }
}

const PENDING_UNKNOWN: TransferState = { status: 'PENDING', substatus: 'UNKNOWN' }

/** The state for a status with a missing or unknown substatus. */
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
