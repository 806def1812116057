import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../contract/durations.ts'
import { waitMs } from '../base/rng.ts'
import { settleStakes } from '../flow/agents.ts'
import { stepFlow } from '../flow/flow.ts'
import { fillEmptySide, requote as requoteFlow } from '../flow/makers.ts'
import { arrive, FILLER, sendFiller } from '../flow/orders.ts'
import { flowStep } from '../flow/step.ts'
import { revalueTokens } from '../ledger/balances.ts'
import { advanceMove } from '../ledger/moves.ts'
import { payRebates } from '../ledger/rebates.ts'
import { claimFromFund } from '../liquidation/takeover.ts'
import { cancelAllDue } from '../orders/conditional/tree.ts'
import { samplePremium, settleFunding } from '../prices/funding.ts'
import { moveIndex, replayIndex, stepFactor } from '../prices/index-price.ts'
import { requestMarkUpdate, sampleBasis } from '../prices/mark.ts'
import { expire } from '../state/overrides.ts'
import { type EventKind, plan, type TimedEvent } from '../state/queue.ts'
import type { Account, EngineMarket } from '../state/state.ts'
import type { Agent, AgentRole, EngineWorld, ReplayedPrices, Scene } from '../state/world.ts'
import { nextDueMs, playUntil } from '../tape/play.ts'
import { followTape, type RecordedMove } from '../tape/recorded.ts'
import { isOff, requoteByInventory } from '../traders/maker.ts'
import {
  actAsLongHolder,
  actAsSpeculator,
  actAsTrendFollower,
  actAsWhale,
  arbitrageIndex,
  profitableSide,
  takeBestLevel,
  unwind,
} from '../traders/takers.ts'
import { cancelIfOpen } from '../traders/trade.ts'
import { payVault } from '../vaults/requests.ts'

const FACTOR_MS = 10_000
const INDEX_MEAN_MS = 35_000
const PREMIUM_MS = 15_000
const REQUOTE_MEAN_MS = 300
const REFILL_MEAN_MS = 5_000
const ARBITRAGE_MEAN_MS = 2_000
const CLAIM_MS = 60_000

type Handler = (world: EngineWorld, event: TimedEvent) => void

/** The handler of each kind of event. */
export const HANDLERS: Readonly<Record<EventKind, Handler>> = {
  factor(world, { atMs }) {
    stepFactor(world.factor, FACTOR_MS)
    plan(world.queue, atMs + FACTOR_MS, 'factor', 0)
  },
  index(world, { atMs, subject }) {
    const scene = sceneAt(world, subject)
    // In a market with an order flow, `planStops` plans these index events. They only read the recorded price.
    if (scene.flow) replayIndex(world, scene, atMs)
    else moveIndex(world, scene, atMs)
    updateMarkPrice(world, scene, atMs)
    if (!scene.flow) planIndex(world, scene, atMs)
  },
  step(world, { atMs, subject }) {
    const scene = sceneAt(world, subject)
    const index = scene.flow && stepFlow(flowStep(world, scene, scene.flow, atMs))
    if (index === null) return
    scene.index = index
    updateMarkPrice(world, scene, atMs)
  },
  arrival(world, { atMs, subject, detail }) {
    const scene = sceneAt(world, subject)
    if (!scene.flow) return
    const step = flowStep(world, scene, scene.flow, atMs)
    if (detail === FILLER) sendFiller(step)
    else arrive(step)
  },
  minute(world, { atMs }) {
    for (const scene of world.scenes) {
      sampleBasis(scene)
      requestMarkUpdate(world, scene)
    }
    if (atMs % DAY_MS === 0) {
      payRebates(world.exchange)
      for (const scene of world.scenes) settleStakes(world, scene)
    }
    const { accounts, observers } = world.exchange
    for (const { minute } of observers) minute?.(accounts, atMs)
    plan(world.queue, atMs + MINUTE_MS, 'minute', 0)
  },
  premium(world, { atMs }) {
    for (const scene of world.scenes) samplePremium(scene)
    plan(world.queue, atMs + PREMIUM_MS, 'premium', 0)
  },
  funding(world, { atMs, subject }) {
    const scene = sceneAt(world, subject)
    // If the live market has moved the time of this settlement, the event is out of date.
    if (scene.nextFundingAtMs !== atMs) return
    const settlement = settleFunding(world.exchange, scene, atMs)
    for (const { funded } of world.exchange.observers) funded?.(settlement)
    plan(world.queue, scene.nextFundingAtMs, 'funding', subject)
  },
  act: performAgentEvent,
  requote(world, { atMs, subject }) {
    const maker = agentAt(world, subject)
    maker.isAwake = false
    const scene = sceneAt(world, maker.market)
    if (scene.flow) {
      requoteFlow(world, scene, maker, atMs)
      fillEmptySide(world, scene, atMs)
    } else if (requoteByInventory(world, maker, scene, atMs))
      wakeAgent(world, subject, atMs, REFILL_MEAN_MS * (1 + maker.rank))
  },
  unwind(world, { atMs, subject, detail }) {
    const agent = agentAt(world, subject)
    const restMs = unwind(world, agent, sceneAt(world, detail), atMs)
    if (restMs > 0) plan(world.queue, atMs + restMs, 'unwind', subject, detail)
  },
  claim(world, { atMs, subject }) {
    if (claimFromFund(world, sceneAt(world, subject), atMs) !== 0)
      plan(world.queue, atMs + CLAIM_MS, 'claim', subject)
  },
  release(world, { atMs, subject }) {
    const scene = sceneAt(world, subject)
    expire(scene.overrides, atMs)
    reopenBook(world, scene, atMs)
  },
  money(world, { atMs, subject }) {
    advanceMove(world, subject, atMs)
  },
  vault: (world, { subject }) => payVault(world, subject),
  tape(world, { atMs }) {
    const { exchange, tape, queue } = world
    if (!tape) return
    applyRecordedMoves(world, playUntil(exchange, tape, atMs), atMs)
    const dueMs = nextDueMs(tape)
    if (dueMs !== null) plan(queue, dueMs, 'tape', 0)
  },
  cancelAll(world, { atMs, subject }) {
    const account = world.exchange.accounts[subject]
    if (account) cancelAllDue(world, account, atMs)
  },
}

/** Applies recorded prices and rates to their markets. */
export function applyRecordedMoves(
  world: EngineWorld,
  moves: ReadonlyMap<EngineMarket, RecordedMove>,
  atMs: number,
): void {
  for (const [market, move] of moves) {
    const scene = sceneAt(world, market.number)
    if (followTape(scene, move, atMs)) updateMarkPrice(world, scene, atMs)
  }
}

/**
 * Plans when a market's index is next computed: at a random time soon. With recorded candles also at the next open,
 * extreme or close, and each second while a candle moves.
 */
export function planIndex(
  { queue, prices }: Pick<EngineWorld, 'queue' | 'prices'>,
  { rng, market }: Scene,
  atMs: number,
): void {
  const soonMs = atMs + waitMs(rng, INDEX_MEAN_MS)
  const nextMs = prices.kind === 'replayed' ? nextRecordedMs(prices, market, atMs) : soonMs
  plan(queue, Math.min(soonMs, nextMs), 'index', market.number)
}

function nextRecordedMs(
  prices: ReplayedPrices,
  { spec: { symbol } }: EngineMarket,
  atMs: number,
): number {
  const isMoving = prices.stillSinceMs(symbol, atMs) === null
  const secondMs = isMoving ? atMs + SECOND_MS - (atMs % SECOND_MS) : Number.POSITIVE_INFINITY
  return Math.min(secondMs, prices.nextStopMs(symbol, atMs) ?? secondMs)
}

/** Withdraws all quotes, and makes the market makers quote again under the current overrides. */
export function reopenBook(world: EngineWorld, { flow, makers }: Scene, atMs: number): void {
  const quoting = flow ? [...flow.agents.makers, ...flow.agents.passive] : makers
  for (const number of quoting) {
    const { role, quotes } = agentAt(world, number)
    for (const order of quotes) if (order) cancelIfOpen(world, order, atMs)
    if (role === 'maker') wakeAgent(world, number, atMs, REQUOTE_MEAN_MS)
  }
}

/** Updates the mark price after a change of the index, and wakes the agents that react to it. */
export function updateMarkPrice(world: EngineWorld, scene: Scene, atMs: number): void {
  scene.market.index = Math.max(1, Math.round(scene.index))
  requestMarkUpdate(world, scene)
  for (const account of world.tokenHolders)
    if (account.tokens.has(scene.listed.base)) revalueTokens(world, account)
  wakeReactingAgents(world, scene, atMs)
}

/** Wakes the maker whose quote was hit. */
export function wakeMaker(world: EngineWorld, scene: Scene, account: Account, atMs: number): void {
  for (const number of scene.makers)
    if (agentAt(world, number).account === account) wakeAgent(world, number, atMs, REFILL_MEAN_MS)
}

function performAgentEvent(world: EngineWorld, { atMs, subject }: TimedEvent): void {
  const agent = agentAt(world, subject)
  const restMs = ACTIONS[agent.role](world, agent, sceneAt(world, agent.market), atMs)
  if (restMs > 0) plan(world.queue, atMs + restMs, 'act', subject)
}

/** The action of each role. It returns the ms until the agent's next action, or 0 if another event wakes the agent. */
const ACTIONS: Readonly<
  Record<AgentRole, (world: EngineWorld, agent: Agent, scene: Scene, atMs: number) => number>
> = {
  taker: takeBestLevel,
  speculator: actAsSpeculator,
  momentum: actAsTrendFollower,
  holder: actAsLongHolder,
  whale: actAsWhale,
  arbitrageur: arbitrageIndex,
  maker: () => 0,
  liquidator: () => 0,
  passive: () => 0,
}

/** Wakes the agents that react to a changed index. */
function wakeReactingAgents(world: EngineWorld, scene: Scene, atMs: number): void {
  if (scene.flow) return
  for (const number of scene.makers)
    if (isOff(scene, agentAt(world, number))) wakeAgent(world, number, atMs, REQUOTE_MEAN_MS)
  if (profitableSide(scene) === null) return
  for (const number of scene.arbitrageurs) wakeAgent(world, number, atMs, ARBITRAGE_MEAN_MS)
}

function wakeAgent(world: EngineWorld, number: number, atMs: number, meanMs: number): void {
  const agent = agentAt(world, number)
  if (agent.isAwake) return
  agent.isAwake = true
  const kind = agent.role === 'maker' ? 'requote' : 'act'
  plan(world.queue, atMs + waitMs(agent.rng, meanMs), kind, number)
}

/** The scene of a market number. Throws RangeError for an unknown number. */
export function sceneAt({ scenes }: EngineWorld, number: number): Scene {
  const scene = scenes[number]
  if (!scene) throw new RangeError('no such market')
  return scene
}

function agentAt({ agents }: EngineWorld, number: number) {
  const agent = agents[number]
  if (!agent) throw new RangeError('no such agent')
  return agent
}
