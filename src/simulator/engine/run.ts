import type { Activity } from '../../contract/venue/activity.ts'
import { createRng } from '../base/rng.ts'
import { MICRO } from '../base/units.ts'
import { populateFlow } from '../flow/agents.ts'
import { notifyMakers, openFlow } from '../flow/flow.ts'
import { flowRate } from '../flow/profile.ts'
import { liquidate } from '../liquidation/liquidate.ts'
import { type Market as Listed, MARKETS } from '../listing/instruments.ts'
import { hasAlgoUpdates, settleAlgos } from '../orders/conditional/settle.ts'
import { refreshMark, requestMarkUpdate } from '../prices/mark.ts'
import { deposit, openAccount } from '../state/accounts.ts'
import { createExchange, type ExchangeState } from '../state/exchange.ts'
import { createHistory, recordMatch } from '../state/market-history.ts'
import { marketSpec, openMarket } from '../state/markets.ts'
import type { Match } from '../state/observer.ts'
import { noOverrides } from '../state/overrides.ts'
import { createQueue, due, plan } from '../state/queue.ts'
import type { EngineMarket, EngineOrder } from '../state/state.ts'
import { isTaped, type Playback, type TapeToPlay } from '../state/tape.ts'
import type { EngineWorld, IndexSource, Scene } from '../state/world.ts'
import { markLevelChanged, openPlayback } from '../tape/play.ts'
import { agentKey, populate } from '../traders/population.ts'
import { HANDLERS, planIndex, wakeMaker } from './handlers.ts'

/** The parameters that determine a new world. */
export type InitialState = {
  readonly seed: number
  readonly beginsAtMs: number
  readonly prices: IndexSource
  readonly listed?: readonly Listed[]
  /** How active simulated traders are; absent: `sparse`. */
  readonly activity?: Activity | undefined
  /** Recorded markets whose orders are played; absent or null for simulated traders alone. */
  readonly tape?: TapeToPlay | null
  /** Whether simulated traders trade. If not, the books contain only requested orders. */
  readonly populate?: boolean
  /** Each market's index in ticks and its funding so far, when the world begins. */
  readonly startOf?: (listed: Listed) => Start
}

type Start = {
  readonly index: number
  readonly sumUnitary: number
  readonly lastRate: number
}

const FUND_USDC = 2_000_000

/** A world in its initial state. Its first events are planned, and nothing has happened. */
export function createWorld(initialState: InitialState): EngineWorld {
  const {
    seed,
    beginsAtMs,
    prices,
    listed = [...MARKETS.values()],
    startOf = fromTable,
  } = initialState
  const scenes: Scene[] = []
  for (const each of listed)
    scenes.push(initialScene(initialState, each, scenes.length, startOf(each)))
  const markets = scenes.map(({ market }) => market)
  const exchange = createExchange(markets)
  const fees = { taker: 0, maker: 0 }
  const fund = openAccount(exchange, { key: 'insurance-fund', fees, leverage: 1, kind: 'fund' })
  deposit(exchange, fund, FUND_USDC * MICRO)
  const { tape = null } = initialState
  const world: EngineWorld = {
    seed,
    beginsAtMs,
    exchange,
    queue: createQueue(),
    prices,
    tape: tape && openTapePlayback(exchange, tape, initialState),
    factor: { rng: createRng(seed, 'factor'), level: 0, volatility: 1, drift: 0 },
    scenes,
    agents: [],
    agentOf: new Map(),
    fund,
    vaultRequests: [],
    tokenHolders: new Set(),
    stale: [],
    nowMs: beginsAtMs,
    counts: { events: 0, operations: 0 },
  }
  observeMatches(world)
  planFirst(world)
  if (initialState.populate !== false) {
    populate(world)
    for (const scene of scenes) populateFlow(world, scene)
  }
  return world
}

/**
 * USDC of the account that owns recorded orders. The amount is large, because users can gain without limit against
 * these orders.
 */
const TAPE_USDC = 1_000_000_000

function openTapePlayback(
  exchange: ExchangeState,
  tape: TapeToPlay,
  { seed }: InitialState,
): Playback {
  const fees = { taker: 0, maker: 0 }
  const key = agentKey(seed, 'tape')
  const account = openAccount(exchange, { key, fees, leverage: 1, kind: 'fund' })
  deposit(exchange, account, TAPE_USDC * MICRO)
  return openPlayback(tape, { account, markets: exchange.markets, row: null })
}

/**
 * Processes all events up to a time, or to the event after which `isOver` is true. Returns whether the time was
 * reached. Splitting the time into several calls gives the same world.
 */
export function advance(world: EngineWorld, toMs: number, isOver: () => boolean = never): boolean {
  const { queue, counts } = world
  for (let event = due(queue, toMs); event; event = due(queue, toMs)) {
    world.nowMs = event.atMs
    counts.events += 1
    HANDLERS[event.kind](world, event)
    settleWorld(world, event.atMs)
    if (isOver()) return false
  }
  world.nowMs = Math.max(world.nowMs, toMs)
  return true
}

function never(): boolean {
  return false
}

/**
 * Settles the consequences of an event or a request: updates mark prices, liquidates accounts below their maintenance
 * margin, and sends triggered algo orders.
 */
export function settleWorld(world: EngineWorld, atMs: number): void {
  const { stale, exchange } = world
  while (stale.length > 0 || exchange.failing.size > 0 || hasAlgoUpdates(exchange)) {
    const scene = stale.pop()
    if (scene) refreshMark(world, scene, atMs)
    for (const account of exchange.failing) liquidate(world, account, atMs)
    if (hasAlgoUpdates(exchange)) settleAlgos(exchange, atMs)
  }
}

/** Lets the world observe the matches of its exchange. */
export function observeMatches(world: EngineWorld): void {
  const matched = (match: Match) => {
    const scene = world.scenes[match.market.number]
    if (!scene) return
    recordMatch(scene.history, match)
    requestMarkUpdate(world, scene)
    if (world.tape)
      for (const order of [match.maker, match.taker]) markLevelChanged(world.tape, order)
    if (scene.flow) {
      notifyMakers(world, scene, scene.flow, match)
      return
    }
    wakeMaker(world, scene, match.maker.marketAccount.account, match.atMs)
  }
  world.exchange.observers.push({ matched })
  const { tape } = world
  if (!tape) return
  // If a recorded order is cancelled, for example because its price left the range, its level must be restored later.
  const ordered = (order: EngineOrder) => {
    if (order.status === 'CANCELLED') markLevelChanged(tape, order)
  }
  world.exchange.observers.push({ ordered })
}

function initialScene(
  initialState: InitialState,
  listed: Listed,
  number: number,
  start: Start,
): Scene {
  const { seed, beginsAtMs } = initialState
  const index = Math.round(start.index)
  const market: EngineMarket = openMarket(number, marketSpec(listed), index, listed.status)
  const isMirrored = initialState.tape?.isMirror === true
  market.isAway = isMirrored
  market.sumUnitary = start.sumUnitary
  const { fundingPeriodMs } = market.spec
  const lastFundedAtMs = Math.floor(beginsAtMs / fundingPeriodMs) * fundingPeriodMs
  return {
    market,
    listed,
    rng: createRng(seed, 'index', listed.symbol),
    index: start.index,
    followed: 0,
    steppedAtMs: beginsAtMs,
    volatility: 1,
    basis: [],
    premiumSum: 0,
    premiums: 0,
    lastRate: start.lastRate,
    recordedMark: null,
    recordedRate: null,
    lastFundedAtMs,
    nextFundingAtMs: lastFundedAtMs + fundingPeriodMs,
    makers: [],
    arbitrageurs: [],
    history: createHistory(),
    flow: initialFlow(initialState, listed, start.index),
    ...(isMirrored && { mirrored: { later: null } }),
    overrides: noOverrides(),
    isStale: false,
  }
}

/** Whether a world has a market that no tape plays and that can therefore have an order flow. */
export function mayHaveFlow({ listed = [...MARKETS.values()], tape }: InitialState): boolean {
  return listed.some(({ symbol }) => !tape?.symbols.has(symbol))
}

function initialFlow(
  { seed, beginsAtMs, activity = 'sparse', tape }: InitialState,
  listed: Listed,
  index: number,
) {
  if (tape?.symbols.has(listed.symbol)) return null
  const rate = flowRate(activity, listed)
  if (rate === null) return null
  return openFlow({ seed, atMs: beginsAtMs, activity: rate }, listed, index)
}

function fromTable({ referenceTicks }: Listed): Start {
  return { index: referenceTicks, sumUnitary: 0, lastRate: 10_000 }
}

/** Plans the first of each kind of recurring event. */
function planFirst(world: EngineWorld): void {
  const { queue, beginsAtMs, scenes, tape } = world
  if (tape && !tape.isMirror) plan(queue, beginsAtMs, 'tape', 0)
  plan(queue, beginsAtMs, 'factor', 0)
  plan(queue, nextMultiple(beginsAtMs, 15_000), 'premium', 0)
  plan(queue, nextMultiple(beginsAtMs, 60_000), 'minute', 0)
  for (const scene of scenes) {
    const { market, nextFundingAtMs, flow } = scene
    if (flow) plan(queue, nextMultiple(beginsAtMs, 1000), 'step', market.number)
    else if (!isTaped(tape, market)) planIndex(world, scene, beginsAtMs)
    plan(queue, nextFundingAtMs, 'funding', market.number)
  }
}

function nextMultiple(atMs: number, periodMs: number): number {
  return (Math.floor(atMs / periodMs) + 1) * periodMs
}
