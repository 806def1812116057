import { MINUTE_MS } from '../../contract/durations.ts'
import type { FundingState, Tick } from '../listing/feed.ts'
import { MARKETS, type Market } from '../listing/instruments.ts'
import { type Bar, emptyBar, intoBar } from './bar.ts'
import { HISTORY_MS } from './candles.ts'
import { createFundingRates, type FundingRates, type Settlement } from './funding-rates.ts'
import { BUCKET_MS, createPricePath, type Intensity, type PricePath } from './path.ts'
import { spanStart } from './spans.ts'
import { createSeededBbo, createTape, type SeededTape } from './tape.ts'

/**
 * The seeded markets: their data from before the world began, and their price at any time if there were no trades. All
 * data follows from the seed and the time. Every method throws RangeError for an unknown symbol.
 */
export type SeededFeed = {
  readonly instruments: ReadonlyMap<string, Market>
  readonly seed: number
  readonly beginsAtMs: number
  readonly index: (symbol: string, atMs: number) => bigint
  readonly mark: (symbol: string, atMs: number) => bigint
  /** The seeded trades with fromMs <= atMs < toMs, oldest first. */
  readonly trades: (symbol: string, fromMs: number, toMs: number) => readonly Tick[]
  /** The seeded trades with fromMs <= atMs < toMs as one bar. */
  readonly bar: (symbol: string, fromMs: number, toMs: number) => Bar
  /** The latest trades up to a time, newest first. */
  readonly tape: (symbol: string, atMs: number, count: number) => readonly Tick[]
  readonly funding: (symbol: string, atMs: number) => FundingState
  /** Every funding settlement since the funding epoch, oldest first. */
  readonly settlements: (symbol: string, atMs: number) => readonly Settlement[]
}

type FeedOptions = {
  readonly seed: number
  readonly beginsAtMs: number
  /** The markets; absent: every market of the table. */
  readonly instruments?: ReadonlyMap<string, Market> | undefined
  /** The intensity of each market; absent or null: its usual activity. */
  readonly intensityOf?: ((market: Market) => Intensity | null) | undefined
}

type Past = {
  readonly market: Market
  readonly path: PricePath
  readonly trades: SeededTape
  readonly funding: FundingRates
}

/** Creates the seeded markets. The same seed and the same beginning of the world always give the same data. */
export function createFeed(options: FeedOptions): SeededFeed {
  const { instruments = MARKETS } = options
  const pasts = new Map<string, Past>()

  // A market's history is computed when it is first used, so that it does not delay the start.
  function past(symbol: string): Past {
    const known = pasts.get(symbol)
    if (known) return known
    const market = instruments.get(symbol)
    if (!market) throw new RangeError('no such market')
    const made = createPast(market, options)
    pasts.set(symbol, made)
    return made
  }

  return {
    instruments,
    seed: options.seed,
    beginsAtMs: options.beginsAtMs,
    index: (symbol, atMs) => pastPrice(past(symbol), 'index', atMs),
    mark: (symbol, atMs) => pastPrice(past(symbol), 'mark', atMs),
    trades: (symbol, fromMs, toMs) => pastTicks(past(symbol), fromMs, toMs),
    bar: (symbol, fromMs, toMs) => {
      const bar = emptyBar()
      past(symbol).trades(fromMs, toMs, intoBar(bar))
      return bar
    },
    tape: (symbol, atMs, count) => latest(past(symbol), atMs, count),
    funding: (symbol, atMs) => past(symbol).funding.state(atMs),
    settlements: (symbol, atMs) => past(symbol).funding.settlements(atMs),
  }
}

function createPast(market: Market, { seed, beginsAtMs, intensityOf }: FeedOptions): Past {
  const intensity = intensityOf?.(market) ?? null
  const path = createPricePath(market, seed, intensity)
  // The funding epoch: the start of the candles when the world began. The epoch must never move, because the sums would
  // change.
  const epochMs = beginsAtMs - HISTORY_MS
  return {
    market,
    path,
    trades: createTape(market, seed, createSeededBbo(market, seed, path, intensity)),
    funding: createFundingRates({ market, seed, path, epochMs }),
  }
}

function pastPrice({ market, path }: Past, kind: 'index' | 'mark', atMs: number): bigint {
  return BigInt(path[kind](Math.floor(atMs / BUCKET_MS))) * market.quoteTick
}

function pastTicks({ market, trades }: Past, fromMs: number, toMs: number): Tick[] {
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

function latest(past: Past, atMs: number, count: number): readonly Tick[] {
  const newestFirst: Tick[] = []
  // This loop ends, because every minute has seeded trades.
  for (let from = spanStart(MINUTE_MS, atMs); newestFirst.length < count; from -= MINUTE_MS)
    newestFirst.push(...pastTicks(past, from, Math.min(from + MINUTE_MS, atMs + 1)).reverse())
  return newestFirst.slice(0, count)
}
