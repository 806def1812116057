import { VOUCHER_LIMITS } from '../../contract/voucher.ts'
import type { Clock } from '../../core/ports.ts'
import type { SourceChain } from './config.ts'
import { logEmitters } from './events.ts'
import { combinedViews, type EndpointHead, type EndpointView, headFault } from './quorum.ts'
import { type BlockHead, parseBlock, parseReceipt, quantity } from './receipt.ts'
import { createRpc, EndpointError, type Rpc } from './rpc.ts'

/** Reads the source chains, each through all of its configured endpoints. */
export type Chains = {
  /**
   * Reads a transaction at each endpoint of a chain. Returns one view per endpoint, in configured sequence; an unusable
   * endpoint gives a `failed` view, not an error. Once a quorum agrees, waits at most `VOUCHER_LIMITS.endpointWaitMs`
   * for the other endpoints, which may contradict the quorum.
   */
  readonly read: (chainId: number, txHash: string) => Promise<readonly EndpointView[]>
}

/**
 * Reads chains over JSON-RPC, from all endpoints of a chain in parallel. The head of an endpoint is cached for
 * `VOUCHER_LIMITS.headMs`; its view of a transaction is not.
 */
export function createChains(parts: {
  readonly chains: ReadonlyMap<number, SourceChain>
  readonly clock: Clock
  /** Deadline of an endpoint for its head, and again for the transaction. */
  readonly deadlineMs: number
}): Chains {
  const { clock, deadlineMs } = parts
  const endpoints = new Map(
    Array.from(parts.chains.values(), (chain) => {
      const own = chain.rpcs.map((url) =>
        createEndpoint({ chain, rpc: createRpc(url), clock, deadlineMs }),
      )
      return [chain.chainId, { own, quorum: chain.quorum }]
    }),
  )
  return {
    read: async (chainId, txHash) => {
      const { own = [], quorum = 1 } = endpoints.get(chainId) ?? {}
      const leaving = new AbortController()
      const views = await awaitViews(
        own.map((endpoint) => endpoint(txHash, leaving.signal)),
        quorum,
      )
      leaving.abort()
      return views
    },
  }
}

type Endpoint = (txHash: string, leaving: AbortSignal) => Promise<EndpointView>

const SILENT_VIEW: EndpointView = { kind: 'failed', fault: 'silent' }

/** Returns all views, or the views that have arrived a short time after a quorum agrees. */
async function awaitViews(
  asked: readonly Promise<EndpointView>[],
  quorum: number,
): Promise<readonly EndpointView[]> {
  const views = asked.map(() => SILENT_VIEW)
  const enough = Promise.withResolvers<void>()
  const all = Promise.all(
    asked.map(async (view, at) => {
      views[at] = await view
      const agreement = combinedViews(views, quorum)
      if (agreement.kind !== 'unsafe' || agreement.reason === 'disagreement') enough.resolve()
    }),
  )
  const lateMax = enough.promise.then(() => Bun.sleep(VOUCHER_LIMITS.endpointWaitMs))
  await Promise.race([all, lateMax])
  return [...views]
}

type EndpointOptions = {
  readonly chain: SourceChain
  readonly rpc: Rpc
  readonly clock: Clock
  readonly deadlineMs: number
}

function createEndpoint({ chain, rpc, clock, deadlineMs }: EndpointOptions): Endpoint {
  const deadline = () => AbortSignal.timeout(deadlineMs)
  const headNow = readWhileFresh(clock, () => readHead(chain, rpc, deadline()))
  const emitters = logEmitters(chain)
  return async (txHash, leaving) => {
    try {
      const head = await headNow()
      const fault = headFault(head, chain, clock.nowMs())
      if (fault) return { kind: 'failed', fault }
      const signal = AbortSignal.any([leaving, deadline()])
      return await readTransaction({ rpc, signal, emitters }, txHash, head)
    } catch (error) {
      if (error instanceof EndpointError) return { kind: 'failed', fault: error.fault }
      throw error
    }
  }
}

/** Shares one reading, successful or failed, for as long as a head is fresh. */
function readWhileFresh<T>(clock: Clock, read: () => Promise<T>): () => Promise<T> {
  let last: { readonly atMs: number; readonly reading: Promise<T> } | undefined
  return () => {
    const nowMs = clock.nowMs()
    if (!last || Math.abs(nowMs - last.atMs) >= VOUCHER_LIMITS.headMs) {
      last = { atMs: nowMs, reading: read() }
    }
    return last.reading
  }
}

async function readHead(chain: SourceChain, rpc: Rpc, signal: AbortSignal): Promise<EndpointHead> {
  const { finality, checkpoint } = chain
  const [chainId, latest, tagged, checked] = await Promise.all([
    rpc('eth_chainId', [], signal),
    readBlock(rpc, 'latest', signal),
    typeof finality === 'string' ? readBlock(rpc, finality, signal) : null,
    checkpoint ? readBlock(rpc, toQuantity(BigInt(checkpoint.block)), signal) : null,
  ])
  return {
    chainId: quantity(chainId) ?? -1n,
    latest,
    finalNumber: tagged ? tagged.number : latest.number - BigInt(finality),
    ...(checked && { checkpointHash: checked.hash }),
  }
}

/**
 * Reads a receipt and the current block at its height. An endpoint may still have the receipt of a block that a
 * reorganisation has removed.
 */
async function readTransaction(
  { rpc, signal, emitters }: Reading,
  txHash: string,
  { finalNumber }: EndpointHead,
): Promise<EndpointView> {
  const answer = await rpc('eth_getTransactionReceipt', [txHash], signal)
  if (answer === null) return { kind: 'absent', finalNumber }
  const receipt = parseReceipt(answer, txHash, emitters)
  if (!receipt) throw new EndpointError('malformed')
  const block = await readBlock(rpc, toQuantity(receipt.blockNumber), signal)
  if (block.number !== receipt.blockNumber) throw new EndpointError('malformed')
  const { hash: canonicalHash, timestampSeconds: minedAtSeconds } = block
  return { kind: 'mined', receipt, canonicalHash, minedAtSeconds, finalNumber }
}

type Reading = {
  readonly rpc: Rpc
  readonly signal: AbortSignal
  readonly emitters: ReadonlySet<string>
}

async function readBlock(rpc: Rpc, block: string, signal: AbortSignal): Promise<BlockHead> {
  const head = parseBlock(await rpc('eth_getBlockByNumber', [block, false], signal))
  if (!head) throw new EndpointError('malformed')
  return head
}

function toQuantity(number: bigint): string {
  return `0x${number.toString(16)}`
}
