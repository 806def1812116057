import { isWithinSlippage, ROUTER_CALLS, SWAP_LIMITS } from '../../contract/swap.ts'
import { isLowerHex } from '../../core/hex.ts'
import {
  NATIVE_ADDRESS,
  type SwapOrder,
  type SwapQuote,
  type SwapToken,
  type SwapTransaction,
} from './provider.ts'
import { tokenUsdValue } from './text.ts'

/** The name of a check that a quote has failed, for the log. */
export type FailedCheck = keyof typeof QUOTE_CHECKS | keyof typeof TRANSACTION_CHECKS

/** Facts for the checks of a quote, in addition to the order. */
export type QuoteFacts = {
  /** The provider's routers; null: any contract, but only calls of known router functions (`ROUTER_CALLS`). */
  readonly routers: ReadonlySet<string> | null
  /** The native coin of the source chain with its cached price; null if the cached list lacks it. */
  readonly coin: SwapToken | null
}

/**
 * Compares a quote with its request before the caller signs it. Returns the first failed check, or null. The quote's
 * tokens and prices must come from the cached lists. The transaction's target, function, native value and spender are
 * checked. The effect of its calldata inside a router cannot be checked, so operators can limit the routers.
 */
export function failedCheck(
  order: SwapOrder,
  quote: SwapQuote,
  ground: QuoteFacts,
): FailedCheck | null {
  for (const [name, passes] of tableEntries(QUOTE_CHECKS)) if (!passes(order, quote)) return name
  if (order.wallets === null) return null
  const { transaction } = quote
  if (transaction === null) return 'transaction'
  for (const [name, passes] of tableEntries(TRANSACTION_CHECKS)) {
    if (!passes(order, quote, transaction, ground)) return name
  }
  return null
}

/**
 * Whether a quote returns less than a quarter of the value that it takes, at cached prices. False for amounts below
 * `LOSS_CHECK_MIN_USD` or without a price.
 */
export function losesMostValue({
  fromToken,
  toToken,
  fromAmount,
  toAmountMin,
}: SwapQuote): boolean {
  const given = tokenUsdValue(fromAmount, fromToken)
  const returned = tokenUsdValue(toAmountMin, toToken)
  if (given === null || returned === null || given < LOSS_CHECK_MIN_USD) return false
  return returned * LOSS_DENOMINATOR < given
}

type QuoteCheck = (order: SwapOrder, quote: SwapQuote) => boolean
type TransactionCheck = (
  order: SwapOrder,
  quote: SwapQuote,
  transaction: SwapTransaction,
  ground: QuoteFacts,
) => boolean

const QUOTE_CHECKS = {
  fromToken: (order, { fromToken }) => isToken(fromToken, order.fromChainId, order.fromToken),
  toToken: (order, { toToken }) => isToken(toToken, order.toChainId, order.toToken),
  fromAmount: (order, quote) => quote.fromAmount === order.fromAmount,
  wallets: ({ wallets }, quote) =>
    wallets === null || (quote.wallets?.from === wallets.from && quote.wallets.to === wallets.to),
  toAmountMin: ({ slippageBps }, { toAmount, toAmountMin }) =>
    isWithinSlippage(slippageBps, toAmount, toAmountMin),
} satisfies Record<string, QuoteCheck>

const TRANSACTION_CHECKS = {
  transaction: () => true,
  chain: (order, _, { chainId }) => chainId === order.fromChainId,
  sender: ({ wallets }, _, { from }) => from === wallets?.from,
  value: (order, quote, { value }) => isFairValue(order, quote, value),
  costs: (order, quote, { value }, { coin }) =>
    isBearable(value - swappedNativeAmount(order), quote, {
      coin,
      freeUsd: SWAP_LIMITS.costsFreeUsd,
    }),
  gas: (_, quote, transaction, ground) => isFairGas(quote, transaction, ground),
  calldata: (_, __, { data }) => isSwapCall(data),
  call: (_, __, { data }, { routers }) => routers !== null || ROUTER_CALLS.has(selectorIn(data)),
  router: (order, _, { to }, { routers }) => isRouter(order, to, routers),
  spender: (order, { spender }, _, { routers }) =>
    spender === null || (!isNative(order) && isRouter(order, spender, routers)),
} satisfies Record<string, TransactionCheck>

/** One US dollar, with 18 decimals. */
const DOLLAR = 10n ** 18n
/** Below this value, the fixed costs of a transfer can legitimately be most of the value; the quote shows the costs. */
const LOSS_CHECK_MIN_USD = 20n * DOLLAR
const COSTS_DENOMINATOR = 4n
/** Gas that is assumed for a transaction without a gas limit. */
const GAS_LIMIT_USUAL = 1_000_000n
const LOSS_DENOMINATOR = 4n

/** Declared fees are estimates: the transaction is built slightly later and may contain a slightly higher fee. */
const DECLARED_FEE_SLACK = { numerator: 5n, denominator: 4n } as const

/** Function selectors by which token contracts transfer tokens or grant allowances. Routers have no such functions. */
const TOKEN_CALLS: ReadonlySet<string> = new Set([
  '0x095ea7b3', // approve(address,uint256)
  '0x39509351', // increaseAllowance(address,uint256)
  '0xa9059cbb', // transfer(address,uint256)
  '0x23b872dd', // transferFrom(address,address,uint256)
  '0xa22cb465', // setApprovalForAll(address,bool)
  '0xd505accf', // permit(address,address,uint256,uint256,uint8,bytes32,bytes32)
])

function isToken(token: SwapToken, chainId: number, address: string): boolean {
  return token.chainId === chainId && token.address === address
}

function isNative({ fromToken }: SwapOrder): boolean {
  return fromToken === NATIVE_ADDRESS
}

/** Whether the native value is at least the swapped native amount, and at most that plus the declared native fees. */
function isFairValue(order: SwapOrder, { fees }: SwapQuote, value: bigint): boolean {
  const own = swappedNativeAmount(order)
  const declared = fees
    .filter(({ included, token }) => !included && token && isNativeCoin(token, order.fromChainId))
    .reduce((sum, { amount }) => sum + amount, 0n)
  const { numerator, denominator } = DECLARED_FEE_SLACK
  return value >= own && (value - own) * denominator <= declared * numerator
}

/** The part of a transaction's native value that is the swapped amount. */
function swappedNativeAmount(order: SwapOrder): bigint {
  return isNative(order) ? order.fromAmount : 0n
}

/**
 * Whether extra native coins are in proportion, valued at the cached price. The maximum is a share of the swapped
 * value, or a fixed sum, because some costs do not depend on that value. False for coins without a price.
 */
function isBearable(
  coins: bigint,
  { fromToken, fromAmount }: SwapQuote,
  { coin, freeUsd }: { readonly coin: SwapToken | null; readonly freeUsd: bigint },
): boolean {
  if (coins <= 0n) return true
  const value = coin && tokenUsdValue(coins, coin)
  if (value === null) return false
  const given = tokenUsdValue(fromAmount, fromToken) ?? 0n
  return value <= freeUsd * DOLLAR || value * COSTS_DENOMINATOR <= given
}

/** Whether gas limit and gas price are within their maximums, and their product is in proportion. */
function isFairGas(
  quote: SwapQuote,
  { gasLimit, gasPrice }: SwapTransaction,
  { coin }: QuoteFacts,
): boolean {
  const { gasLimitMax, gasPriceMaxWei, gasFreeUsd } = SWAP_LIMITS
  if ((gasLimit ?? 0n) > gasLimitMax || (gasPrice ?? 0n) > gasPriceMaxWei) return false
  const coins = (gasLimit ?? GAS_LIMIT_USUAL) * (gasPrice ?? 0n)
  return isBearable(coins, quote, { coin, freeUsd: gasFreeUsd })
}

function isNativeCoin(token: SwapToken, chainId: number): boolean {
  return isToken(token, chainId, NATIVE_ADDRESS)
}

function isSwapCall(data: string): boolean {
  const isShort = data.length <= 2 + 2 * SWAP_LIMITS.calldataMaxBytes
  return isShort && isLowerHex(data) && !TOKEN_CALLS.has(selectorIn(data))
}

function selectorIn(data: string): string {
  return data.slice(0, 10)
}

/**
 * Whether a contract may be a router: neither a wallet nor the token of the order, and on the allowlist of routers if
 * one is set.
 */
function isRouter(
  { fromToken, wallets }: SwapOrder,
  contract: string,
  routers: QuoteFacts['routers'],
): boolean {
  const strangers = [NATIVE_ADDRESS, fromToken, wallets?.from, wallets?.to]
  return !strangers.includes(contract) && (routers === null || routers.has(contract))
}

function tableEntries<Table extends Record<string, unknown>>(table: Table) {
  return Object.keys(table).map((name: keyof Table) => [name, table[name]] as const)
}
