import { parseDecimal } from '../../../src/core/decimals.ts'
import type { Feed, Instrument, Level, Tick } from '../../../src/venue/market/feed.ts'

/** A decimal text with eight places. */
export function d(text: string): bigint {
  const value = parseDecimal(text, 8)
  if (value === null) throw new RangeError(text)
  return value
}

export type Quote = readonly [price: string, quantity: string]

/** How a market stands from a time on. */
export type Scene = {
  readonly fromMs: number
  readonly mark: string
  readonly bids?: readonly Quote[]
  readonly asks?: readonly Quote[]
}

export type SmallFeed = Feed & {
  /** Executions that the exchange recorded. */
  readonly recorded: { readonly symbol: string; readonly tick: Tick }[]
  /** Tells how a market stands from a time on. */
  readonly stage: (symbol: string, scene: Scene) => void
  readonly trade: (symbol: string, tick: Tick) => void
  /** How often a book was asked for. */
  readonly looks: () => number
}

export const GENESIS_MS = 1_750_000_000_000 - (1_750_000_000_000 % 28_800_000)
export const BUCKET_MS = 5000
const HOUR_MS = 3_600_000

export const BTC = 'PERP_BTC_USDC'
export const ETH = 'PERP_ETH_USDC'

/** 0.01 % an hour. */
const FUNDING_RATE = 10_000n

const RULES = {
  quoteTick: d('0.1'),
  quoteMin: 0n,
  quoteMax: d('1000000'),
  minNotional: 10_000_000n,
  priceRange: d('0.03'),
  priceScope: d('0.4'),
  baseImr: d('0.01'),
  baseMmr: d('0.006'),
  fundingPeriodHours: 1,
  capFunding: d('0.01'),
  floorFunding: d('-0.01'),
} as const

const INSTRUMENTS: readonly Instrument[] = [
  {
    ...RULES,
    symbol: BTC,
    base: 'BTC',
    baseTick: d('0.0001'),
    baseMin: d('0.0001'),
    baseMax: d('100'),
    imrFactor: 9.1e-8,
  },
  {
    ...RULES,
    symbol: ETH,
    base: 'ETH',
    baseTick: d('0.001'),
    baseMin: d('0.001'),
    baseMax: d('1000'),
    imrFactor: 1.724e-7,
  },
]

const OPENING: Readonly<Record<string, Scene>> = {
  [BTC]: {
    fromMs: 0,
    mark: '60000',
    bids: [
      ['59999', '1'],
      ['59990', '2'],
    ],
    asks: [
      ['60001', '1'],
      ['60010', '2'],
    ],
  },
  [ETH]: { fromMs: 0, mark: '3000', bids: [['2999', '10']], asks: [['3001', '10']] },
}

/** Two markets that stand still until a test moves them, and settle 0.01 % of the opening mark every hour. */
export function smallFeed(): SmallFeed {
  const scenes = new Map(Object.entries(OPENING).map(([symbol, scene]) => [symbol, [scene]]))
  const ticks = new Map<string, Tick[]>([
    [BTC, []],
    [ETH, []],
  ])
  const recorded: { symbol: string; tick: Tick }[] = []
  let looks = 0

  function sceneAt(symbol: string, atMs: number): Scene {
    const bucketStartMs = Math.floor(atMs / BUCKET_MS) * BUCKET_MS
    const scene = scenes.get(symbol)?.findLast(({ fromMs }) => fromMs <= bucketStartMs)
    if (!scene) throw new RangeError('no such market')
    return scene
  }

  function funding(symbol: string, atMs: number) {
    const settlements = BigInt(Math.floor(atMs / HOUR_MS) - Math.floor(GENESIS_MS / HOUR_MS))
    const mark = d(OPENING[symbol]?.mark ?? '0')
    const lastAtMs = Math.floor(atMs / HOUR_MS) * HOUR_MS
    return {
      estimatedRate: FUNDING_RATE,
      lastRate: FUNDING_RATE,
      lastAtMs,
      nextAtMs: lastAtMs + HOUR_MS,
      sumUnitary: (settlements * mark * FUNDING_RATE) / 100_000_000n,
    }
  }

  return {
    instruments: new Map(INSTRUMENTS.map((instrument) => [instrument.symbol, instrument])),
    bucketMs: BUCKET_MS,
    index: (symbol, atMs) => d(sceneAt(symbol, atMs).mark),
    mark: (symbol, atMs) => d(sceneAt(symbol, atMs).mark),
    book(symbol, atMs) {
      looks += 1
      const { bids = [], asks = [] } = sceneAt(symbol, atMs)
      return { bids: bids.map(levelOf), asks: asks.map(levelOf) }
    },
    trades: (symbol, fromMs, toMs) =>
      (ticks.get(symbol) ?? []).filter(({ atMs }) => atMs >= fromMs && atMs < toMs),
    funding,
    record: (symbol, tick) => recorded.push({ symbol, tick }),
    recorded,
    stage(symbol, scene) {
      scenes.get(symbol)?.push(scene)
    },
    trade(symbol, tick) {
      ticks.get(symbol)?.push(tick)
    },
    looks: () => looks,
  }
}

function levelOf([price, quantity]: Quote): Level {
  return { price: d(price), quantity: d(quantity) }
}
