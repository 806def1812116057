import type { KeptTokens } from './lists.ts'
import type { SwapQuote, SwapStep, SwapToken } from './provider.ts'
import { worthText } from './text.ts'

/**
 * A quote whose tokens, and what its amounts are worth, are those of the kept lists: a provider that is taken over must
 * not make a loss look like a fair price. Tokens that no list has are left out where they can be.
 */
export function priced(quote: SwapQuote, kept: KeptTokens): SwapQuote {
  const fromToken = kept(quote.fromToken) ?? unpriced(quote.fromToken)
  const toToken = kept(quote.toToken) ?? unpriced(quote.toToken)
  return {
    ...quote,
    fromToken,
    toToken,
    fromAmountUsd: worthText(quote.fromAmount, fromToken),
    toAmountUsd: worthText(quote.toAmount, toToken),
    fees: quote.fees.map((fee) => ({ ...fee, ...costOf(fee, kept) })),
    gas: quote.gas.map((gas) => ({ ...gas, ...costOf(gas, kept) })),
    steps: quote.steps.flatMap((step) => stepOf(step, kept)),
  }
}

/** A token that was not asked for, whose quote will not pass the checks. */
function unpriced(token: SwapToken): SwapToken {
  return { ...token, priceUsd: null }
}

type Cost = { readonly amount: bigint; readonly token: SwapToken | null }

function costOf({ amount, token: named }: Cost, kept: KeptTokens) {
  const token = named && kept(named)
  return { token, amountUsd: token && worthText(amount, token) }
}

function stepOf(step: SwapStep, kept: KeptTokens): SwapStep[] {
  const [fromToken, toToken] = [kept(step.fromToken), kept(step.toToken)]
  return fromToken && toToken ? [{ ...step, fromToken, toToken }] : []
}
