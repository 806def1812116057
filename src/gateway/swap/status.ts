import { ROUTES } from '../../contract/routes.ts'
import { type StatusRefusalName, SWAP_LIFETIMES, SWAP_LIMITS } from '../../contract/swap.ts'
import { Failure } from '../../core/failure.ts'
import { isHash } from '../../core/hex.ts'
import { optionalValue, type Query } from '../../core/query.ts'
import { type Answer, uncachedAnswer } from '../cache/answer.ts'
import type { Reply } from '../scrub/reply.ts'
import { requireProvider, type SwapAccess, swapReply } from './access.ts'
import { statusAnswer } from './answers.ts'
import { readServedChains } from './lists.ts'
import { isChainId } from './order.ts'
import type { TransferQuery } from './provider.ts'
import { StatusRefusal, toStatusRefusal } from './refusal.ts'

/**
 * The state of a transfer, by the hash of its source transaction. An unseen hash has the state `NOT_FOUND`, which is no
 * failure. Answers are cached for three seconds, final states for an hour. Throws only StatusRefusal.
 */
export async function swapStatus(deps: SwapAccess, query: Query): Promise<Answer> {
  try {
    return uncachedAnswer(await readStatus(deps, readTransferQuery(query)))
  } catch (error) {
    throw toStatusRefusal(error) ?? error
  }
}

async function readStatus(deps: SwapAccess, transfer: TransferQuery): Promise<Reply> {
  const { txHash, fromChainId, toChainId } = transfer
  const key = `${ROUTES.swapStatus.cacheKey}?at=${requireProvider(deps).origin}&txHash=${txHash}`
  const { finalStatus, status } = SWAP_LIFETIMES
  const known = deps.cache.recall(`${key}&final`, finalStatus)
  if (known) return known.reply
  // The hints are part of the key, so that a lookup with wrong hints does not answer a lookup with correct hints.
  const hinted = `${key}&from=${fromChainId}&to=${toChainId}`
  const { reply } = await deps.cache.serve(
    hinted,
    status,
    () => loadTransfer(deps, transfer),
    SWAP_LIMITS.statusDeadlineMs,
  )
  if (!FINAL.has(reply)) return reply
  return (await deps.cache.serve(`${key}&final`, finalStatus, async () => reply)).reply
}

/** Reads the served chains. If that fails, the status is answered without hints and links. */
async function readKnownChains(deps: SwapAccess): ReturnType<typeof readServedChains> {
  try {
    return await readServedChains(deps)
  } catch (error) {
    if (error instanceof Failure) return { isServed: () => false, linkOf: () => null }
    throw error
  }
}

/**
 * Replies about transfers in a final state. The set lacks replies that were restored from the store, so their transfers
 * are looked up again.
 */
const FINAL = new WeakSet<Reply>()

async function loadTransfer(deps: SwapAccess, transfer: TransferQuery): Promise<Reply> {
  const provider = requireProvider(deps)
  const { isServed, linkOf } = await readKnownChains(deps)
  const served = (chainId: number | null) =>
    chainId !== null && isServed(chainId) ? chainId : null
  const found = await provider.transfer({
    txHash: transfer.txHash,
    fromChainId: served(transfer.fromChainId),
    toChainId: served(transfer.toChainId),
  })
  const answer = statusAnswer(found, linkOf, deps.clock.nowMs())
  const reply = swapReply(deps, answer)
  if (answer.final) FINAL.add(reply)
  return reply
}

function readTransferQuery(query: Query): TransferQuery {
  const txHash = readParameter(query, 'txHash', 'malformed_hash') ?? ''
  if (!isHash(txHash)) throw new StatusRefusal('malformed_hash')
  return {
    txHash: txHash.toLowerCase(),
    fromChainId: readChainHint(query, 'fromChain'),
    toChainId: readChainHint(query, 'toChain'),
  }
}

function readChainHint(query: Query, name: string): number | null {
  const text = readParameter(query, name, 'malformed_chain')
  if (text === undefined) return null
  if (!isChainId(text)) throw new StatusRefusal('malformed_chain')
  return Number(text)
}

/** The value of a parameter. Throws the given refusal of this route if it is invalid. */
function readParameter(query: Query, name: string, refusal: StatusRefusalName): string | undefined {
  try {
    return optionalValue(query, name)
  } catch (error) {
    if (error instanceof Failure) throw new StatusRefusal(refusal, { cause: error })
    throw error
  }
}
