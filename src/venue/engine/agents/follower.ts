import { waitMs } from '../chance.ts'
import { marginOf } from '../margin/margin.ts'
import { BUY, SELL, type Side } from '../state.ts'
import { MICRO } from '../units.ts'
import type { Scene, World } from '../world.ts'
import type { Agent } from './agent.ts'
import { limitNear, positionOf, stepsOf, trade, wholeSteps, withdraw } from './trade.ts'

const REST_MS = 20 * 60_000
/** How fast the average follows: that of about eight hours. */
const MEMORY = 0.04
/** The signal, in usual daily moves, at which a position is as large as it gets; and its part of the account. */
const SIGNAL = 0.8
const POSITION_MAX = 0.15
/** The part of the largest position that one order takes, and below which nothing is worth an order. */
const SLICE = 0.4
const DEAD_BAND = 0.25

/**
 * Leans the way a price has left its average, for a vault: offers what is missing at the touch, and takes back what
 * nobody wanted before it looks again. Answers its rest.
 */
export function ride(world: World, agent: Agent, scene: Scene, atMs: number): number {
  const { market, index } = scene
  const signal = (index / agent.anchor - 1) / (SIGNAL * scene.listed.tier.dailyVolatility)
  agent.anchor += (index - agent.anchor) * MEMORY
  const usdc = (Math.max(0, marginOf(agent.account).collateral) / MICRO) * POSITION_MAX
  const max = wholeSteps(scene, usdc)
  const target = Math.round(Math.max(-1, Math.min(1, signal)) * max)
  const missing = target - positionOf(agent, market)
  const [resting] = agent.quotes
  if (resting) withdraw(world, resting, atMs)
  agent.quotes[0] = null
  if (Math.abs(missing) > max * DEAD_BAND && market.status === 'ACTIVE') {
    const side: Side = missing > 0 ? BUY : SELL
    const quantity = Math.min(Math.abs(missing), stepsOf(scene, usdc * SLICE))
    const price = limitNear(scene, side, -scene.listed.tier.touchDistanceMax / 2)
    const wish = { market, side, quantity, price, type: 'POST_ONLY', adjusts: true } as const
    agent.quotes[0] = trade(world, agent, wish, atMs)
  }
  return waitMs(agent.chance, REST_MS)
}
