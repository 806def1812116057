import { SECOND_MS } from '../../contract/durations.ts'
import { nextRandom } from '../base/rng.ts'
import type { HiddenOrder } from '../state/flow.ts'
import { plan } from '../state/queue.ts'
import { BUY, SELL, type SideSign } from '../state/state.ts'
import type { Agent } from '../state/world.ts'
import {
  type ArrivingOrder,
  countArrival,
  draftOrder,
  nextArrival,
  PREDICTION,
  planFiller,
  recentRate,
  SIZE_MAX,
  surpriseGain,
  usualRate,
} from './arrivals.ts'
import { noiseSide, takeUnits } from './background.ts'
import { requote } from './makers.ts'
import { MEAN_ORDER } from './profile.ts'
import { agentAt, type FlowStep, heldUnits } from './step.ts'
import { momentarySigma } from './value.ts'

/** Size in units of the small order that is sent after some seconds without a trade. */
const FILLER_UNITS = 0.05
/** Marks the arrival event of the small order that is sent after some seconds without a trade. */
export const FILLER = 1

/** Plans the first orders of a market. */
export function planFirst(step: FlowStep): void {
  const { world, scene, flow } = step
  planArrival(step)
  const { fillerAtMs } = flow.arrivals
  if (fillerAtMs !== null) plan(world.queue, fillerAtMs, 'arrival', scene.market.number, FILLER)
}

function planArrival({ world: { queue }, scene, flow, profile }: FlowStep): void {
  const { arrivals, value, activity } = flow
  const arrivalMs = nextArrival(arrivals, profile, usualRate(profile, value, activity))
  plan(queue, Math.ceil(arrivalMs), 'arrival', scene.market.number)
}

/**
 * Handles the arrival of an order. Until `coarseUntilMs` it only plans the next arrival, because coarse steps trade the
 * usual volume themselves.
 */
export function arrive(step: FlowStep): void {
  const { world, scene, flow, profile, atMs } = step
  const { arrivals, coarseUntilMs } = flow
  if (atMs < coarseUntilMs) {
    plan(world.queue, coarseUntilMs, 'arrival', scene.market.number)
    return
  }
  arrivals.atMs = atMs
  countArrival(arrivals, profile)
  sendNext(step)
  planArrival(step)
}

/** Sends the next child of a hidden order, or a noise order. */
export function sendNext(step: FlowStep): void {
  const { world, flow } = step
  const { arrivals, value, agents } = flow
  const noise = agentAt(world, agents.takers.at(-1) ?? -1)
  const order = draftOrder(arrivals, value.mood, (random) => noiseSide(step, noise, random))
  if (order.of) applySurprise(step, order)
  const taker = order.of ? assignTaker(step, order.of) : noise
  const units = order.of ? missingUnits(step, taker, order) : order.size
  takeUnits(step, taker, { side: order.side > 0 ? BUY : SELL, units })
}

/** Maximum units that one order of a coarse step trades: the usual quantity of the two nearest makers. */
const COARSE_UNITS = 1.5

/**
 * Trades the usual turnover of a coarse step, half bought and half sold. Positions and prices follow from the step's
 * other orders. Each order here stands for several usual orders, so the makers' mean order size does not count it.
 */
export function tradeUsualTurnover(step: FlowStep, ms: number): void {
  const { world, scene, flow, profile, atMs } = step
  const { agents, quoting, value, activity } = flow
  const noise = agentAt(world, agents.takers.at(-1) ?? -1)
  const orders = (usualRate(profile, value, activity) * ms) / SECOND_MS
  const { meanSize } = quoting
  const nearest = agents.makers.slice(0, 2).map((maker) => agentAt(world, maker))
  let left = orders * MEAN_ORDER * (0.4 + 0.8 * nextRandom(noise.rng))
  while (left > 0) {
    const units = Math.min(COARSE_UNITS, left / 2)
    const first: SideSign = nextRandom(noise.rng) < 0.5 ? BUY : SELL
    for (const side of [first, first === BUY ? SELL : BUY] as const) {
      takeUnits(step, noise, { side, units })
      for (const maker of nearest) requote(world, scene, maker, atMs)
    }
    left -= 2 * units
  }
  quoting.meanSize = meanSize
}

/** Moves the value by the part of a child order's impact that was not predicted. */
function applySurprise(
  { world, scene, flow, profile, atMs }: FlowStep,
  { surprise }: ArrivingOrder,
): void {
  const { arrivals, value, activity } = flow
  if (atMs < scene.overrides.frozenUntilMs || world.prices.kind !== 'seeded') return
  const rate = 0.2 * usualRate(profile, value, activity) + 0.8 * recentRate(arrivals.recent)
  value.log += surpriseGain(momentarySigma(value), rate, PREDICTION.variance) * surprise
}

/** Sends a small order, or plans it again if something has traded since it was planned. */
export function sendFiller(step: FlowStep): void {
  const { world, scene, flow, atMs } = step
  const { arrivals, agents, coarseUntilMs } = flow
  if (atMs < coarseUntilMs) {
    plan(world.queue, coarseUntilMs, 'arrival', scene.market.number, FILLER)
    return
  }
  if (arrivals.fillerAtMs !== null && arrivals.fillerAtMs <= atMs) {
    const noise = agentAt(world, agents.takers.at(-1) ?? -1)
    const side = noiseSide(step, noise, nextRandom(noise.rng))
    planFiller(arrivals, atMs)
    takeUnits(step, noise, { side, units: FILLER_UNITS })
  }
  const { fillerAtMs } = arrivals
  if (fillerAtMs !== null) plan(world.queue, fillerAtMs, 'arrival', scene.market.number, FILLER)
}

/** The taker that executes a hidden order. It is the taker whose position the order reduces most. */
function assignTaker({ world, flow }: FlowStep, order: HiddenOrder): Agent {
  if (order.taker < 0) {
    let least = Number.POSITIVE_INFINITY
    for (const number of flow.agents.takers.slice(0, -1)) {
      const wanted = order.side * agentAt(world, number).anchor
      if (wanted >= least) continue
      least = wanted
      order.taker = number
    }
  }
  return agentAt(world, order.taker)
}

/**
 * The units that a taker must still trade to reach its hidden orders' position, including units that earlier found no
 * counterpart.
 */
function missingUnits(step: FlowStep, taker: Agent, { side, size }: ArrivingOrder): number {
  taker.anchor += side * size
  return Math.min(SIZE_MAX, side * (taker.anchor - heldUnits(step, taker)))
}
