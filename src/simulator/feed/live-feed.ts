import { HOUR_MS } from '../../contract/durations.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { visibleDepth } from '../book/depth.ts'
import type { Engine } from '../engine/engine.ts'
import type { Simulation } from '../exchange/simulation.ts'
import type { FeedBook, FeedLevel, FundingState, Tick } from '../listing/feed.ts'
import type { Market } from '../listing/instruments.ts'
import { type Candle, type Candles, createCandles, type DayFigures } from '../past/candles.ts'
import { addSettlement, type Settlement } from '../past/funding-rates.ts'
import type { SeededFeed } from '../past/seeded-feed.ts'
import { estimatedRate } from '../prices/funding.ts'
import { barBetween, TRADES_KEPT_MAX } from '../state/market-history.ts'
import type { MarketStatus } from '../state/market-spec.ts'
import { BUY, type EngineMarket, SELL, type SideSign } from '../state/state.ts'
import type { Scene } from '../state/world.ts'
import { createTotalTurnover, type TotalTurnover } from './turnover.ts'

/** Open interest in the base asset with eight decimals: in total, and per side without market makers. */
type OpenInterest = {
  readonly total: bigint
  readonly tradersLong: bigint
  readonly tradersShort: bigint
}

/** The public data of all markets: the seeded history, followed by the simulation's trades. */
export type MarketFeed = {
  readonly instruments: ReadonlyMap<string, Market>
  /** Which orders the market accepts. */
  readonly status: (symbol: string) => MarketStatus
  readonly index: (symbol: string) => bigint
  readonly mark: (symbol: string) => bigint
  /** The price of the last trade at or before a time, with eight decimals. */
  readonly priceThen: (symbol: string, atMs: number) => bigint
  /** The price of the last trade at or before a time, in ticks. */
  readonly ticksThen: (market: Pick<EngineMarket, 'spec'>, atMs: number) => number
  readonly book: (symbol: string, levels: number) => FeedBook
  readonly candles: (
    symbol: string,
    resolutionMs: number,
    fromMs: number,
    toMs: number,
    nowMs: number,
  ) => readonly Candle[]
  readonly day: (symbol: string, nowMs: number) => DayFigures
  /** The latest trades up to now, newest first. */
  readonly tape: (symbol: string, count: number) => readonly Tick[]
  readonly funding: (symbol: string) => FundingState
  /** Every funding settlement since the funding epoch, oldest first. */
  readonly settlements: (symbol: string) => readonly Settlement[]
  readonly openInterest: (symbol: string) => OpenInterest
  readonly traded: TotalTurnover
  /** The time at which the world began and the seeded history ended. */
  readonly beganMs: () => number
}

/** The public data of a simulation. The first request for current data builds the simulation. */
export function createLiveFeed(past: SeededFeed, simulation: () => Simulation): MarketFeed {
  const charts = new Map<string, Candles>()
  const priceBefore = createPrices(past)

  function scene(symbol: string): Scene {
    const { world } = simulation().engine
    const market = world.exchange.bySymbol.get(symbol)
    const found = market && world.scenes[market.number]
    if (!found) throw new RangeError('no such market')
    return found
  }

  function chart(symbol: string): Candles {
    const known = charts.get(symbol)
    if (known) return known
    const { listed, market, history } = scene(symbol)
    const made = createCandles({
      market: listed,
      beginsAtMs: simulation().engine.world.beginsAtMs,
      before: (fromMs, toMs) => past.bar(symbol, fromMs, toMs),
      since: (fromMs, toMs) =>
        barBetween(history, fromMs, toMs, simulation().engine.archive.of(symbol)),
      lastTicks: () => market.last,
    })
    charts.set(symbol, made)
    return made
  }

  function priceThen(symbol: string, atMs: number): bigint {
    const { beginsAtMs } = simulation().engine.world
    return atMs < beginsAtMs
      ? priceBefore(symbol, atMs)
      : lastBefore(scene(symbol), simulation().engine, atMs)
  }

  return {
    instruments: past.instruments,
    status: (symbol) => scene(symbol).market.status,
    index: (symbol) => inTicks(scene(symbol), scene(symbol).market.index),
    mark: (symbol) => inTicks(scene(symbol), scene(symbol).market.mark),
    priceThen,
    ticksThen: ({ spec }, atMs) => Number(priceThen(spec.symbol, atMs) / BigInt(spec.tick)),
    book: (symbol, levels) => ({
      bids: feedLevels(scene(symbol), BUY, levels),
      asks: feedLevels(scene(symbol), SELL, levels),
    }),
    candles: (symbol, ...range) => chart(symbol).range(...range),
    day: (symbol, nowMs) => chart(symbol).day(nowMs),
    tape: (symbol, count) => recentTicks(scene(symbol), past, simulation(), count),
    funding: (symbol) => fundingState(scene(symbol)),
    settlements: (symbol) => allSettlements(scene(symbol), past, simulation()),
    openInterest: (symbol) => sceneOpenInterest(scene(symbol), simulation()),
    traded: createTotalTurnover(past, simulation),
    beganMs: () => simulation().engine.world.beginsAtMs,
  }
}

/** Maximum number of cached prices, enough for two pages of the charts of all markets. */
const PRICES_REMEMBERED_MAX = 4000

/** Returns a cached function for prices from before the world began. */
function createPrices(past: SeededFeed): MarketFeed['priceThen'] {
  const prices = createBoundedMap<string, bigint>(PRICES_REMEMBERED_MAX)
  return (symbol, atMs) => {
    const key = `${symbol} ${atMs}`
    const price = prices.get(key) ?? past.tape(symbol, atMs, 1)[0]?.price ?? 0n
    prices.put(key, price)
    return price
  }
}

function inTicks({ listed }: Scene, ticks: number): bigint {
  return BigInt(ticks) * listed.quoteTick
}

function inSteps({ listed }: Scene, steps: number): bigint {
  return BigInt(steps) * listed.baseTick
}

function feedLevels(scene: Scene, side: SideSign, count: number): FeedLevel[] {
  return visibleDepth(scene.market, side, count).map(({ price, quantity }) => ({
    price: inTicks(scene, price),
    quantity: inSteps(scene, quantity),
  }))
}

const LOOKED_BACK_MS = 2 * HOUR_MS

/** The price of the last trade within `LOOKED_BACK_MS` before a time; if there is no trade, the market's last price. */
function lastBefore(scene: Scene, { world, archive }: Engine, atMs: number): bigint {
  const fromMs = Math.max(world.beginsAtMs, atMs + 1 - LOOKED_BACK_MS)
  const bar = barBetween(scene.history, fromMs, atMs + 1, archive.of(scene.listed.symbol))
  return inTicks(scene, bar.volume > 0 ? bar.close : scene.market.last)
}

function recentTicks(
  scene: Scene,
  past: SeededFeed,
  { engine }: Simulation,
  count: number,
): Tick[] {
  const { trades } = scene.history
  const recent = trades.slice(-count).reverse()
  const ticks = recent.map(({ atMs, side, price, quantity }) => ({
    atMs,
    side: side === BUY ? ('BUY' as const) : ('SELL' as const),
    price: inTicks(scene, price),
    quantity: inSteps(scene, quantity),
  }))
  // A full list may have dropped trades after the world began, so adding seeded trades could leave a gap.
  if (trades.length >= TRADES_KEPT_MAX || ticks.length >= count) return ticks
  const { beginsAtMs } = engine.world
  return [...ticks, ...past.tape(scene.listed.symbol, beginsAtMs - 1, count - ticks.length)]
}

function fundingState(scene: Scene): FundingState {
  return {
    estimatedRate: BigInt(estimatedRate(scene)),
    lastRate: BigInt(scene.lastRate),
    lastAtMs: scene.lastFundedAtMs,
    nextAtMs: scene.nextFundingAtMs,
    sumUnitary: BigInt(scene.market.sumUnitary),
  }
}

function allSettlements(scene: Scene, past: SeededFeed, simulation: Simulation): Settlement[] {
  const settled = [...past.settlements(scene.listed.symbol, simulation.engine.world.beginsAtMs)]
  for (const { atMs, rate, sumUnitary } of simulation.settlements.of(scene.market))
    addSettlement(settled, { atMs, rate: BigInt(rate), sumUnitary: BigInt(sumUnitary) })
  return settled
}

/** The open interest of a market: in total, and per side without market makers. */
function sceneOpenInterest(scene: Scene, { engine }: Simulation): OpenInterest {
  const { agentOf } = engine.world
  let [long, short] = [0, 0]
  for (const { account, quantity } of scene.market.holders) {
    if (agentOf.get(account.number)?.role === 'maker') continue
    long += Math.max(0, quantity)
    short += Math.max(0, -quantity)
  }
  return {
    total: inSteps(scene, scene.market.openInterest),
    tradersLong: inSteps(scene, long),
    tradersShort: inSteps(scene, short),
  }
}
