import { ROUTES } from '../../contract/routes.ts'
import { SWAP_LIFETIMES, SWAP_LIMITS } from '../../contract/swap.ts'
import { Failure } from '../../core/failure.ts'
import { toHex } from '../../core/hex.ts'
import type { Random } from '../../core/ports.ts'
import type { Query } from '../../core/query.ts'
import { type Answer, uncachedAnswer } from '../cache/answer.ts'
import { withinDeadline } from '../cache/single-flight.ts'
import type { Reply } from '../scrub/reply.ts'
import { requireProvider, type SwapAccess, swapReply } from './access.ts'
import { quoteAnswer } from './answers.ts'
import { failedCheck, losesMostValue, type QuoteFacts } from './checks.ts'
import { type KeptTokens, readKeptTokens, readServedChains } from './lists.ts'
import { assertServed, readSwapOrder } from './order.ts'
import {
  NATIVE_ADDRESS,
  type SwapOrder,
  type SwapQuote,
  type SwapStep,
  type SwapToken,
} from './provider.ts'
import { tokenUsdText } from './text.ts'

/**
 * A quote. With a wallet, it contains the transaction to sign; without a wallet, it is an indicative price. The
 * provider’s whole answer is checked against the request first. Throws Failure:
 * - invalid_request, invalid_address, unsupported_chain, unsupported_token.
 * - no_route, amount_too_low, amount_too_high, not_configured.
 * - upstream_timeout after `quoteDeadlineMs` in all, or the failure of a provider that cannot be used.
 */
export function swapQuote(deps: SwapAccess, query: Query): Promise<Answer> {
  // One deadline covers the quote and the lists that it may have to load first, because the lists' own deadline is
  // longer.
  return withinDeadline(answerQuote(deps, query), SWAP_LIMITS.quoteDeadlineMs)
}

async function answerQuote(deps: SwapAccess, query: Query): Promise<Answer> {
  const { origin } = requireProvider(deps)
  const order = readSwapOrder(query)
  const { isServed } = await readServedChains(deps)
  assertServed(order.fromChainId, 'fromChain', isServed)
  assertServed(order.toChainId, 'toChain', isServed)
  const key = `${ROUTES.swapQuote.cacheKey}?at=${origin}&${orderKey(order)}`
  const run = () => loadQuote(deps, order)
  const { quoteDeadlineMs } = SWAP_LIMITS
  if (order.wallets !== null)
    return uncachedAnswer(await deps.quotes.join(key, run, quoteDeadlineMs))
  const lifetime = SWAP_LIFETIMES.indicativeQuote
  return uncachedAnswer(
    (
      deps.cache.peek(key, lifetime) ??
      (await deps.cache.serve(key, lifetime, run, quoteDeadlineMs))
    ).reply,
  )
}

async function loadQuote(deps: SwapAccess, order: SwapOrder): Promise<Reply> {
  const provider = requireProvider(deps)
  const kept = await readKeptTokens(deps, [order.fromChainId, order.toChainId])
  assertListed(order, kept)
  const quote = withListedPrices(await provider.quote(order), kept)
  const coin = kept({ chainId: order.fromChainId, address: NATIVE_ADDRESS })
  assertSound(deps, order, quote, { routers: provider.routers, coin })
  const made = { id: randomUuid(deps.random), atMs: deps.clock.nowMs() }
  return swapReply(deps, quoteAnswer(order, quote, made))
}

/** Throws Failure upstream_unavailable for a quote that fails a check, no_route for a ruinous quote. */
function assertSound(
  { log }: SwapAccess,
  order: SwapOrder,
  quote: SwapQuote,
  ground: QuoteFacts,
): void {
  const check = failedCheck(order, quote, ground)
  if (check !== null) {
    log.error('swap.quote_refused', { check, chain: order.fromChainId })
    throw new Failure('upstream_unavailable')
  }
  if (losesMostValue(quote)) throw new Failure('no_route', { reason: 'price_impact' })
}

/**
 * Throws Failure unsupported_token for a token that the cached lists lack. Tokens and prices come from these lists,
 * never from a quote.
 */
function assertListed(order: SwapOrder, kept: KeptTokens): void {
  const { fromChainId, fromToken, toChainId, toToken } = order
  if (!kept({ chainId: fromChainId, address: fromToken })) throw unsupported('fromToken')
  if (!kept({ chainId: toChainId, address: toToken })) throw unsupported('toToken')
}

function unsupported(parameter: string): Failure {
  return new Failure('unsupported_token', { parameter, reason: 'unknown_token' })
}

function orderKey({ wallets, ...rest }: SwapOrder): string {
  return Object.values({ ...rest, ...wallets }).join('&')
}

/** A random UUID (RFC 9562, version 4). */
function randomUuid(random: Random): string {
  const bytes = Uint8Array.from(random.bytes(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/**
 * Takes the tokens and USD values of a quote from the cached lists, so that a compromised provider cannot make a loss
 * look fair. Parts with unlisted tokens are left out where possible.
 */
function withListedPrices(quote: SwapQuote, kept: KeptTokens): SwapQuote {
  const fromToken = kept(quote.fromToken) ?? unpriced(quote.fromToken)
  const toToken = kept(quote.toToken) ?? unpriced(quote.toToken)
  return {
    ...quote,
    fromToken,
    toToken,
    fromAmountUsd: tokenUsdText(quote.fromAmount, fromToken),
    toAmountUsd: tokenUsdText(quote.toAmount, toToken),
    fees: quote.fees.map((fee) => ({ ...fee, ...pricedCost(fee, kept) })),
    gas: quote.gas.map((gas) => ({ ...gas, ...pricedCost(gas, kept) })),
    steps: quote.steps.flatMap((step) => pricedSteps(step, kept)),
  }
}

/** An unlisted token, without a price. Its quote fails the checks. */
function unpriced(token: SwapToken): SwapToken {
  return { ...token, priceUsd: null }
}

type Cost = { readonly amount: bigint; readonly token: SwapToken | null }

function pricedCost({ amount, token: named }: Cost, kept: KeptTokens) {
  const token = named && kept(named)
  return { token, amountUsd: token && tokenUsdText(amount, token) }
}

function pricedSteps(step: SwapStep, kept: KeptTokens): SwapStep[] {
  const [fromToken, toToken] = [kept(step.fromToken), kept(step.toToken)]
  return fromToken && toToken ? [{ ...step, fromToken, toToken }] : []
}
