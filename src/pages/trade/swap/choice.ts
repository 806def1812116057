import { computed, effect, signal } from '@preact/signals'
import { HOUR_MS } from '../../../contract/durations.ts'
import { SWAP_LIMITS, SWAP_TOKENS_CLAMP, type SwapPreference } from '../../../contract/swap.ts'
import { ONE } from '../../../core/decimals.ts'
import { memberRows, memberText } from '../../common/exact-json.ts'
import { filledTemplate } from '../../common/format.ts'
import { createPublicRead } from '../feed/public-read.ts'
import { SWAP_TEXTS } from '../messages/swap.ts'
import { toTokenUnits } from '../money/chains.ts'
import { inputText, typedNumber } from '../orders/inputs.ts'
import { type Token, toToken } from './quote.ts'

const PAGE = 'swap'

export const chainsRead = createPublicRead(PAGE, HOUR_MS, () => '/api/swap/chains', 'swap')

/** The chains that swaps start and end on. */
export const swapChainList = computed(() =>
  memberRows(chainsRead.reading.value.data, 'rows').map((row) => ({
    id: Number(memberText(row, 'chainId')),
    name: memberText(row, 'name'),
    nativeSymbol: memberText(row, 'nativeSymbol'),
  })),
)

/** The chain with an id; if the list does not have it, a chain named by its id. */
export function swapChain(id: number) {
  return (
    swapChainList.value.find((each) => each.id === id) ?? { id, name: String(id), nativeSymbol: '' }
  )
}

/** One side of a swap, given or received: a chain and a token on it. */
export type SwapSide = ReturnType<typeof createSide>

type Chosen = { readonly chainId: number; readonly token: Token | null }

/** Creates a side that starts with the first chain, and with its first token that `isUsual` accepts. */
function createSide(isUsual: (token: Token) => boolean) {
  const chosen = signal<Chosen | null>(null)
  const search = signal('')
  const chainId = computed(() => chosen.value?.chainId ?? swapChainList.value[0]?.id ?? 0)
  const tokensPath = () => {
    const query = { chainId: String(chainId.value), limit: String(SWAP_TOKENS_CLAMP.max) }
    const sought = search.value.trim()
    const asked = new URLSearchParams({ ...query, ...(sought && { search: sought }) })
    return chainId.value === 0 ? null : `/api/swap/tokens?${asked}`
  }
  const read = createPublicRead(PAGE, HOUR_MS, tokensPath, 'swap')
  const tokens = computed(() => memberRows(read.reading.value.data, 'rows').map(toToken))
  const token = computed(
    () => chosen.value?.token ?? tokens.value.find(isUsual) ?? tokens.value[0] ?? null,
  )
  /** The number of tokens that match the search. The list has at most 500 of these tokens. */
  const total = computed(() => Number(memberText(read.reading.value.data, 'total')))
  return { chainId, token, tokens, total, read, search, chosen }
}

export const sides = {
  give: createSide(({ symbol }) => symbol === 'USDC'),
  receive: createSide(({ address }) => /^0x0+$/.test(address)),
} as const

/** Swaps the two sides. */
export function swapSides(): void {
  const [give, receive] = [sides.give, sides.receive].map(({ chainId, token }) => ({
    chainId: chainId.peek(),
    token: token.peek(),
  }))
  if (!give || !receive) return
  for (const { search } of Object.values(sides)) search.value = ''
  sides.give.chosen.value = receive
  sides.receive.chosen.value = give
}

export const swapAmountInput = signal('')
export const slippageInput = signal(
  inputText((BigInt(SWAP_LIMITS.slippageDefaultBps) * ONE) / 100n),
)
export const preference = signal<SwapPreference>('CHEAPEST')

/** The typed amount after a short pause, so that the page does not request a quote per digit. */
const settledInput = signal('')
const SETTLE_MS = 400

effect(() => {
  const text = swapAmountInput.value
  const timer = setTimeout(() => {
    settledInput.value = text
  }, SETTLE_MS)
  return () => clearTimeout(timer)
})

/** Whether the typed amount has been taken over into the order. */
export const isAmountSettled = computed(() => settledInput.value === swapAmountInput.value)

/** The typed slippage in basis points; null if invalid. */
const slippageBps = computed(() => {
  const value = typedNumber(slippageInput.value)
  if (value === null || (value * 100n) % ONE !== 0n) return null
  const bps = Number((value * 100n) / ONE)
  const { slippageMinBps, slippageMaxBps } = SWAP_LIMITS
  return bps >= slippageMinBps && bps <= slippageMaxBps ? bps : null
})

/** The text of the problem with the form; null if it is complete and valid. */
export const problem = computed(() => {
  const P = SWAP_TEXTS.problems
  const [from, to, amount] = [
    sides.give.token.value,
    sides.receive.token.value,
    typedNumber(settledInput.value),
  ]
  if (!from || !to || amount === null || amount <= 0n) return P.none
  if (from.chainId === to.chainId && from.address === to.address) return P.same
  if (toTokenUnits(amount, from.decimals) === null)
    return filledTemplate(P.fine, { symbol: from.symbol, places: from.decimals })
  if (slippageBps.value !== null) return null
  const [min, max] = [SWAP_LIMITS.slippageMinBps / 100, SWAP_LIMITS.slippageMaxBps / 100]
  return filledTemplate(P.slippage, { min, max })
})

/** The swap that the form describes; null while the form has a problem. */
export const swapChoice = computed(() => {
  const [from, to, bps] = [sides.give.token.value, sides.receive.token.value, slippageBps.value]
  const amount = typedNumber(settledInput.value)
  if (problem.value !== null || !from || !to || bps === null || amount === null) return null
  const units = toTokenUnits(amount, from.decimals)
  return units === null ? null : { from, to, units, slippageBps: bps, preference: preference.value }
})

export type SwapChoice = NonNullable<typeof swapChoice.value>

/** The path of a quote. With a wallet's address, the quote includes the transaction to send. */
export function quotePath(asked: SwapChoice, address = ''): string {
  const query = {
    ...{ fromChain: String(asked.from.chainId), toChain: String(asked.to.chainId) },
    ...{ fromToken: asked.from.address, toToken: asked.to.address },
    ...{ fromAmount: String(asked.units), slippageBps: String(asked.slippageBps) },
    ...{ order: asked.preference, ...(address && { fromAddress: address }) },
  }
  return `/api/swap/quote?${new URLSearchParams(query)}`
}

/**
 * Polling interval. With few calls left, the interval is four times longer, which is still within a quote's lifetime.
 */
const QUOTE_EVERY_MS = SWAP_LIMITS.quoteLifeMs / 6

/** Follows a quote for the form. A quote without a wallet has only a price. */
export const quoteRead = createPublicRead(
  PAGE,
  QUOTE_EVERY_MS,
  () => swapChoice.value && quotePath(swapChoice.value),
  'swap_quote',
)
