import { SWAP_LIMITS } from '../../contract/swap.ts'
import type {
  SwapChainRow,
  SwapQuoteAnswer,
  SwapStatusAnswer,
  SwapTokenRow,
} from '../../contract/swap-answers.ts'
import {
  NATIVE_ADDRESS,
  type SwapChain,
  type SwapFee,
  type SwapGas,
  type SwapOrder,
  type SwapQuote,
  type SwapStep,
  type SwapToken,
  type SwapTransaction,
  type SwapTransfer,
  type TransferEnd,
} from './provider.ts'
import { sumUsd, tokenName } from './text.ts'

/** One row of the chain list. `logo` stays empty, because every host that serves chain logos belongs to a route. */
export function chainRow(chain: SwapChain): SwapChainRow {
  const { chainId, name, nativeSymbol, nativeDecimals, explorer } = chain
  return {
    chainId,
    name,
    type: 'EVM',
    nativeSymbol,
    nativeDecimals,
    nativeAddress: NATIVE_ADDRESS,
    explorer,
    logo: '',
  }
}

/** One token. If its name is a venue's name, the name becomes empty, and the symbol is kept. */
export function tokenRow(token: SwapToken): SwapTokenRow {
  return { ...token, name: tokenName(token.name) }
}

/**
 * The tokens whose symbol or name contains the text, or whose address is the text. Returns all tokens if there is no
 * text.
 */
export function matchingTokens(
  rows: readonly SwapTokenRow[],
  search: string | undefined,
): readonly SwapTokenRow[] {
  if (search === undefined) return rows
  const wanted = search.toLowerCase()
  return rows.filter(
    ({ symbol, name, address }) =>
      address === wanted ||
      symbol.toLowerCase().includes(wanted) ||
      name.toLowerCase().includes(wanted),
  )
}

/**
 * The answer to a quote that has passed the checks. The token approval is for the exact amount. An indicative quote has
 * no transaction.
 */
export function quoteAnswer(
  order: SwapOrder,
  quote: SwapQuote,
  made: { readonly id: string; readonly atMs: number },
): SwapQuoteAnswer {
  const { fees, gas } = quote
  return {
    id: made.id,
    indicative: order.wallets === null,
    fromChainId: order.fromChainId,
    toChainId: order.toChainId,
    fromToken: tokenRow(quote.fromToken),
    toToken: tokenRow(quote.toToken),
    fromAddress: order.wallets?.from ?? null,
    toAddress: order.wallets?.to ?? null,
    fromAmount: String(order.fromAmount),
    toAmount: String(quote.toAmount),
    toAmountMin: String(quote.toAmountMin),
    fromAmountUsd: quote.fromAmountUsd,
    toAmountUsd: quote.toAmountUsd,
    slippageBps: order.slippageBps,
    estimatedDurationSec: quote.durationSeconds,
    fees: fees.map(feeRow),
    gas: gas.map(gasRow),
    feesUsd: sumUsd(fees.map(({ amountUsd }) => amountUsd)),
    gasUsd: sumUsd(gas.map(({ amountUsd }) => amountUsd)),
    approval: approvalRow(order, quote),
    transaction: order.wallets && quote.transaction && transactionRow(quote.transaction),
    steps: quote.steps.map(stepRow),
    createdAt: made.atMs,
    expiresAt: made.atMs + SWAP_LIMITS.quoteLifeMs,
  }
}

/** The answer to a status query. `linkOf` returns the URL of a transaction in its chain’s explorer, or null. */
export function statusAnswer(
  transfer: SwapTransfer,
  linkOf: (chainId: number, txHash: string) => string | null,
  atMs: number,
): SwapStatusAnswer {
  const { state, sending, receiving, fees, fromAddress, toAddress } = transfer
  const isKnown = state.status !== 'NOT_FOUND'
  return {
    ...state,
    final: state.status === 'DONE' || state.status === 'FAILED',
    sending:
      isKnown && sending
        ? {
            ...endRow(sending, linkOf),
            gasAmount: optionalText(sending.gasAmount),
            gasAmountUsd: sending.gasAmountUsd,
          }
        : null,
    receiving: isKnown && receiving ? endRow(receiving, linkOf) : null,
    fees: isKnown ? fees.map(feeRow) : [],
    fromAddress: isKnown ? fromAddress : null,
    toAddress: isKnown ? toAddress : null,
    updatedAt: atMs,
  }
}

function approvalRow({ wallets, fromToken, fromAmount }: SwapOrder, quote: SwapQuote) {
  if (wallets === null || quote.spender === null) return null
  return {
    token: fromToken,
    spender: quote.spender,
    amount: String(fromAmount),
    resetFirst: quote.resetAllowanceFirst,
  }
}

function transactionRow({ gasLimit, gasPrice, value, ...call }: SwapTransaction) {
  return {
    ...call,
    value: String(value),
    ...(gasLimit !== null && { gasLimit: String(gasLimit) }),
    ...(gasPrice !== null && { gasPrice: String(gasPrice) }),
  }
}

function feeRow({ type, included, amount, amountUsd, token }: SwapFee) {
  return { type, included, amount: String(amount), amountUsd, token: token && tokenRow(token) }
}

function gasRow({ type, limit, amount, amountUsd, token }: SwapGas) {
  const amounts = { limit: String(limit), amount: String(amount), amountUsd }
  return { type, ...amounts, token: token && tokenRow(token) }
}

function stepRow({ type, fromToken, toToken, fromAmount, toAmount, durationSeconds }: SwapStep) {
  return {
    type,
    fromChainId: fromToken.chainId,
    toChainId: toToken.chainId,
    fromToken: tokenRow(fromToken),
    toToken: tokenRow(toToken),
    fromAmount: String(fromAmount),
    toAmount: String(toAmount),
    estimatedDurationSec: durationSeconds,
  }
}

function endRow(
  { chainId, txHash, amount, amountUsd, token, atMs }: TransferEnd,
  linkOf: (chainId: number, txHash: string) => string | null,
) {
  return {
    chainId,
    txHash,
    txLink: txHash === null ? null : linkOf(chainId, txHash),
    amount: optionalText(amount),
    amountUsd,
    token: token && tokenRow(token),
    timestamp: atMs,
  }
}

function optionalText(amount: bigint | null): string | null {
  return amount === null ? null : String(amount)
}
