import { type GasType, SWAP_LIMITS } from '../../../contract/swap.ts'
import { DEMO_SELECTOR } from '../../../core/crypto/demo-swap.ts'
import { keccak256, keccakOfText } from '../../../core/crypto/keccak.ts'
import { mulDiv } from '../../../core/decimals.ts'
import { Failure } from '../../../core/failure.ts'
import { toHex } from '../../../core/hex.ts'
import type { Clock, Random } from '../../../core/ports.ts'
import {
  NATIVE_ADDRESS,
  type SwapGas,
  type SwapOrder,
  type SwapProvider,
  type SwapQuote,
  type SwapTransaction,
  UNKNOWN_TRANSFER,
} from '../provider.ts'
import {
  amountFor,
  convert,
  type Priced,
  type ReadPrices,
  tokensAt,
  usdValue,
  worldUsdText,
} from './price.ts'
import { createTransfers, type Offer } from './transfers.ts'
import { WORLD_CHAINS, WORLD_RATES, WORLD_TOKENS, type WorldChain } from './world.ts'

type EmbeddedSwapOptions = {
  readonly seed: number
  readonly random: Random
  /** The embedded venue’s clock. Quotes expire and transfers progress by this clock. */
  readonly clock: Clock
  readonly pricesOf: ReadPrices
}

/**
 * A simulated swap provider: real chains and tokens at the embedded venue’s prices. The contracts that its transactions
 * call reject or ignore the calls, so a wallet that really sends such a transaction loses only gas. Quotes are kept in
 * memory, so that their transfers progress; `demoTransactionHash` is a transfer's hash.
 */
export function embeddedSwap({ seed, random, clock, pricesOf }: EmbeddedSwapOptions): SwapProvider {
  const transfers = createTransfers()
  let quotes = 0

  async function quote(order: SwapOrder) {
    const nowMs = clock.nowMs()
    const tokens = await tokensAt(pricesOf, nowMs)
    quotes += 1
    // The only random value in this file, so that transfers of different runs never have the same hash.
    const reference = toHex(random.bytes(REFERENCE_BYTES))
    const made = makeQuote(order, tokens, reference)
    const offer = toOffer(order, made, tokens, { atMs: nowMs, draw: quoteRandom(seed, quotes) })
    if (made.transaction) transfers.offer(made.transaction.data, offer)
    return made
  }

  return {
    origin: `embedded ${seed}`,
    // Limits the contracts to this list, because the demo calls use functions of no known router.
    routers: EMBEDDED_ROUTERS,
    chains: async () => WORLD_CHAINS.map((chain) => ({ ...chain, nativeDecimals: 18 })),
    tokens: async (chainId) =>
      (await tokensAt(pricesOf, clock.nowMs()))
        .map(({ token }) => token)
        .filter((token) => token.chainId === chainId),
    quote,
    transfer: async ({ txHash }) => transfers.transfer(txHash, clock.nowMs()) ?? UNKNOWN_TRANSFER,
  }
}

const REFERENCE_BYTES = 32

/** A pseudo-random number in [0, 1) for the n-th quote of a seed. */
function quoteRandom(seed: number, position: number): number {
  const draw = keccak256(Buffer.from(`swap/${seed}/${position}`))
  return Buffer.from(draw).readUInt32BE(0) / 2 ** 32
}

/**
 * Makes a quote at these prices. Its transaction contains the reference (64 hex characters). Throws Failure:
 * unsupported_chain, unsupported_token, amount_too_low, amount_too_high, no_route.
 */
function makeQuote(order: SwapOrder, tokens: readonly Priced[], reference: string): SwapQuote {
  const from = findPriced(tokens, order.fromChainId, order.fromToken, 'fromToken')
  const to = findPriced(tokens, order.toChainId, order.toToken, 'toToken')
  const coin = findPriced(tokens, order.fromChainId, NATIVE_ADDRESS, 'fromToken')
  const { toAmount, fees, steps } = convert(
    from,
    to,
    order.fromAmount,
    bridgeDollarCoins(tokens, from, to),
  )
  const isNative = order.fromToken === NATIVE_ADDRESS
  const source = findChain(order.fromChainId, 'fromChain')
  return {
    fromToken: from.token,
    toToken: to.token,
    fromAmount: order.fromAmount,
    toAmount,
    toAmountMin: mulDiv(toAmount, BigInt(ALL_BPS - order.slippageBps), BigInt(ALL_BPS), 'ceil'),
    fromAmountUsd: worldUsdText(usdValue(from, order.fromAmount)),
    toAmountUsd: worldUsdText(usdValue(to, toAmount)),
    wallets: order.wallets,
    durationSeconds: steps.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0),
    fees,
    gas: gasTypes(isNative).map((type) => gasCost(type, source, coin)),
    spender: isNative ? null : UNOWNED_ROUTER_ADDRESS,
    resetAllowanceFirst: false,
    transaction: demoTransaction(order, source, dollarCoin(tokens, order.fromChainId), reference),
    steps,
  }
}

/** The parts of a quote that its transfer needs later. */
function toOffer(
  order: SwapOrder,
  quote: SwapQuote,
  tokens: readonly Priced[],
  { atMs, draw }: { readonly atMs: number; readonly draw: number },
): Offer {
  const isBridged = order.fromChainId !== order.toChainId
  const to = findPriced(tokens, order.toChainId, order.toToken, 'toToken')
  const dollar = dollarCoin(tokens, order.toChainId)
  return {
    order,
    quote,
    offeredAtMs: atMs,
    lifeMs: SWAP_LIMITS.quoteLifeMs,
    sourceMs: findChain(order.fromChainId, 'fromChain').confirmMs,
    destinationMs: isBridged ? findChain(order.toChainId, 'toChain').confirmMs : 0,
    partial: { token: dollar.token, amount: amountFor(dollar, usdValue(to, quote.toAmount)) },
    draw,
  }
}

const ALL_BPS = 10_000

/** An address derived from a text. Its private key is unknown, and on no chain is it a contract. */
const UNOWNED_ROUTER_ADDRESS = addressFromText('prepd embedded swap router')

/**
 * The contracts that demo transactions call: for tokens the address without an owner, for native coins the chain's
 * dollar contract.
 */
const EMBEDDED_ROUTERS: ReadonlySet<string> = new Set([
  UNOWNED_ROUTER_ADDRESS,
  ...WORLD_TOKENS.filter(([, , symbol]) => symbol === 'USDC').map(([, at]) => at.toLowerCase()),
])

function addressFromText(words: string): string {
  return `0x${keccakOfText(words).slice(-40)}`
}

/**
 * A transaction that is harmless if a wallet really sends it. A transaction with native coins calls the chain’s dollar
 * contract, which accepts neither coins nor the function, so the transaction reverts; an address without code would
 * keep the coins. A transaction without coins moves nothing.
 */
function demoTransaction(
  { fromChainId, fromToken, fromAmount, wallets }: SwapOrder,
  source: WorldChain,
  dollar: Priced,
  reference: string,
): SwapTransaction | null {
  if (wallets === null) return null
  const isNative = fromToken === NATIVE_ADDRESS
  return {
    chainId: fromChainId,
    from: wallets.from,
    to: isNative ? dollar.token.address : UNOWNED_ROUTER_ADDRESS,
    data: DEMO_SELECTOR + reference,
    value: isNative ? fromAmount : 0n,
    gasLimit: WORLD_RATES.gasUnits.send,
    gasPrice: source.gasPriceWei,
  }
}

function gasTypes(isNative: boolean): readonly GasType[] {
  return isNative ? ['send'] : ['approve', 'send']
}

function gasCost(type: GasType, { gasPriceWei }: WorldChain, coin: Priced): SwapGas {
  const limit = WORLD_RATES.gasUnits[type]
  const amount = limit * gasPriceWei
  return { type, limit, amount, amountUsd: worldUsdText(usdValue(coin, amount)), token: coin.token }
}

/** The dollar coins on both sides of a bridge between tokens with different bases. */
function bridgeDollarCoins(tokens: readonly Priced[], from: Priced, to: Priced): readonly Priced[] {
  if (from.token.chainId === to.token.chainId || from.base === to.base) return []
  const dollars = [dollarCoin(tokens, from.token.chainId), dollarCoin(tokens, to.token.chainId)]
  return dollars.filter((dollar) => dollar !== from && dollar !== to)
}

/** The dollar coin of a chain, which every simulated chain has. */
function dollarCoin(tokens: readonly Priced[], chainId: number): Priced {
  const dollar = tokens.find(({ token }) => token.chainId === chainId && token.symbol === 'USDC')
  if (!dollar) throw new Failure('unsupported_chain')
  return dollar
}

function findPriced(
  tokens: readonly Priced[],
  chainId: number,
  address: string,
  parameter: string,
): Priced {
  const found = tokens.find(({ token }) => token.chainId === chainId && token.address === address)
  if (!found) throw new Failure('unsupported_token', { parameter, reason: 'unknown_token' })
  return found
}

function findChain(chainId: number, parameter: string): WorldChain {
  const chain = WORLD_CHAINS.find((known) => known.chainId === chainId)
  if (!chain) throw new Failure('unsupported_chain', { parameter })
  return chain
}
