import { exp } from '../base/mathematics.ts'
import { nextRandom, normal } from '../base/rng.ts'
import { editOrder } from '../orders/edit.ts'
import { BUY, type EngineOrder, leftQuantity, SELL, type SideSign } from '../state/state.ts'
import type { Agent, EngineWorld, Scene } from '../state/world.ts'
import { agentPosition, cancelIfOpen, trade } from '../traders/trade.ts'
import { halfWidth, MAKERS, type Style } from './quoting.ts'
import { agentAt } from './step.ts'

/** Tolerance of a deeper quote, as a share of its distance. */
const DEEP_TOLERANCE = 0.45
/** Factor on the tolerance of a quote that is too far from the middle. */
const FAR_TOLERANCE = 1.45
/** A quote with less than this share of its size is refilled. */
const REFILL_BELOW = 0.3
/** Half widths by which a maker with a full inventory moves its quotes to reduce it. */
const LEAN = 2.2
/** From this share of its limit on, a maker quotes closer on the side that reduces its position. */
const SHED_FROM = 0.1
/** Distance from the middle, in half widths, of a quote that reduces the maker's position. */
const SHED_WIDTHS = 1.3
/** Maximum inventory of the farthest maker, as a multiple of its limit. */
const FARTHEST_LIMIT = 2.5
/** The share by which `stir` reduces an order. */
const STIR_SHARE = 0.05

type Frame = {
  readonly world: EngineWorld
  readonly scene: Scene
  readonly agent: Agent
  readonly style: Style
  readonly atMs: number
  /** Middle of the maker's quotes, in ticks. */
  readonly center: number
  readonly width: number
  readonly inventory: number
  readonly unit: number
  /** Factor on quote sizes, because the market's orders have grown. */
  readonly grown: number
}

/** Moves a maker's quotes to match its estimate and its inventory. The side that the price moves towards goes first. */
export function requote(world: EngineWorld, scene: Scene, agent: Agent, atMs: number): void {
  const { flow } = scene
  const style = MAKERS[agent.rank]
  const maker = flow?.quoting.makers[agent.rank]
  if (!flow || !style || !maker) return
  const { quoting } = flow
  const price = exp(quoting.estimate)
  const unit = flow.unitSteps
  const inventory =
    scene.overrides.lean === 0 ? agentPosition(agent, scene.market) / (style.limit * unit) : 0
  const width = Math.max(0.5, price * halfWidth(quoting) * maker.width)
  const leant = price * (1 + scene.overrides.lean)
  const center = leant + width * (maker.noise - LEAN * Math.max(-1.5, Math.min(1.5, inventory)))
  const isRising = quoting.estimate >= maker.anchor
  maker.anchor = quoting.estimate
  maker.isHit = false
  const { grown } = quoting
  const frame = { world, scene, agent, style, atMs, center, width, inventory, unit, grown }
  quoteSide(frame, isRising ? SELL : BUY)
  quoteSide(frame, isRising ? BUY : SELL)
}

/** Makes the farthest maker check its quotes at once if a side of the book is empty. */
export function fillEmptySide(world: EngineWorld, scene: Scene, atMs: number): void {
  const { bids, asks } = scene.market.book
  if (bids.best && asks.best) return
  const farthest = scene.flow?.agents.makers.at(-1)
  if (farthest !== undefined) requote(world, scene, agentAt(world, farthest), atMs)
}

function quoteSide(frame: Frame, side: SideSign): void {
  const { scene, style, inventory, width } = frame
  const inventoryMax = scene.market.status === 'ACTIVE' ? inventoryLimit(frame, side) : 0
  if (side * inventory >= inventoryMax || side === scene.overrides.bare) {
    clear(frame, side)
    return
  }
  const isShedding = style.sheds && side * inventory < -SHED_FROM
  const first = Math.min(style.first, isShedding ? SHED_WIDTHS : style.first) * width
  const tolerance = style.tolerance * width
  const shed = Math.min(tolerance, DEEP_TOLERANCE * first)
  quote(frame, side, 0, first, isShedding ? shed : tolerance)
  for (let level = 1; level < style.levels; level += 1) {
    const distance = width * (style.first + style.step * level)
    quote(frame, side, level, distance, DEEP_TOLERANCE * distance)
  }
}

/**
 * Maximum inventory on a side, as a multiple of the maker's limit. The farthest maker may exceed its limit. On a side
 * without other quotes, only its margin limits this maker.
 */
function inventoryLimit({ scene, agent }: Frame, side: SideSign): number {
  if (agent.rank < MAKERS.length - 1) return 1
  const { bids, asks } = scene.market.book
  return (side === BUY ? bids : asks).best ? FARTHEST_LIMIT : Number.POSITIVE_INFINITY
}

// Separate parameters, since one object per quote would be an eighth of all garbage.
function quote(
  frame: Frame,
  side: SideSign,
  level: number,
  distance: number,
  tolerance: number,
): void {
  const { world, scene, agent, style, atMs } = frame
  const { market } = scene
  const at = side === BUY ? level : style.levels + level
  const order = agent.quotes[at]
  const exact = frame.center - side * distance
  const price = Math.max(1, side === BUY ? Math.floor(exact) : Math.ceil(exact))
  if (order?.level) {
    renewMakerQuote(frame, order, price, tolerance)
    return
  }
  const reduceOnly = market.status === 'REDUCE_ONLY'
  const quantity = drawQuoteSize(frame)
  const terms = {
    market,
    side,
    price,
    quantity,
    reduceOnly,
    type: 'POST_ONLY',
    adjusts: true,
  } as const
  agent.quotes[at] = trade(world, agent, terms, atMs)
  noteChange(scene, atMs)
}

function renewMakerQuote(frame: Frame, order: EngineOrder, price: number, tolerance: number): void {
  const { world, scene, atMs } = frame
  // A quote that is too close can lose money; a quote that is too far away only loses trades.
  const off = order.side * (order.price - price)
  const isLow = leftQuantity(order) < order.visible * REFILL_BELOW
  if (off <= tolerance && -off <= FAR_TOLERANCE * tolerance && !isLow) return
  const kept = notCrossing(scene, order.side, price)
  const quantity = isLow ? order.executed + drawQuoteSize(frame) : order.quantity
  world.counts.operations += 1
  editOrder(world.exchange, order, { price: kept, quantity }, atMs)
  noteChange(scene, atMs)
}

/** The price, moved if necessary so that it does not meet the opposite side of the book. */
function notCrossing({ market }: Scene, side: SideSign, price: number): number {
  const { bids, asks } = market.book
  if (side === BUY) return asks.best ? Math.min(price, asks.best.price - 1) : price
  return bids.best ? Math.max(price, bids.best.price + 1) : price
}

function drawQuoteSize({ scene, style, unit, grown, agent }: Frame): number {
  const varied = Math.max(0.4, 1 + 0.25 * normal(agent.rng))
  const quantity = Math.round(style.size * unit * grown * varied * scene.overrides.depth)
  return Math.max(1, Math.min(scene.market.spec.quantityMax, quantity))
}

function clear({ world, agent, style, atMs, scene }: Frame, side: SideSign): void {
  for (let level = 0; level < style.levels; level += 1) {
    const at = side === BUY ? level : style.levels + level
    const order = agent.quotes[at]
    if (order?.level) noteChange(scene, atMs)
    if (order) cancelIfOpen(world, order, atMs)
    agent.quotes[at] = null
  }
}

/** Records that a market's book has changed. */
export function noteChange({ flow }: Scene, atMs: number): void {
  if (flow) flow.quoting.changedAtMs = atMs
}

/** Reduces one quote of the nearest maker a little, so that the book is never still for long. */
export function shrinkOneQuote(world: EngineWorld, scene: Scene, agent: Agent, atMs: number): void {
  const order = agent.quotes[Math.floor(nextRandom(agent.rng) * agent.quotes.length)]
  if (!order?.level) return
  const quantity = Math.max(
    order.executed + 1,
    order.quantity - Math.ceil(leftQuantity(order) * STIR_SHARE),
  )
  world.counts.operations += 1
  editOrder(world.exchange, order, { price: order.price, quantity }, atMs)
  noteChange(scene, atMs)
}
