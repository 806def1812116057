import type {
  SwapOrder,
  SwapQuote,
  SwapToken,
  SwapTransaction,
} from '../../../src/gateway/swap/provider.ts'

/** An order, a quote that passes every check of it, and the parts to spoil it with. */

export const NATIVE = `0x${'0'.repeat(40)}`
export const ROUTER = `0x${'a'.repeat(40)}`
export const WALLET = `0x${'b'.repeat(40)}`
export const THIEF = `0x${'f'.repeat(40)}`
export const USDC_ADDRESS = `0x${'c'.repeat(40)}`

export function token(chainId: number, address: string, more: Partial<SwapToken> = {}): SwapToken {
  const rest = { symbol: 'T', name: 'Token', decimals: 6, priceUsd: '1', logo: '' }
  return { chainId, address, ...rest, ...more }
}

const USDC = token(42161, USDC_ADDRESS)
export const COIN = token(42161, NATIVE, { decimals: 18, priceUsd: '3000' })
export const ETH = token(8453, NATIVE, { decimals: 18, priceUsd: '3000' })

export const ORDER: SwapOrder = {
  fromChainId: 42161,
  toChainId: 8453,
  fromToken: USDC_ADDRESS,
  toToken: NATIVE,
  fromAmount: 300_000_000n,
  wallets: { from: WALLET, to: WALLET },
  slippageBps: 50,
  preference: 'CHEAPEST',
}

const CALL: SwapTransaction = {
  chainId: 42161,
  from: WALLET,
  to: ROUTER,
  data: '0xa6010a66',
  value: 0n,
  gasLimit: null,
  gasPrice: null,
}

export const QUOTE: SwapQuote = {
  fromToken: USDC,
  toToken: ETH,
  fromAmount: 300_000_000n,
  toAmount: 100_000_000_000_000_000n,
  toAmountMin: 99_500_000_000_000_000n,
  fromAmountUsd: '300',
  toAmountUsd: '300',
  wallets: { from: WALLET, to: WALLET },
  durationSeconds: 10,
  fees: [],
  gas: [],
  spender: ROUTER,
  resetAllowanceFirst: false,
  transaction: CALL,
  steps: [],
}

export const GROUND = { routers: null, coin: COIN }

export const messageFee = (amount: bigint, included = false) =>
  ({ type: 'relay', included, amount, amountUsd: null, token: COIN }) as const

export const call = (change: Partial<SwapTransaction>) => ({ transaction: { ...CALL, ...change } })
