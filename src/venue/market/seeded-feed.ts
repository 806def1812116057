import { MINUTE_MS } from '../../spec/durations.ts'
import type { Feed, Tick } from './feed.ts'
import { createFundingRates, type FundingRates, type Settlement } from './funding-rates.ts'
import { MARKETS, type Market } from './instruments.ts'
import { createOpenInterest, type OpenInterest } from './open-interest.ts'
import {
  type Candle,
  type Candles,
  createCandles,
  type DayFigures,
  HISTORY_MS,
} from './price/candles.ts'
import { BUCKET_MS, createPricePath, type PricePath } from './price/path.ts'
import { spanStart } from './price/spans.ts'
import { createSeededBook, type SeededBook } from './seeded-book.ts'
import { createTape, type Tape } from './tape.ts'
import { createUserExecutions, type UserExecutions } from './user-executions.ts'

/** The feed with what the public rows need beyond it. Every method throws RangeError for a symbol it does not have. */
export type MarketFeed = Omit<Feed, 'instruments'> & {
  readonly instruments: ReadonlyMap<string, Market>
  readonly seed: number
  readonly genesisMs: number
  readonly candles: (
    symbol: string,
    resolutionMs: number,
    fromMs: number,
    toMs: number,
    nowMs: number,
  ) => readonly Candle[]
  readonly day: (symbol: string, nowMs: number) => DayFigures
  /** The latest trades and executions up to now, newest first. */
  readonly tape: (symbol: string, nowMs: number, count: number) => readonly Tick[]
  /** Every settlement since the funding epoch, oldest first. */
  readonly settlements: (symbol: string, nowMs: number) => readonly Settlement[]
  readonly openInterest: (symbol: string, nowMs: number) => OpenInterest
}

export type FeedOptions = { readonly seed: number; readonly genesisMs: number }

type World = {
  readonly market: Market
  readonly path: PricePath
  readonly book: SeededBook
  readonly seeded: Tape
  readonly executions: UserExecutions
  readonly candles: Candles
  readonly funding: FundingRates
  readonly openInterest: (atMs: number) => OpenInterest
}

/** The seeded markets: the same seed and genesis answer the same at the same time, whatever was asked before. */
export function createFeed(options: FeedOptions): MarketFeed {
  const worlds = new Map<string, World>()

  // A market's world is made when it is first asked for, so that starting costs nothing.
  function world(symbol: string): World {
    const known = worlds.get(symbol)
    if (known) return known
    const market = MARKETS.get(symbol)
    if (!market) throw new RangeError('no such market')
    const made = createWorld(market, options)
    worlds.set(symbol, made)
    return made
  }

  return {
    instruments: MARKETS,
    bucketMs: BUCKET_MS,
    seed: options.seed,
    genesisMs: options.genesisMs,
    index: (symbol, atMs) => indexOf(world(symbol), atMs),
    mark: (symbol, atMs) => markOf(world(symbol), atMs),
    book: (symbol, atMs) => world(symbol).book.levels(bucketOf(atMs)),
    trades: (symbol, fromMs, toMs) => ticksOf(world(symbol), world(symbol).seeded, fromMs, toMs),
    funding: (symbol, atMs) => world(symbol).funding.state(atMs),
    settlements: (symbol, nowMs) => world(symbol).funding.settlements(nowMs),
    openInterest: (symbol, nowMs) => world(symbol).openInterest(nowMs),
    candles: (symbol, ...range) => world(symbol).candles.range(...range),
    day: (symbol, nowMs) => world(symbol).candles.day(nowMs),
    tape: (symbol, nowMs, count) => latest(world(symbol), nowMs, count),
    record: (symbol, tick) => {
      world(symbol).executions.add(tick)
      world(symbol).candles.touch(tick.atMs)
    },
  }
}

function createWorld(market: Market, { seed, genesisMs }: FeedOptions): World {
  const path = createPricePath(market, seed)
  const book = createSeededBook(market, seed, path)
  const seeded = createTape(market, seed, book)
  const executions = createUserExecutions(market)
  // As old as the oldest candle at genesis: the funding epoch never moves, or the sums would.
  const epochMs = genesisMs - HISTORY_MS
  return {
    market,
    path,
    book,
    seeded,
    executions,
    candles: createCandles(market, both(seeded, executions)),
    funding: createFundingRates({ market, seed, path, epochMs }),
    openInterest: createOpenInterest(market, seed, path),
  }
}

function bucketOf(atMs: number): number {
  return Math.floor(atMs / BUCKET_MS)
}

function indexOf({ market, path }: World, atMs: number): bigint {
  return BigInt(path.index(bucketOf(atMs))) * market.quoteTick
}

function markOf({ market, path }: World, atMs: number): bigint {
  return BigInt(path.mark(bucketOf(atMs))) * market.quoteTick
}

// Executions come after the seeded trades of the span: a bar orders by time, so only equal instants see the difference.
function both(seeded: Tape, executions: UserExecutions): Tape {
  return (fromMs, toMs, visit) => {
    seeded(fromMs, toMs, visit)
    executions.visit(fromMs, toMs, visit)
  }
}

function ticksOf({ market }: World, trades: Tape, fromMs: number, toMs: number): Tick[] {
  const ticks: Tick[] = []
  trades(fromMs, toMs, (atMs, side, price, quantity) => {
    ticks.push({
      atMs,
      side,
      price: BigInt(price) * market.quoteTick,
      quantity: BigInt(quantity) * market.baseTick,
    })
  })
  return ticks
}

function latest(world: World, nowMs: number, count: number): readonly Tick[] {
  const trades = both(world.seeded, world.executions)
  const newestFirst: Tick[] = []
  // Every minute has seeded trades, so this ends.
  for (let from = spanStart(MINUTE_MS, nowMs); newestFirst.length < count; from -= MINUTE_MS) {
    const ticks = ticksOf(world, trades, from, Math.min(from + MINUTE_MS, nowMs + 1))
    newestFirst.push(...ticks.sort((a, b) => a.atMs - b.atMs).reverse())
  }
  return newestFirst.slice(0, count)
}
