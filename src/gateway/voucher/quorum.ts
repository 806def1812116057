import { VOUCHER_LIMITS } from '../../contract/voucher.ts'
import type { SourceChain } from './config.ts'
import type { BlockHead, Receipt } from './receipt.ts'

/** The reason why the view of an endpoint does not count. */
export type EndpointFault =
  | 'unreachable'
  | 'silent'
  | 'malformed'
  | 'wrong_chain'
  | 'wrong_checkpoint'
  | 'clock'
  | 'reorganised'

/**
 * The view of one endpoint on a transaction. `canonicalHash` and `minedAtSeconds` are those of its block at the
 * receipt's height.
 */
export type EndpointView =
  | {
      readonly kind: 'mined'
      readonly receipt: Receipt
      readonly canonicalHash: string
      readonly minedAtSeconds: bigint
      readonly finalNumber: bigint
    }
  | { readonly kind: 'absent'; readonly finalNumber: bigint }
  | { readonly kind: 'failed'; readonly fault: EndpointFault }

/** The head of one endpoint. `checkpointHash` is its block at the checkpoint's height, when one is configured. */
export type EndpointHead = {
  readonly chainId: bigint
  readonly latest: BlockHead
  readonly finalNumber: bigint
  readonly checkpointHash?: string
}

/** The agreement of enough endpoints. `finalNumber` is the last block that enough of them call final. */
export type Agreement =
  | {
      readonly kind: 'mined'
      readonly receipt: Receipt
      readonly minedAtSeconds: bigint
      readonly finalNumber: bigint
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unsafe'; readonly reason: 'disagreement' | 'below_quorum' }

/**
 * The fault by which an endpoint may not speak for a chain, or null. Its newest block must be close to the present by
 * this machine's clock: an endpoint that has stopped does not know the present. If every endpoint seems to have
 * stopped, this machine's clock is wrong.
 */
export function headFault(
  head: EndpointHead,
  chain: Pick<SourceChain, 'chainId' | 'checkpoint'>,
  nowMs: number,
): EndpointFault | null {
  if (head.chainId !== BigInt(chain.chainId)) return 'wrong_chain'
  if (chain.checkpoint && head.checkpointHash !== chain.checkpoint.hash) return 'wrong_checkpoint'
  const skewMs = Math.abs(Number(head.latest.timestampSeconds) * 1000 - nowMs)
  return skewMs > VOUCHER_LIMITS.clockSkewMaxMs ? 'clock' : null
}

/**
 * The agreement of a chain's endpoints. Two that contradict each other are a disagreement, however many the rest are:
 * one of them is wrong, and a guess would be unsafe. An endpoint that does not know a transaction contradicts those who
 * do once its own final block has reached the transaction's block. Before that it may only be behind.
 */
export function agree(views: readonly EndpointView[], quorum: number): Agreement {
  const mined = views.map(settled).filter((view) => view.kind === 'mined')
  const [first] = mined
  const absent = views.filter((view) => view.kind === 'absent')
  const isDenied = absent.some(
    ({ finalNumber }) => first !== undefined && finalNumber >= first.receipt.blockNumber,
  )
  if (isDenied || new Set(mined.map(factsText)).size > 1) {
    return { kind: 'unsafe', reason: 'disagreement' }
  }
  if (first && mined.length >= quorum) {
    const { receipt, minedAtSeconds } = first
    return { kind: 'mined', receipt, minedAtSeconds, finalNumber: finalAmong(mined, quorum) }
  }
  return absent.length >= quorum ? { kind: 'absent' } : { kind: 'unsafe', reason: 'below_quorum' }
}

/** A view fails when the block of its receipt has been replaced by another at the same height. */
export function settled(view: EndpointView): EndpointView {
  if (view.kind !== 'mined' || view.canonicalHash === view.receipt.blockHash) return view
  return { kind: 'failed', fault: 'reorganised' }
}

/** The highest block that at least `quorum` of the endpoints call final. */
function finalAmong(mined: readonly { readonly finalNumber: bigint }[], quorum: number): bigint {
  const heights = mined.map(({ finalNumber }) => finalNumber).sort(descending)
  return heights[quorum - 1] ?? -1n
}

function descending(a: bigint, b: bigint): number {
  if (a === b) return 0
  return a > b ? -1 : 1
}

function factsText({ receipt, minedAtSeconds }: Extract<EndpointView, { kind: 'mined' }>): string {
  const { blockNumber, ...rest } = receipt
  return JSON.stringify([String(blockNumber), String(minedAtSeconds), rest])
}
