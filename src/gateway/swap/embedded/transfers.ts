import type { TransferState } from '../../../contract/swap.ts'
import { createBoundedMap } from '../../../core/bounded-map.ts'
import { demoTransactionHash } from '../../../core/crypto/demo-swap.ts'
import type {
  SwapOrder,
  SwapQuote,
  SwapToken,
  SwapTransfer,
  TransferEnd,
  TransferStart,
} from '../provider.ts'
import { type TransferOutcome, transferOutcome, WORLD_TIMES } from './world.ts'

/** A quote that a wallet may send. `sourceMs` and `destinationMs`: confirmation times of its chains. */
export type Offer = {
  readonly order: SwapOrder
  readonly quote: SwapQuote
  readonly offeredAtMs: number
  readonly lifeMs: number
  readonly sourceMs: number
  /** 0 for a swap within one chain. */
  readonly destinationMs: number
  /** The token and amount that a partial transfer delivers. */
  readonly partial: { readonly token: SwapToken; readonly amount: bigint }
  readonly draw: number
}

type SentOffer = { readonly offer: Offer; sentAtMs: number | null }

const OFFERS_MAX = 10_000

/** Transfers of the latest quotes. They are only in memory, so they are lost at a restart. */
export function createTransfers() {
  const offers = createBoundedMap<string, SentOffer>(OFFERS_MAX)

  /** Remembers an offer by the hash of its transaction. At the maximum, the oldest is evicted. */
  function offer(data: string, offer: Offer): void {
    offers.put(demoTransactionHash(data), { offer, sentAtMs: null })
  }

  function transfer(txHash: string, nowMs: number): SwapTransfer | null {
    const sent = offers.get(txHash)
    if (!sent) return null
    sent.sentAtMs ??= nowMs
    return transferAt(sent.offer, txHash, sent.sentAtMs, nowMs)
  }

  return { offer, transfer }
}

function transferAt(
  offer: Offer,
  txHash: string,
  sentAtMs: number,
  nowMs: number,
): SwapTransfer | null {
  if (nowMs - sentAtMs < WORLD_TIMES.unseenMs) return null
  const isLate = sentAtMs > offer.offeredAtMs + offer.lifeMs
  const outcome = isLate ? 'EXPIRED' : transferOutcome(offer.order.fromAmount, offer.draw)
  const state = stateAt(offer, outcome, nowMs - sentAtMs - WORLD_TIMES.unseenMs)
  const { order, quote } = offer
  return {
    state,
    sending: sendingEnd(offer, txHash, sentAtMs),
    receiving: receivingEnd(offer, state, txHash, sentAtMs),
    fees: quote.fees,
    fromAddress: order.wallets?.from ?? null,
    toAddress: order.wallets?.to ?? null,
  }
}

/** Failures of the source chain, which are visible once it confirms. Other failures are visible once the destination confirms. */
const SOURCE_CHAIN_FAILURES: ReadonlySet<string> = new Set([
  'EXPIRED',
  'SLIPPAGE_EXCEEDED',
  'OUT_OF_GAS',
  'INSUFFICIENT_FUNDS',
])

function stateAt(
  offer: Offer,
  outcome: TransferOutcome | 'EXPIRED',
  agedMs: number,
): TransferState {
  if (agedMs < offer.sourceMs) return { status: 'PENDING', substatus: 'WAITING_SOURCE' }
  const leftMs = agedMs - offer.sourceMs
  if (!SOURCE_CHAIN_FAILURES.has(outcome) && leftMs < offer.destinationMs) {
    return { status: 'PENDING', substatus: 'WAITING_DESTINATION' }
  }
  if (outcome === 'COMPLETED' || outcome === 'PARTIAL')
    return { status: 'DONE', substatus: outcome }
  if (outcome === 'REFUNDED' && leftMs - offer.destinationMs < WORLD_TIMES.refundMs) {
    return { status: 'PENDING', substatus: 'REFUND_IN_PROGRESS' }
  }
  return { status: 'FAILED', substatus: outcome }
}

function sendingEnd({ order, quote }: Offer, txHash: string, sentAtMs: number): TransferStart {
  const [gas] = quote.gas
  return {
    chainId: order.fromChainId,
    txHash,
    amount: order.fromAmount,
    amountUsd: quote.fromAmountUsd,
    token: quote.fromToken,
    atMs: sentAtMs + WORLD_TIMES.unseenMs,
    gasAmount: gas?.amount ?? null,
    gasAmountUsd: gas?.amountUsd ?? null,
  }
}

/** The receiving end: the arrived or refunded amount; before that only the chain. */
function receivingEnd(
  offer: Offer,
  state: TransferState,
  txHash: string,
  sentAtMs: number,
): TransferEnd {
  const { order, quote } = offer
  const atMs = sentAtMs + WORLD_TIMES.unseenMs + offer.sourceMs + offer.destinationMs
  const farHash = offer.destinationMs > 0 ? demoTransactionHash(txHash) : txHash
  const arrived = { chainId: order.toChainId, txHash: farHash, atMs, amountUsd: quote.toAmountUsd }
  if (state.substatus === 'COMPLETED') {
    return { ...arrived, amount: quote.toAmount, token: quote.toToken }
  }
  if (state.substatus === 'PARTIAL') return { ...arrived, ...offer.partial }
  if (state.substatus === 'REFUNDED') {
    const back = { amount: order.fromAmount, amountUsd: quote.fromAmountUsd }
    const when = { chainId: order.fromChainId, atMs: atMs + WORLD_TIMES.refundMs }
    return { ...arrived, ...back, ...when, token: quote.fromToken }
  }
  const nothing = { txHash: null, amount: null, amountUsd: null, token: null, atMs: null }
  return { chainId: order.toChainId, ...nothing }
}
