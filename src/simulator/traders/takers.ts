import { HOUR_MS, MINUTE_MS } from '../../contract/durations.ts'
import { nextRandom, normal, randomBetween, waitMs } from '../base/rng.ts'
import { MICRO } from '../base/units.ts'
import { accountMargin, freeCollateralAmount } from '../margin/margin.ts'
import { MEAN_TAKE } from '../past/tape.ts'
import { deposit } from '../state/accounts.ts'
import { BUY, SELL, type SideSign } from '../state/state.ts'
import type { Agent, EngineWorld, Scene } from '../state/world.ts'
import { affordableSteps, agentPosition, bestLevelUsdc, trade } from './trade.ts'

/** The number of takers in a market. */
export const TAKERS = 5
/** The share of the market's usual number of trades that the takers make. */
const OF_ALL_TRADES = 0.8
/** A taker reverses when it holds this many times the usual best level. */
const HOLDING_MAX = 12
/** How strongly takers prefer to sell, per share by which the book is above the index. */
const VALUE_SENSE = 250

/**
 * Trades a random part of the best level. The further the book is above the index, the more likely it sells. Returns
 * the ms until its next trade.
 */
export function takeBestLevel(
  world: EngineWorld,
  taker: Agent,
  scene: Scene,
  atMs: number,
): number {
  const { market } = scene
  const bestLevel = affordableSteps(scene, bestLevelUsdc(scene))
  const held = agentPosition(taker, market) / (bestLevel * HOLDING_MAX)
  if (agentEquity(taker) < taker.stake / 2) payInStake(world, taker)
  const dear = market.mark / scene.index - 1
  const buys = nextRandom(taker.rng) < 0.5 - 0.3 * held - VALUE_SENSE * dear
  const quantity = Math.ceil(bestLevel * randomBetween(taker.rng, 0.1, 2 * MEAN_TAKE - 0.1))
  trade(world, taker, { market, side: buys ? BUY : SELL, quantity, type: 'MARKET' }, atMs)
  const { tradesPerMinute } = scene.listed.tier
  return waitMs(taker.rng, (MINUTE_MS * TAKERS) / (tradesPerMinute * OF_ALL_TRADES))
}

const SPECULATION_MS = 3 * HOUR_MS
/** Below this share of its stake, a speculator counts as having lost it. */
const STAKE_LOST = 0.15
const SPECULATED_SHARE = 0.85

/**
 * Bets most of a small account with high leverage, and then waits for hours. A speculator that has lost its stake pays
 * in another stake from its purse. Returns the ms until its next action.
 */
export function actAsSpeculator(
  world: EngineWorld,
  agent: Agent,
  scene: Scene,
  atMs: number,
): number {
  const { account } = agent
  const held = agentPosition(agent, scene.market)
  if (held !== 0) {
    if (nextRandom(agent.rng) < 0.4)
      reduce(world, agent, scene, scene.market.spec.quantityMax, atMs)
  } else {
    if (agentEquity(agent) < agent.stake * STAKE_LOST) payInStake(world, agent)
    const free = freeCollateralAmount(accountMargin(account))
    const leverage = account.marketAccounts.get(scene.market.number)?.leverage ?? 1
    const quantity = affordableSteps(scene, (free / MICRO) * leverage * SPECULATED_SHARE)
    const side = nextRandom(agent.rng) < 0.5 ? BUY : SELL
    trade(world, agent, { market: scene.market, side, quantity, type: 'MARKET' }, atMs)
  }
  return waitMs(agent.rng, SPECULATION_MS)
}

function agentEquity({ account }: Agent): number {
  return accountMargin(account).collateral
}

/** Pays in another stake, or what is left in the purse. */
function payInStake({ exchange }: EngineWorld, agent: Agent): void {
  const amount = Math.min(agent.stake, agent.purse)
  agent.purse -= amount
  deposit(exchange, agent.account, amount)
}

const MOMENTUM_MS = 8 * MINUTE_MS
const MEMORY = 0.15
const SIGNAL = 0.35
const CONVICTION = 6

/** Trades with a price that has left its average, and closes the position when the price returns. */
export function actAsTrendFollower(
  world: EngineWorld,
  agent: Agent,
  scene: Scene,
  atMs: number,
): number {
  const signal = scene.index / agent.anchor - 1
  agent.anchor += (scene.index - agent.anchor) * MEMORY
  const isMove = Math.abs(signal) > SIGNAL * scene.listed.tier.dailyVolatility
  const target = isMove
    ? Math.sign(signal) * affordableSteps(scene, bestLevelUsdc(scene) * CONVICTION)
    : 0
  approach(world, agent, scene, target, atMs)
  return waitMs(agent.rng, MOMENTUM_MS)
}

const EDGE = 0.001
const ARBITRAGE_MAX = 60

/** The side on which a trade with the book is profitable at the index price; null without such a side. */
export function profitableSide({ market, index }: Scene): SideSign | null {
  const { bids, asks } = market.book
  if (asks.best !== null && asks.best.price < index * (1 - EDGE)) return BUY
  return bids.best !== null && bids.best.price > index * (1 + EDGE) ? SELL : null
}

/** Buys below the index and sells above it, as far as the agent's purse allows. */
export function arbitrageIndex(
  world: EngineWorld,
  agent: Agent,
  scene: Scene,
  atMs: number,
): number {
  agent.isAwake = false
  const { market, index } = scene
  const side = profitableSide(scene)
  if (side === null) return 0
  const max = affordableSteps(scene, bestLevelUsdc(scene) * ARBITRAGE_MAX)
  const room = max - side * agentPosition(agent, market)
  const quantity = Math.min(room, affordableSteps(scene, bestLevelUsdc(scene) * CONVICTION))
  const price = Math.max(1, Math.round(index * (1 - (side * EDGE) / 2)))
  trade(world, agent, { market, side, quantity, price, type: 'IOC' }, atMs)
  return 0
}

const REBALANCE_MS = 6 * HOUR_MS

/** Sometimes adds to the agent's large long-term position, or reduces it. */
export function actAsLongHolder(
  world: EngineWorld,
  agent: Agent,
  scene: Scene,
  atMs: number,
): number {
  const share = randomBetween(agent.rng, -0.05, 0.05)
  const usual = agent.anchor
  const target = Math.round(usual * (1 + share))
  approach(world, agent, scene, target, atMs)
  return waitMs(agent.rng, REBALANCE_MS)
}

const SLICES = 12
const SLICE_MS = 40_000
const PAUSE_MS = 2 * HOUR_MS
/** The size of a whale's trade, in multiples of the market's usual best level. */
const WHALE_BEST_LEVELS = 40

/** Buys or sells much of one market in slices, rests for hours, and later reverses the position. */
export function actAsWhale(world: EngineWorld, whale: Agent, scene: Scene, atMs: number): number {
  if (whale.anchor === 0) {
    choose(world, whale)
    return SLICE_MS
  }
  const side: SideSign = whale.anchor > 0 ? BUY : SELL
  const slice = Math.ceil(affordableSteps(scene, bestLevelUsdc(scene) * WHALE_BEST_LEVELS) / SLICES)
  const quantity = Math.min(slice, Math.abs(whale.anchor))
  const terms = { market: scene.market, side, quantity, type: 'MARKET' } as const
  const order = trade(world, whale, terms, atMs)
  whale.anchor -= side * quantity
  if (!order) whale.anchor = 0
  return waitMs(whale.rng, whale.anchor === 0 ? PAUSE_MS : SLICE_MS)
}

/** Lets a whale reverse its position or, in half of the cases, choose another market. */
function choose({ scenes }: EngineWorld, whale: Agent): void {
  const held = [...whale.account.marketAccounts.values()].find(({ quantity }) => quantity !== 0)
  if (held && nextRandom(whale.rng) < 0.5) {
    whale.market = held.market.number
    whale.anchor = -held.quantity
    return
  }
  whale.market = Math.floor(nextRandom(whale.rng) * scenes.length)
  const scene = scenes[whale.market]
  if (scene?.market.status !== 'ACTIVE') return
  const side = nextRandom(whale.rng) < 0.5 ? BUY : SELL
  const size = WHALE_BEST_LEVELS * Math.min(2, Math.max(0.3, 1 + 0.4 * normal(whale.rng)))
  whale.anchor = side * affordableSteps(scene, bestLevelUsdc(scene) * size)
}

const UNWIND_MS = 20_000

/** Closes a taken-over position, one best level at a time. Returns the ms until the next part; 0 when done. */
export function unwind(world: EngineWorld, agent: Agent, scene: Scene, atMs: number): number {
  if (agentPosition(agent, scene.market) === 0) return 0
  reduce(world, agent, scene, affordableSteps(scene, bestLevelUsdc(scene)), atMs)
  return waitMs(agent.rng, UNWIND_MS)
}

/** Reduces a position by at most a number of steps. */
function reduce(
  world: EngineWorld,
  agent: Agent,
  { market }: Scene,
  max: number,
  atMs: number,
): void {
  const held = agentPosition(agent, market)
  const side: SideSign = held > 0 ? SELL : BUY
  const quantity = Math.min(Math.abs(held), max)
  trade(world, agent, { market, side, quantity, reduceOnly: true, type: 'MARKET' }, atMs)
}

function approach(
  world: EngineWorld,
  agent: Agent,
  scene: Scene,
  target: number,
  atMs: number,
): void {
  const missing = target - agentPosition(agent, scene.market)
  if (missing === 0) return
  const side: SideSign = missing > 0 ? BUY : SELL
  const quantity = Math.min(Math.abs(missing), affordableSteps(scene, bestLevelUsdc(scene)))
  trade(world, agent, { market: scene.market, side, quantity, type: 'MARKET' }, atMs)
}
