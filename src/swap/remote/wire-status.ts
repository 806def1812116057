import { isHash } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import type { TransferState } from '../../spec/swap.ts'
import { type Transfer, type TransferEnd, UNSEEN_TRANSFER } from '../provider.ts'
import { usdOf } from '../text.ts'
import {
  addressOf,
  amountOf,
  chainIdAt,
  feesOf,
  objectAt,
  tokenOf,
  WireError,
  type WireRow,
} from './wire.ts'

/**
 * A transfer out of the wire’s status object. A state that is not known is pending, never done. Throws WireError when
 * a transfer has no source, or is not the one that was asked for.
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

/** The state that the wire’s two words stand for. */
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

/** What a status means whose detail is missing or new. */
const DEFAULTS: ReadonlyMap<string, TransferState> = new Map<string, TransferState>([
  ['NOT_FOUND', { status: 'NOT_FOUND', substatus: null }],
  ['INVALID', { status: 'NOT_FOUND', substatus: null }],
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
