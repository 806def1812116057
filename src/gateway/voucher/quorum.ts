import { VOUCHER_LIMITS } from '../../contract/voucher.ts'
import type { SourceChain } from './config.ts'
import type { BlockHead, Receipt } from './receipt.ts'

/** Why an endpoint's view does not count. */
export type EndpointFault =
  | 'unreachable'
  | 'silent'
  | 'malformed'
  | 'wrong_chain'
  | 'wrong_checkpoint'
  | 'clock'
  | 'reorganised'

/**
 * One endpoint's view of a transaction. `canonicalHash` and `minedAtSeconds` describe the endpoint's block at the
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

/** The head of one endpoint. `checkpointHash`: hash of its block at the configured checkpoint's height. */
export type EndpointHead = {
  readonly chainId: bigint
  readonly latest: BlockHead
  readonly finalNumber: bigint
  readonly checkpointHash?: string
}

/** The agreement of a chain's endpoints. `finalNumber`: the highest block that a quorum calls final. */
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
 * Why an endpoint does not count for a chain, or null. The endpoint's newest block must be close to this machine's
 * time, which excludes an endpoint that has stopped syncing. If all endpoints have the fault `clock`, this machine's
 * clock is wrong.
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
 * Combines the views of a chain's endpoints. Any two contradicting endpoints are a disagreement, however many agree. An
 * endpoint without the transaction contradicts the others once its final block has reached the transaction's block;
 * before that it may only be behind.
 */
export function combinedViews(views: readonly EndpointView[], quorum: number): Agreement {
  const mined = views.map(unlessReorganised).filter((view) => view.kind === 'mined')
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

/** Turns a view into a failed view if the receipt's block is no longer the block at its height. */
export function unlessReorganised(view: EndpointView): EndpointView {
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
