import { type GasType, type StepType, SWAP_LIMITS } from '../../spec/swap.ts'
import { NATIVE_ADDRESS, type SwapQuote, type SwapStep } from '../provider.ts'
import { usdOf } from '../text.ts'
import {
  addressAt,
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

/** A step that is told to the caller; one the wire describes badly is left out, since nothing hangs on it. */
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
