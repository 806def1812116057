import { VOUCHER_LIMITS } from '../spec/voucher.ts'
import type { SourceChain } from './config.ts'
import type { BlockHead, Receipt } from './receipt.ts'

/** Why an endpoint's word does not count. */
export type EndpointFault =
  | 'unreachable'
  | 'malformed'
  | 'wrong_chain'
  | 'wrong_checkpoint'
  | 'clock'
  | 'reorganised'

/** What one endpoint says about a transaction. `canonicalHash` is that of its block at the receipt's height. */
export type EndpointView =
  | {
      readonly kind: 'mined'
      readonly receipt: Receipt
      readonly canonicalHash: string
      readonly finalNumber: bigint
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly fault: EndpointFault }

/** Where one endpoint stands. `checkpointHash` is its block at the checkpoint's height, when one is configured. */
export type EndpointHead = {
  readonly chainId: bigint
  readonly latest: BlockHead
  readonly finalNumber: bigint
  readonly checkpointHash?: string
}

/** What enough endpoints say. A block is final when enough of them say so: `finalNumber` is the last such. */
export type Agreement =
  | { readonly kind: 'mined'; readonly receipt: Receipt; readonly finalNumber: bigint }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unsafe'; readonly reason: 'disagreement' | 'below_quorum' }

/**
 * Why an endpoint may not speak for a chain, or null. Its newest block must be of about now by our own clock: one
 * that stands still knows nothing of the present, and if every one seems to, it is our clock that is wrong.
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
 * What the endpoints of a chain agree on. Two that contradict each other are a disagreement however many the rest
 * are: one of them is wrong, and which one is not for us to guess.
 */
export function agree(views: readonly EndpointView[], quorum: number): Agreement {
  const mined = views.map(settled).filter((view) => view.kind === 'mined')
  const [first] = mined
  if (new Set(mined.map(({ receipt }) => factsText(receipt))).size > 1) {
    return { kind: 'unsafe', reason: 'disagreement' }
  }
  if (first && mined.length >= quorum) {
    return { kind: 'mined', receipt: first.receipt, finalNumber: finalAmong(mined, quorum) }
  }
  const absent = views.filter(({ kind }) => kind === 'absent').length
  return absent >= quorum ? { kind: 'absent' } : { kind: 'unsafe', reason: 'below_quorum' }
}

/** A view whose receipt stands in a block that is no longer the one at its height is of no use. */
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

function factsText(receipt: Receipt): string {
  return JSON.stringify({ ...receipt, blockNumber: receipt.blockNumber.toString() })
}
