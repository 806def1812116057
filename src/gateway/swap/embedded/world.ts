import { NATIVE_ADDRESS } from '../provider.ts'

/** A simulated chain, with the id, coin and explorer of the real chain. */
export type WorldChain = {
  readonly chainId: number
  readonly name: string
  readonly nativeSymbol: string
  readonly explorer: string
  readonly gasPriceWei: bigint
  /** How long this chain takes to confirm. */
  readonly confirmMs: number
}

/** The source of a token’s price: one US dollar, or the index of the venue’s market in that base. */
type PriceBase = 'USD' | string

/** A token with its real address, symbol and decimals. `poolUsd`: maximum value of one swap; 0: the token cannot be swapped. */
export type WorldToken = readonly [
  chainId: number,
  address: string,
  symbol: string,
  name: string,
  decimals: number,
  base: PriceBase,
  poolUsd: number,
]

export const WORLD_CHAINS: readonly WorldChain[] = [
  chain(1, 'Ethereum', 'ETH', 'https://etherscan.io', 12_000_000_000n, 6000),
  chain(42161, 'Arbitrum', 'ETH', 'https://arbiscan.io', 10_000_000n, 2000),
  chain(8453, 'Base', 'ETH', 'https://basescan.org', 8_000_000n, 2000),
  chain(10, 'OP Mainnet', 'ETH', 'https://optimistic.etherscan.io', 8_000_000n, 2000),
  chain(56, 'BNB Smart Chain', 'BNB', 'https://bscscan.com', 1_000_000_000n, 3000),
  chain(43114, 'Avalanche', 'AVAX', 'https://snowtrace.io', 25_000_000_000n, 2000),
]

// biome-ignore format: one token a row
export const WORLD_TOKENS: readonly WorldToken[] = [
  [1, NATIVE_ADDRESS, 'ETH', 'Ether', 18, 'ETH', 2_000_000],
  [1, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'USDC', 'USD Coin', 6, 'USD', 2_000_000],
  [1, '0xdAC17F958D2ee523a2206206994597C13D831ec7', 'USDT', 'Tether USD', 6, 'USD', 2_000_000],
  [1, '0x6B175474E89094C44Da98b954EedeAC495271d0F', 'DAI', 'Dai Stablecoin', 18, 'USD', 1_000_000],
  [1, '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 'WETH', 'Wrapped Ether', 18, 'ETH', 2_000_000],
  [1, '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 'WBTC', 'Wrapped BTC', 8, 'BTC', 1_000_000],
  [1, '0x514910771AF9Ca656af840dff83E8264EcF986CA', 'LINK', 'ChainLink Token', 18, 'LINK', 500_000],
  [1, '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984', 'UNI', 'Uniswap', 18, 'UNI', 500_000],
  [1, '0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9', 'AAVE', 'Aave Token', 18, 'AAVE', 500_000],
  [1, '0x111111111117dC0aa78b770fA6A738034120C302', '1INCH', '1inch', 18, '1INCH', 100_000],
  [1, '0x6B3595068778DD592e39A122f4f5a5cF09C90fE2', 'SUSHI', 'SushiToken', 18, 'SUSHI', 100_000],
  [1, '0xD533a949740bb3306d119CC777fa900bA034cd52', 'CRV', 'Curve DAO Token', 18, 'CRV', 250_000],
  [1, '0x853d955aCEf822Db058eb8505911ED77F175b99e', 'FRAX', 'Frax', 18, 'USD', 0],
  [42161, NATIVE_ADDRESS, 'ETH', 'Ether', 18, 'ETH', 1_000_000],
  [42161, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 'USDC', 'USD Coin', 6, 'USD', 1_000_000],
  [42161, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 'USDT', 'Tether USD', 6, 'USD', 1_000_000],
  [42161, '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', 'WETH', 'Wrapped Ether', 18, 'ETH', 1_000_000],
  [42161, '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', 'WBTC', 'Wrapped BTC', 8, 'BTC', 500_000],
  [42161, '0x912CE59144191C1204E64559FE8253a0e49E6548', 'ARB', 'Arbitrum', 18, 'ARB', 250_000],
  [42161, '0xf97f4df75117a78c1A5a0DBb814Af92458539FB4', 'LINK', 'ChainLink Token', 18, 'LINK', 250_000],
  [8453, NATIVE_ADDRESS, 'ETH', 'Ether', 18, 'ETH', 1_000_000],
  [8453, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'USDC', 'USD Coin', 6, 'USD', 1_000_000],
  [8453, '0x4200000000000000000000000000000000000006', 'WETH', 'Wrapped Ether', 18, 'ETH', 1_000_000],
  [10, NATIVE_ADDRESS, 'ETH', 'Ether', 18, 'ETH', 1_000_000],
  [10, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 'USDC', 'USD Coin', 6, 'USD', 1_000_000],
  [10, '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', 'USDT', 'Tether USD', 6, 'USD', 500_000],
  [10, '0x4200000000000000000000000000000000000006', 'WETH', 'Wrapped Ether', 18, 'ETH', 500_000],
  [10, '0x4200000000000000000000000000000000000042', 'OP', 'Optimism', 18, 'OP', 250_000],
  [56, NATIVE_ADDRESS, 'BNB', 'BNB', 18, 'BNB', 500_000],
  [56, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 'USDC', 'USD Coin', 18, 'USD', 500_000],
  [56, '0x55d398326f99059fF775485246999027B3197955', 'USDT', 'Tether USD', 18, 'USD', 500_000],
  [43114, NATIVE_ADDRESS, 'AVAX', 'Avalanche', 18, 'AVAX', 500_000],
  [43114, '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', 'USDC', 'USD Coin', 6, 'USD', 500_000],
  [43114, '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7', 'USDT', 'TetherToken', 6, 'USD', 500_000],
]

/** Costs and bounds of every route. `…Bps` are basis points of the amount, `…Cents` are US cents. */
export const WORLD_RATES = {
  serviceBps: 25n,
  poolBps: 5n,
  /** Price impact of a swap of the whole pool; proportionally less for a smaller swap. */
  impactMaxBps: 100n,
  bridgeCents: 20n,
  amountMinCents: 100n,
  amountMaxCents: 200_000_000n,
  gasUnits: { send: 180_000n, approve: 55_000n },
} as const

/** The outcome of a transfer. Certain last two digits of the amount select it; otherwise the seed decides. */
export type TransferOutcome =
  | 'COMPLETED'
  | 'PARTIAL'
  | 'REFUNDED'
  | 'SLIPPAGE_EXCEEDED'
  | 'OUT_OF_GAS'
  | 'INSUFFICIENT_FUNDS'
  | 'REFUND_NEEDED'
  | 'UNKNOWN'

// biome-ignore format: one outcome a row
const OUTCOMES: readonly { readonly ending: string; readonly outcome: TransferOutcome; readonly percent: number }[] = [
  { ending: '00', outcome: 'COMPLETED', percent: 82 },
  { ending: '01', outcome: 'PARTIAL', percent: 4 },
  { ending: '02', outcome: 'REFUNDED', percent: 4 },
  { ending: '03', outcome: 'SLIPPAGE_EXCEEDED', percent: 4 },
  { ending: '04', outcome: 'OUT_OF_GAS', percent: 2 },
  { ending: '05', outcome: 'INSUFFICIENT_FUNDS', percent: 2 },
  { ending: '06', outcome: 'REFUND_NEEDED', percent: 1 },
  { ending: '07', outcome: 'UNKNOWN', percent: 1 },
]

/** The outcome selected by the last two digits of an amount; otherwise by `draw`, a number in [0, 1). */
export function transferOutcome(amount: bigint, draw: number): TransferOutcome {
  const ending = String(amount % 100n).padStart(2, '0')
  const chosen = OUTCOMES.find((row) => row.ending === ending)
  if (chosen) return chosen.outcome
  let below = 0
  for (const row of OUTCOMES) {
    below += row.percent
    if (draw * 100 < below) return row.outcome
  }
  return 'COMPLETED'
}

/** Duration of parts of a transfer, in addition to the confirmations of its chains. */
export const WORLD_TIMES = { unseenMs: 1000, refundMs: 3000 } as const

function chain(
  chainId: number,
  name: string,
  nativeSymbol: string,
  explorer: string,
  gasPriceWei: bigint,
  confirmMs: number,
): WorldChain {
  return { chainId, name, nativeSymbol, explorer, gasPriceWei, confirmMs }
}
