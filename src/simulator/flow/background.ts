import { SECOND_MS } from '../../contract/durations.ts'
import { exp, power } from '../base/mathematics.ts'
import { nextRandom } from '../base/rng.ts'
import { movedPrice } from '../state/markets.ts'
import { BUY, type EngineOrder, SELL, type SideSign } from '../state/state.ts'
import type { Agent, Scene } from '../state/world.ts'
import { agentPosition, cancelIfOpen, trade } from '../traders/trade.ts'
import { noteChange } from './makers.ts'
import { halfWidth } from './quoting.ts'
import { bookMiddle, type FlowStep, heldUnits } from './step.ts'

/** Maximum distance beyond the best price at which an order of the flow may trade, as a share of the price. */
const THROUGH = 0.01
/** Minimum value of an order, as a multiple of the market's minimum notional. */
const LEAST_NOTIONALS = 1.05
/**
 * The arbitrageur in units: its maximum position, the quantity that it takes at once, and the quantity by which it
 * reduces its position every ten seconds.
 */
const ARBITRAGE = { heldMax: 150, takes: 1, returns: 0.3, returnsEveryMs: 10 * SECOND_MS } as const
/** Usual number of random limit orders, their mean size in units, and the distribution of their distance. */
const LIMITS = { count: 14, size: 0.3, farthest: 400, exponent: 1.3 } as const
/** The sender's position, in units, at which its noise orders lean most strongly against the position. */
const HELD_UNITS = 30

type Units = { readonly side: SideSign; readonly units: number }

/** Sends an order of the flow that takes visible quantity near the best price. */
export function takeUnits(
  { world, scene, flow, atMs }: FlowStep,
  agent: Agent,
  order: Units,
): void {
  const { market } = scene
  const { side, units } = order
  const best = side === BUY ? market.book.asks.best : market.book.bids.best
  if (!best || units <= 0 || market.status !== 'ACTIVE') return
  const through = Math.max(1, Math.round(best.price * (1 + side * THROUGH)))
  // An order beyond the mark price's range would be refused, and after news the mark price is seconds late.
  const farthest = movedPrice(market.mark, side, market.spec.priceRange)
  const price = side === BUY ? Math.min(through, farthest) : Math.max(through, farthest)
  const quantity = allowedQuantity(scene, units * flow.unitSteps)
  trade(world, agent, { market, side, quantity, price, type: 'IOC' }, atMs)
}

/** A quantity in steps, limited to the order sizes that the market accepts. */
function allowedQuantity({ market: { spec, mark } }: Scene, steps: number): number {
  const least = Math.ceil((LEAST_NOTIONALS * spec.notionalMin) / (mark * spec.unit))
  const quantity = Math.max(spec.quantityMin, least, Math.round(steps))
  return Math.min(spec.quantityMax, quantity)
}

/** The side of a noise order. It leans against the book's premium over the index and against the sender's position. */
export function noiseSide(step: FlowStep, agent: Agent, random: number): SideSign {
  const { scene, flow } = step
  const width = Math.max(0.5, halfWidth(flow.quoting) * scene.index)
  const premium = (bookMiddle(scene) - scene.index) / width
  const lean = Math.max(-0.35, Math.min(0.35, 0.2 * premium))
  const held = Math.max(-1, Math.min(1, heldUnits(step, agent) / HELD_UNITS))
  return random < 0.5 - lean - 0.12 * held ? BUY : SELL
}

/** Takes liquidity if the book deviates from the value of one step ago; otherwise reduces the position at times. */
export function arbitrage(step: FlowStep, agent: Agent): void {
  const { scene, flow, profile, atMs } = step
  const { market } = scene
  if (market.status !== 'ACTIVE' || nextRandom(agent.rng) < 0.5) return
  const value = exp(flow.value.before[0] ?? flow.value.log)
  const edge = profile.arbitrageEdge * value
  const { bids, asks } = market.book
  const isLow = asks.best && asks.best.price < value - edge
  const isHigh = bids.best && bids.best.price > value + edge
  // The position is read only here, because the agent looks at the book far more often than it trades.
  if (isLow && heldUnits(step, agent) < ARBITRAGE.heldMax)
    takeAt(step, agent, BUY, Math.floor(value - edge))
  else if (isHigh && heldUnits(step, agent) > -ARBITRAGE.heldMax)
    takeAt(step, agent, SELL, Math.ceil(value + edge))
  else if (atMs % ARBITRAGE.returnsEveryMs === 0 && heldUnits(step, agent) !== 0)
    giveBack(step, agent, { value, edge })
}

function takeAt(
  { world, scene, flow, atMs }: FlowStep,
  agent: Agent,
  side: SideSign,
  price: number,
): void {
  const quantity = allowedQuantity(scene, ARBITRAGE.takes * flow.unitSteps)
  trade(world, agent, { market: scene.market, side, quantity, price, type: 'IOC' }, atMs)
}

type Valued = { readonly value: number; readonly edge: number }

function giveBack(
  { world, scene, flow, atMs }: FlowStep,
  agent: Agent,
  { value, edge }: Valued,
): void {
  const { market } = scene
  const held = agentPosition(agent, market)
  const side: SideSign = held > 0 ? SELL : BUY
  const best = side === BUY ? market.book.asks.best : market.book.bids.best
  // The position is kept while closing it would cost more than the edge.
  if (!best || side * (value - best.price) < -edge) return
  const steps = allowedQuantity(scene, ARBITRAGE.returns * flow.unitSteps)
  const quantity = Math.min(Math.abs(held), steps)
  trade(world, agent, { market, side, quantity, reduceOnly: true, type: 'MARKET' }, atMs)
}

/** Sometimes places a random limit order near the middle price or cancels one, at the rate of the profile. */
export function moveLimits(step: FlowStep, agent: Agent): void {
  const { world, scene, profile, atMs } = step
  if (atMs % SECOND_MS === 0) withdrawPassed(step, agent)
  const { limitRate, gridMs } = profile
  if (scene.market.status !== 'ACTIVE' || nextRandom(agent.rng) >= (limitRate * gridMs) / SECOND_MS)
    return
  const { quotes } = agent
  dropEndedOrders(quotes)
  if (nextRandom(agent.rng) < quotes.length / (2 * LIMITS.count)) {
    const order = quotes[Math.floor(nextRandom(agent.rng) * quotes.length)]
    if (order) cancelIfOpen(world, order, atMs)
  } else quotes.push(placeLimit(step, agent))
  noteChange(scene, atMs)
}

/** Removes orders that are no longer open from the list. */
function dropEndedOrders(orders: (EngineOrder | null)[]): void {
  let kept = 0
  for (const order of orders) {
    if (!order?.level) continue
    orders[kept] = order
    kept += 1
  }
  orders.length = kept
}

/** Cancels the agent's orders that the makers' price estimate has passed, before an arbitrageur takes them. */
function withdrawPassed({ world, scene, flow, atMs }: FlowStep, agent: Agent): void {
  const price = exp(flow.quoting.estimate)
  const { bids, asks } = scene.market.book
  const [bid, ask] = [bids.best?.price ?? price, asks.best?.price ?? price]
  if (bid <= price && ask >= price) return
  for (const order of agent.quotes)
    if (order?.level && order.side * (order.price - price) > 0) cancelIfOpen(world, order, atMs)
}

function placeLimit(step: FlowStep, agent: Agent) {
  const { world, scene, flow, atMs } = step
  const { market } = scene
  const { rng } = agent
  const held = Math.max(-1, Math.min(1, heldUnits(step, agent) / HELD_UNITS))
  const side = nextRandom(rng) < 0.5 - 0.4 * held ? BUY : SELL
  const drawn = 1.2 * power(1 - nextRandom(rng), -1 / LIMITS.exponent) - 0.2
  const width = Math.max(0.5, halfWidth(flow.quoting) * scene.index)
  const exact = bookMiddle(scene) - side * Math.min(LIMITS.farthest, drawn) * width
  const price = Math.max(1, side === BUY ? Math.floor(exact) : Math.ceil(exact))
  const size = LIMITS.size * (0.4 + 1.2 * nextRandom(rng))
  const quantity = allowedQuantity(scene, size * flow.unitSteps)
  const order = { market, side, price, quantity, type: 'POST_ONLY', adjusts: true } as const
  return trade(world, agent, order, atMs)
}
