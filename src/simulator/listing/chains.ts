/** A chain that accepts deposits, with its real id, token addresses and explorer. */
export type Chain = {
  readonly id: number
  readonly name: string
  readonly rpcUrl: string
  readonly currency: string
  readonly explorerUrl: string
  /** The chain's share of the venue's holdings, in percent. The shares of all chains add up to 100. */
  readonly sharePercent: number
  /** Contracts by token. The zero address is the chain's own currency. */
  readonly contracts: Readonly<Record<string, string>>
}

/** A token that counts as collateral. Fractions and amounts are plain numbers, because they are for display only. */
export type Collateral = {
  readonly token: string
  readonly decimals: number
  readonly baseWeight: number
  readonly discountFactor: number | null
  readonly haircut: number
  readonly userMaxQuantity: number
  readonly minimumWithdraw: number
  readonly withdrawFee: number
}

const NATIVE = '0x0000000000000000000000000000000000000000'

/**
 * The embedded venue has no vault contract, so its address is zero. Token contracts refuse transfers to the zero
 * address, so a mistaken deposit loses nothing.
 */
export const NO_VAULT = '0x0000000000000000000000000000000000000000'

// BNB Chain has no USDC here, because its USDC contract has more than six decimals.
export const CHAINS: readonly Chain[] = [
  {
    id: 42161,
    name: 'Arbitrum',
    rpcUrl: 'https://arb1.arbitrum.io/rpc',
    currency: 'ETH',
    explorerUrl: 'https://arbiscan.io',
    sharePercent: 46,
    contracts: {
      USDC: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
      USDT: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
      ETH: NATIVE,
    },
  },
  {
    id: 10,
    name: 'Optimism',
    rpcUrl: 'https://mainnet.optimism.io',
    currency: 'ETH',
    explorerUrl: 'https://optimistic.etherscan.io',
    sharePercent: 12,
    contracts: { USDC: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', ETH: NATIVE },
  },
  {
    id: 8453,
    name: 'Base',
    rpcUrl: 'https://mainnet.base.org',
    currency: 'ETH',
    explorerUrl: 'https://basescan.org',
    sharePercent: 17,
    contracts: { USDC: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', ETH: NATIVE },
  },
  {
    id: 1,
    name: 'Ethereum',
    rpcUrl: 'https://ethereum-rpc.publicnode.com',
    currency: 'ETH',
    explorerUrl: 'https://etherscan.io',
    sharePercent: 14,
    contracts: {
      USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      ETH: NATIVE,
    },
  },
  {
    id: 137,
    name: 'Polygon',
    rpcUrl: 'https://polygon-rpc.com',
    currency: 'POL',
    explorerUrl: 'https://polygonscan.com',
    sharePercent: 6,
    contracts: { USDC: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359' },
  },
  {
    id: 43114,
    name: 'Avalanche',
    rpcUrl: 'https://api.avax.network/ext/bc/C/rpc',
    currency: 'AVAX',
    explorerUrl: 'https://snowtrace.io',
    sharePercent: 5,
    contracts: { USDC: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E' },
  },
  {
    id: 56,
    name: 'BNB Chain',
    rpcUrl: 'https://bsc-dataseed.bnbchain.org',
    currency: 'BNB',
    explorerUrl: 'https://bscscan.com',
    sharePercent: 0,
    contracts: { USDT: '0x55d398326f99059fF775485246999027B3197955' },
  },
]

export const COLLATERALS: readonly Collateral[] = [
  {
    token: 'USDC',
    decimals: 6,
    baseWeight: 1,
    discountFactor: null,
    haircut: 0,
    userMaxQuantity: -1,
    minimumWithdraw: 0.000001,
    withdrawFee: 1,
  },
  {
    token: 'USDT',
    decimals: 6,
    baseWeight: 0.95,
    discountFactor: 0,
    haircut: 0.05,
    userMaxQuantity: 200_000,
    minimumWithdraw: 0.000001,
    withdrawFee: 1,
  },
  {
    token: 'ETH',
    decimals: 18,
    baseWeight: 0.9,
    discountFactor: 0.00000018,
    haircut: 0.05,
    userMaxQuantity: 100,
    minimumWithdraw: 0.0001,
    withdrawFee: 0.0004,
  },
]

/** Decimals of tokens on chains where they differ from the token's usual decimals. */
export const CHAIN_DECIMALS: ReadonlyMap<string, number> = new Map([['USDT@56', 18]])
