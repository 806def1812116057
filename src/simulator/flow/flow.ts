import { MINUTE_MS, SECOND_MS } from '../../contract/durations.ts'
import { exp, log } from '../base/mathematics.ts'
import { randomStream } from '../base/rng.ts'
import type { Market as Listed } from '../listing/instruments.ts'
import { recordedPrice, replayIndex } from '../prices/index-price.ts'
import type { MarketFlow } from '../state/flow.ts'
import type { Match } from '../state/observer.ts'
import { plan } from '../state/queue.ts'
import type { EngineWorld, Scene } from '../state/world.ts'
import { arriveAsUsual, openArrivals, planFiller, stepSizes, usualRate } from './arrivals.ts'
import { arbitrage, moveLimits } from './background.ts'
import { fillEmptySide, noteChange, requote, shrinkOneQuote } from './makers.ts'
import { sendNext, tradeUsualTurnover } from './orders.ts'
import { flowProfile, flowUnitSteps } from './profile.ts'
import {
  adaptWidths,
  closeFills,
  isLookDue,
  learnFromFill,
  noteFill,
  observeAfterCoarseStep,
  observeReferences,
  openQuoting,
} from './quoting.ts'
import { agentAt, type FlowStep } from './step.ts'
import {
  advanceValueCoarsely,
  followValue,
  MOOD_MS,
  momentarySigma,
  openValue,
  references,
  stepMood,
  stepValue,
} from './value.ts'

type Opening = {
  readonly seed: number
  readonly atMs: number
  readonly activity: number
}

/** The order flow of a market, given its index in ticks. */
export function openFlow(
  { seed, atMs, activity }: Opening,
  listed: Listed,
  index: number,
): MarketFlow {
  const [{ symbol }, profile] = [listed, flowProfile(listed)]
  const ticksLog = log(index)
  // In a market with fewer orders, makers look less often and quote wider in proportion.
  const lookMs = SECOND_MS * Math.max(1, Math.round(1 / activity))
  const value = openValue(seed, symbol, profile, { ticksLog, atMs })
  const usual = usualRate(profile, value, activity)
  return {
    activity,
    coarseUntilMs: atMs,
    lookMs,
    referenceLog: log(listed.referenceTicks),
    unitSteps: flowUnitSteps(listed, profile, index),
    common: randomStream(seed, 'flow/common'),
    agents: { makers: [], takers: [], arbitrageurs: [], passive: [] },
    value,
    arrivals: openArrivals(seed, symbol, profile, { atMs, usual }),
    quoting: openQuoting(seed, symbol, profile, { ticksLog, atMs, lookMs }),
  }
}

/** If the book has not changed for this long, one quote changes its size. */
const UNCHANGED_MAX_MS = 3 * SECOND_MS
const ADAPT_MS = 10 * MINUTE_MS

/**
 * Advances a market by one grid step: the value moves, the arbitrageur looks at the book, and once per second all slow
 * processes advance. Returns the new index in ticks; null between two seconds.
 */
export function stepFlow(step: FlowStep): number | null {
  const { world, scene, flow, profile, atMs } = step
  if (atMs < flow.coarseUntilMs) return stepCoarsely(step)
  moveValue(step, stepValue)
  for (const number of flow.agents.arbitrageurs) arbitrage(step, agentAt(world, number))
  for (const number of flow.agents.passive) moveLimits(step, agentAt(world, number))
  plan(world.queue, atMs + profile.gridMs, 'step', scene.market.number)
  const index = atMs % SECOND_MS === 0 ? everySecond(step) : null
  fillEmptySide(world, scene, atMs)
  return index
}

/**
 * The length of a coarse step. `COARSE_LOOKS`: the number of times that an arbitrageur looks at the book in a coarse
 * step.
 */
const COARSE_MS = MINUTE_MS
const COARSE_LOOKS = 8

/** Lets a market advance in coarse steps until a time, so that a world that was closed for long catches up quickly. */
export function advanceCoarsely({ flow, listed }: Scene, untilMs: number): void {
  if (!flow) return
  const { arrivals, value, activity } = flow
  const profile = flowProfile(listed)
  flow.coarseUntilMs = untilMs
  arriveAsUsual(arrivals, profile, usualRate(profile, value, activity))
}

/** Advances a market by one minute: the value moves, every agent looks at the book, and the usual volume trades. */
function stepCoarsely(step: FlowStep): number {
  const { world, scene, flow, profile, atMs } = step
  const { value, arrivals, quoting, agents } = flow
  moveValue(step, advanceValueCoarsely, COARSE_MS)
  stepMood(value, profile, atMs, COARSE_MS)
  stepSizes(arrivals, COARSE_MS)
  const { late, now } = references(value, profile)
  value.pending = late
  observeAfterCoarseStep(flow, now, momentarySigma(value))
  closeFills(quoting)
  for (const number of agents.makers) requote(world, scene, agentAt(world, number), atMs)
  for (const number of agents.passive) moveLimits(step, agentAt(world, number))
  for (let look = 0; look < COARSE_LOOKS; look += 1)
    for (const number of agents.arbitrageurs) arbitrage(step, agentAt(world, number))
  sendNext(step)
  tradeUsualTurnover(step, COARSE_MS)
  fillEmptySide(world, scene, atMs)
  plan(world.queue, atMs + COARSE_MS, 'step', scene.market.number)
  planStops(step, COARSE_MS)
  return publishedIndex(step, late)
}

function moveValue(
  { world: { prices }, scene, flow, profile, atMs }: FlowStep,
  move: typeof advanceValueCoarsely,
  ms: number = profile.gridMs,
): void {
  const { overrides } = scene
  if (atMs < overrides.frozenUntilMs) return
  const trend = overrides.trend * ms
  if (prices.kind === 'seeded') {
    move(flow, profile, atMs, ms)
    flow.value.log += trend
    return
  }
  overrides.scale *= exp(trend)
  const price = recordedPrice(prices, scene, atMs)
  followValue(flow.value, price === null ? flow.value.log : log(price))
}

/**
 * The index at this second: the recorded index, or the mean of the reference prices one second earlier. A frozen index
 * does not change.
 */
function publishedIndex({ world, scene, atMs }: FlowStep, earlier: number): number {
  if (world.prices.kind === 'replayed') replayIndex(world, scene, atMs)
  else if (atMs >= scene.overrides.frozenUntilMs) return exp(earlier)
  return scene.index
}

/**
 * Before the next step, plans an index event for each moment at which a recorded candle reaches its open, an extreme or
 * its close.
 */
function planStops(
  { world: { prices, queue }, scene: { market }, atMs }: FlowStep,
  ms: number,
): void {
  if (prices.kind === 'seeded') return
  const nextMs = (afterMs: number) => prices.nextStopMs(market.spec.symbol, afterMs)
  for (let stop = nextMs(atMs); stop !== null && stop < atMs + ms; stop = nextMs(stop))
    plan(queue, stop, 'index', market.number)
}

/** Runs once per second: makers read the reference prices and check their quotes, and the index is published. */
function everySecond(step: FlowStep): number {
  const { world, scene, flow, profile, atMs } = step
  const { value, arrivals, quoting, agents } = flow
  if (atMs % MOOD_MS === 0) {
    stepMood(value, profile, atMs)
    stepSizes(arrivals)
    closeFills(quoting)
  }
  const { late, now } = references(value, profile)
  const index = publishedIndex(step, value.pending)
  value.pending = late
  planStops(step, SECOND_MS)
  if (atMs % ADAPT_MS === 0) adaptWidths(quoting)
  if (atMs % flow.lookMs === 0) {
    observeReferences(flow, now, atMs)
    for (let rank = 0; rank < agents.makers.length; rank += 1)
      if (isLookDue(flow, rank, atMs))
        requote(world, scene, agentAt(world, agents.makers[rank] ?? -1), atMs)
  }
  const [nearest] = agents.makers
  if (nearest !== undefined && atMs - quoting.changedAtMs >= UNCHANGED_MAX_MS)
    shrinkOneQuote(world, scene, agentAt(world, nearest), atMs)
  return index
}

/**
 * Shows a match to the makers. All makers learn from the taker's side, and the nearest maker checks its quotes at once.
 */
export function notifyMakers(
  world: EngineWorld,
  scene: Scene,
  flow: MarketFlow,
  match: Match,
): void {
  const { taker, maker, quantity, atMs } = match
  const { quoting, arrivals, agents } = flow
  const from = (taker.executed - quantity) / flow.unitSteps
  learnFromFill(flow, { side: taker.side, from, to: taker.executed / flow.unitSteps }, atMs)
  noteChange(scene, atMs)
  planFiller(arrivals, atMs)
  const hit = world.agentOf.get(maker.marketAccount.account.number)
  const state = hit?.role === 'maker' ? quoting.makers[hit.rank] : undefined
  if (state) noteFill(state, (maker.side * quantity) / flow.unitSteps, log(maker.price))
  const nearest = agents.makers[0] === undefined ? null : agentAt(world, agents.makers[0])
  if (!nearest || nearest.isAwake) return
  nearest.isAwake = true
  plan(world.queue, atMs, 'requote', nearest.number)
}

/** Moves a market's value by a logarithm at once, for example for an operator's shock. */
export function shiftFlowValue({ value, quoting }: MarketFlow, moved: number): void {
  value.log += moved
  for (const at of value.before.keys()) value.before[at] = (value.before[at] ?? 0) + moved
  value.pending += moved
  quoting.estimate += moved
  quoting.lastEstimate += moved
}
