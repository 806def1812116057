import { HOUR_MS } from '../../contract/durations.ts'
import { keccakOfText } from '../../core/crypto/keccak.ts'
import { createRng, waitMs } from '../base/rng.ts'
import { MICRO, RATE_ONE } from '../base/units.ts'
import { fillPosition } from '../margin/positions.ts'
import { placeOrder } from '../orders/place.ts'
import { PLAIN_ORDER } from '../orders/request.ts'
import {
  applyLeverage,
  BASE_FEES,
  deposit,
  openAccount,
  openMarketAccount,
} from '../state/accounts.ts'
import { plan } from '../state/queue.ts'
import { type Account, BUY, SELL, type SideSign } from '../state/state.ts'
import { isTaped } from '../state/tape.ts'
import type { Agent, AgentRole, EngineWorld, Scene } from '../state/world.ts'
import { STYLES } from './maker.ts'
import { TAKERS } from './takers.ts'
import { affordableSteps, bestLevelUsdc, wholeSteps } from './trade.ts'

type Terms = {
  readonly count: number
  /**
   * Initial balance, as a multiple of the usual value of the market's best level. Unused for speculators, which begin
   * with a fixed sum of USDC.
   */
  readonly bestLevels: number
  readonly leverage: number
  /** Taker fee in basis points. */
  readonly takerBps: number
  readonly makerBps: number
  readonly firstActMs: number
}

/** The agents that every market has. */
const MARKET_AGENTS: Readonly<Record<(typeof LOCAL_ROLES)[number], Terms>> = {
  maker: {
    count: STYLES.length,
    bestLevels: 60,
    leverage: 10,
    takerBps: 3,
    makerBps: 0,
    firstActMs: 0,
  },
  taker: {
    count: TAKERS,
    bestLevels: 8,
    leverage: 5,
    takerBps: 6,
    makerBps: 2,
    firstActMs: 60_000,
  },
  speculator: {
    count: 3,
    bestLevels: 0,
    leverage: 50,
    takerBps: 6,
    makerBps: 2,
    firstActMs: 2 * HOUR_MS,
  },
  momentum: { count: 1, bestLevels: 5, leverage: 5, takerBps: 5, makerBps: 2, firstActMs: 600_000 },
  holder: {
    count: 4,
    bestLevels: 600,
    leverage: 5,
    takerBps: 5,
    makerBps: 2,
    firstActMs: 6 * HOUR_MS,
  },
  arbitrageur: { count: 1, bestLevels: 30, leverage: 10, takerBps: 2, makerBps: 0, firstActMs: 0 },
}

/** Agents that move from market to market. Their purses are in USDC. */
const ROAMING_AGENTS = [
  { role: 'whale', count: 1, usdc: 5_000_000, leverage: 5, firstActMs: HOUR_MS },
  { role: 'liquidator', count: 3, usdc: 3_000_000, leverage: 10, firstActMs: 0 },
] as const

/** The purse holds this many further stakes. */
const PURSE_STAKES = 200
const SPECULATOR_USDC = 400

/** Adds the agents of a new world. Each agent has a separate account and budget. */
export function populate(world: EngineWorld): void {
  const simulated = world.scenes.filter(({ market }) => !isTaped(world.tape, market))
  for (const scene of simulated) populateMarket(world, scene)
  for (const scene of simulated) giveInitialPositions(world, scene)
  for (const roamer of ROAMING_AGENTS)
    for (let rank = 0; rank < roamer.count; rank += 1) addRoamingAgent(world, roamer, rank)
}

function populateMarket(world: EngineWorld, scene: Scene): void {
  for (const role of scene.flow ? BESIDE_FLOW : LOCAL_ROLES)
    for (let rank = 0; rank < MARKET_AGENTS[role].count; rank += 1)
      addMarketAgent(world, scene, role, rank)
}

/** The roles that also trade in a market with an order flow. */
const BESIDE_FLOW = ['speculator', 'holder'] as const
const LOCAL_ROLES = ['maker', 'taker', 'speculator', 'momentum', 'arbitrageur', 'holder'] as const

function addMarketAgent(
  world: EngineWorld,
  scene: Scene,
  role: (typeof LOCAL_ROLES)[number],
  rank: number,
): void {
  const { bestLevels: touches, leverage, takerBps, makerBps, firstActMs } = MARKET_AGENTS[role]
  const { market } = scene
  const fees = { taker: bps(takerBps), maker: bps(makerBps) }
  const name = `${role}/${market.spec.symbol}`
  const usdc = role === 'speculator' ? SPECULATOR_USDC : bestLevelUsdc(scene) * touches
  const stake = Math.round(usdc * purseShare(role, rank) * MICRO)
  const number = market.number
  const agent = enterAgent(world, { role, rank, market: number, name, leverage, fees, stake })
  agent.anchor = scene.index
  openMarketAccount(agent.account, market)
  if (role === 'maker') {
    scene.makers.push(agent.number)
    plan(world.queue, world.beginsAtMs, 'requote', agent.number)
  }
  if (role === 'arbitrageur') scene.arbitrageurs.push(agent.number)
  // In an order flow, a holder that trades would push the price for hours.
  if (firstActMs > 0 && !(scene.flow && role === 'holder'))
    scheduleFirstAct(world, agent, firstActMs)
}

function addRoamingAgent(
  world: EngineWorld,
  roamer: (typeof ROAMING_AGENTS)[number],
  rank: number,
): void {
  const { role, usdc, leverage, firstActMs } = roamer
  const fees = { taker: bps(3), maker: 0 }
  const stake = usdc * MICRO
  const agent = enterAgent(world, { role, rank, market: 0, name: role, leverage, fees, stake })
  const isSimulated = world.tape === null && world.scenes.every(({ flow }) => !flow)
  if (firstActMs > 0 && isSimulated) scheduleFirstAct(world, agent, firstActMs)
}

/** The share of a day's turnover that each role holds per side when the world begins. */
const HELD_SHARE = { holder: 0.3, maker: 0.008 }

/**
 * Gives agents their initial positions: half of the holders are long, the other half short. In a market that is being
 * closed, makers hold the positions.
 */
function giveInitialPositions({ exchange, agents, beginsAtMs }: EngineWorld, scene: Scene): void {
  const { market, listed } = scene
  const role = market.status === 'ACTIVE' ? 'holder' : 'maker'
  const holders = agents.filter((agent) => agent.role === role && agent.market === market.number)
  const pairs = Math.floor(holders.length / 2)
  const quantity = wholeSteps(
    scene,
    (listed.dailyTurnoverUsdc * HELD_SHARE[role]) / Math.max(1, pairs),
  )
  for (let pair = 0; pair < pairs; pair += 1)
    for (const [at, side] of [BUY, SELL].entries()) {
      const holder = holders[2 * pair + at]
      if (!holder) continue
      const fill = { quantity: side * quantity, price: market.mark, fee: 0, atMs: beginsAtMs }
      fillPosition(exchange, openMarketAccount(holder.account, market), fill)
      if (role === 'holder') holder.anchor = side * quantity
    }
}

/**
 * The purse of an agent, as a multiple of the usual purse. A maker that quotes far away has larger quotes and a larger
 * purse.
 */
function purseShare(role: AgentRole, rank: number): number {
  return role === 'maker' ? ([0.3, 0.6, 1.6][rank] ?? 1) : 1
}

type Entry = Pick<Agent, 'role' | 'rank' | 'market' | 'stake'> & {
  readonly name: string
  readonly leverage: number
  readonly fees: { readonly taker: number; readonly maker: number }
}

export function enterAgent(world: EngineWorld, entry: Entry): Agent {
  const { role, rank, market, name, leverage, fees, stake } = entry
  const { seed, exchange, agents, agentOf } = world
  const path = `${name}/${rank}`
  const account = openAccount(exchange, {
    key: agentKey(seed, path),
    fees,
    leverage,
    kind: 'agent',
  })
  const agent: Agent = {
    number: agents.length,
    role,
    account,
    market,
    rng: createRng(seed, 'agent', path),
    stake,
    purse: stake * PURSE_STAKES,
    rank,
    quotes: [],
    anchor: 0,
    isAwake: false,
  }
  deposit(exchange, account, stake)
  agents.push(agent)
  agentOf.set(account.number, agent)
  return agent
}

function scheduleFirstAct({ queue, beginsAtMs }: EngineWorld, agent: Agent, meanMs: number): void {
  plan(queue, beginsAtMs + waitMs(agent.rng, meanMs), 'act', agent.number)
}

/** An agent's account id, from its path: role, market and rank. Its public address is the end of the id. */
export function agentKey(seed: number, path: string): string {
  return keccakOfText(`${seed}/agent/${path}`)
}

export function bps(points: number): number {
  return Math.round((points * RATE_ONE) / 10_000)
}

/** A trader that joins later with an amount of USDC and uses the whole amount on one side. */
export type Newcomer = {
  readonly side: SideSign
  /** Amount in micro-USDC. */
  readonly amount: number
  readonly leverage: number
}

/** Number of orders that use up a newcomer's margin. The last order may be refused after the price has moved. */
const ORDERS = 10

/** Adds a newcomer, which sends market orders until its margin is used up. Returns its account. */
export function admitTrader(
  world: EngineWorld,
  scene: Scene,
  newcomer: Newcomer,
  atMs: number,
): Account {
  const { exchange, seed } = world
  const { market } = scene
  const { side, amount, leverage } = newcomer
  const key = keccakOfText(`${seed}/crowd/${exchange.accounts.length}`)
  const account = openAccount(exchange, { key, fees: BASE_FEES, leverage, kind: 'agent' })
  deposit(exchange, account, amount)
  const marketAccount = openMarketAccount(account, market)
  applyLeverage(marketAccount, leverage)
  const notional = Math.min(amount * marketAccount.leverage, marketAccount.notionalMax)
  const quantity = affordableSteps(scene, notional / ORDERS / MICRO)
  const order = { ...PLAIN_ORDER, account, market, side, quantity, type: 'MARKET' } as const
  for (let placed = 0; placed < ORDERS && quantity >= 1; placed += 1) {
    world.counts.operations += 1
    placeOrder(exchange, order, atMs)
  }
  return account
}
