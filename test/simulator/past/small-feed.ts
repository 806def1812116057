import { parseDecimal } from '../../../src/core/decimals.ts'
import type { InitialState } from '../../../src/simulator/engine/run.ts'
import { MARKETS, type Market } from '../../../src/simulator/listing/instruments.ts'

/** A decimal text with eight places. */
export function d(text: string): bigint {
  const value = parseDecimal(text, 8)
  if (value === null) throw new RangeError(text)
  return value
}

/** A price and a quantity, in USDC and base. */
export type Quote = readonly [price: number, quantity: number]

export type Quotes = { readonly bids: readonly Quote[]; readonly asks: readonly Quote[] }

export const WORLD_START_MS = 1_750_000_000_000 - (1_750_000_000_000 % 28_800_000)

export const BTC = 'PERP_BTC_USDC'
export const ETH = 'PERP_ETH_USDC'
const BNB = 'PERP_BNB_USDC'
const AAVE = 'PERP_AAVE_USDC'

const RULES = {
  quoteTick: d('0.1'),
  quoteMax: d('1000000'),
  capFunding: d('0.01'),
  floorFunding: d('-0.01'),
  fundingPeriodHours: 1,
} as const

/** Prices and quotes of the markets when the venue opens, in USDC. */
export const OPENING: Readonly<Record<string, { readonly price: number } & Quotes>> = {
  [BTC]: {
    price: 60_000,
    bids: [
      [59_999, 1],
      [59_990, 2],
    ],
    asks: [
      [60_001, 1],
      [60_010, 2],
    ],
  },
  [ETH]: { price: 3000, bids: [[2999, 10]], asks: [[3001, 10]] },
  [BNB]: { price: 800, bids: [[799.8, 30]], asks: [[800.2, 30]] },
  [AAVE]: { price: 300, bids: [[299.8, 50]], asks: [[300.2, 50]] },
}

const LISTED: readonly Market[] = [
  {
    ...marketOf(BTC),
    ...RULES,
    baseTick: d('0.0001'),
    baseMin: d('0.0001'),
    baseMax: d('100'),
    imrFactor: 9.1e-8,
  },
  {
    ...marketOf(ETH),
    ...RULES,
    baseTick: d('0.001'),
    baseMin: d('0.001'),
    baseMax: d('1000'),
    baseImr: d('0.01'),
    baseMmr: d('0.006'),
    imrFactor: 1.724e-7,
  },
]

/** The two markets, and two of higher margin rates that are liquidated one market at a time. */
export const FOUR_LISTED: readonly Market[] = [
  ...LISTED,
  ...[BNB, AAVE].map((symbol) => ({
    ...marketOf(symbol),
    ...RULES,
    baseTick: d('0.001'),
    baseMin: d('0.001'),
    baseMax: d('2000'),
  })),
]

/** Markets whose index stands still until a test moves it, and in which nobody trades by himself. */
export function smallInitialState(
  priceAt: (symbol: string, atMs: number) => number,
  beginsAtMs = WORLD_START_MS,
  listed = LISTED,
): InitialState {
  const ticksAt = (symbol: string, atMs: number) => Math.round(priceAt(symbol, atMs) * 10)
  return {
    seed: 1,
    beginsAtMs,
    prices: {
      kind: 'replayed',
      priceAt: ticksAt,
      nextStopMs: () => null,
      stillSinceMs: () => null,
    },
    listed,
    populate: false,
    startOf: ({ symbol }) => ({ index: ticksAt(symbol, beginsAtMs), sumUnitary: 0, lastRate: 0 }),
  }
}

function marketOf(symbol: string): Market {
  const market = MARKETS.get(symbol)
  if (!market) throw new RangeError(symbol)
  return market
}
