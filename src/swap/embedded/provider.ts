import { toHex } from '../../core/hex.ts'
import type { Clock, Random } from '../../core/ports.ts'
import { keccak256 } from '../../crypto/keccak.ts'
import { type SwapOrder, type SwapProvider, UNSEEN_TRANSFER } from '../provider.ts'
import { type PricesOf, tokensAt } from './price.ts'
import { EMBEDDED_ROUTERS, makeQuote, offerOf } from './quote.ts'
import { createTransfers } from './transfers.ts'
import { WORLD_CHAINS } from './world.ts'

type EmbeddedSwapOptions = {
  readonly seed: number
  readonly random: Random
  /** The embedded venue’s time, on which quotes expire and transfers move. */
  readonly clock: Clock
  readonly pricesOf: PricesOf
}

/**
 * A swap provider without a chain: real chains and tokens at the embedded venue’s prices. Its transactions call what
 * refuses or ignores them, so a wallet that does send one pays gas and loses nothing else. Quotes are remembered in
 * memory, so that the transfer of one moves through its states; `demoTransactionHash` is its hash.
 */
export function embeddedSwap({ seed, random, clock, pricesOf }: EmbeddedSwapOptions): SwapProvider {
  const transfers = createTransfers(OFFERS_MAX)
  let quotes = 0

  async function quote(order: SwapOrder) {
    const nowMs = clock.nowMs()
    const tokens = await tokensAt(pricesOf, nowMs)
    quotes += 1
    // Unlike all else here not from the seed: two runs must not give two transfers one hash.
    const reference = toHex(random.bytes(REFERENCE_BYTES))
    const made = makeQuote(order, tokens, reference)
    const offer = offerOf(order, made, tokens, { atMs: nowMs, draw: drawOf(seed, quotes) })
    if (made.transaction) transfers.offer(made.transaction.data, offer)
    return made
  }

  return {
    origin: `embedded ${seed}`,
    // Its calls are none that a router knows, so its contracts are named.
    routers: EMBEDDED_ROUTERS,
    chains: async () => WORLD_CHAINS.map((chain) => ({ ...chain, nativeDecimals: 18 })),
    tokens: async (chainId) =>
      (await tokensAt(pricesOf, clock.nowMs()))
        .map(({ token }) => token)
        .filter((token) => token.chainId === chainId),
    quote,
    transfer: async ({ txHash }) => transfers.transfer(txHash, clock.nowMs()) ?? UNSEEN_TRANSFER,
  }
}

const OFFERS_MAX = 10_000
const REFERENCE_BYTES = 32

/** The draw of a seed for its n-th quote, in [0, 1). */
function drawOf(seed: number, position: number): number {
  const draw = keccak256(Buffer.from(`swap/${seed}/${position}`))
  return Buffer.from(draw).readUInt32BE(0) / 2 ** 32
}
