import type { FlowProfile, MarketFlow } from '../state/flow.ts'
import type { Agent, EngineWorld, Scene } from '../state/world.ts'
import { agentPosition } from '../traders/trade.ts'
import { flowProfile } from './profile.ts'

/** An event of a market's order flow, with the state that it changes. */
export type FlowStep = {
  readonly world: EngineWorld
  readonly scene: Scene
  readonly flow: MarketFlow
  readonly profile: FlowProfile
  readonly atMs: number
}

export function flowStep(
  world: EngineWorld,
  scene: Scene,
  flow: MarketFlow,
  atMs: number,
): FlowStep {
  return { world, scene, flow, profile: flowProfile(scene.listed), atMs }
}

/** The agent with a number. Throws RangeError for an unknown number. */
export function agentAt({ agents }: EngineWorld, number: number): Agent {
  const agent = agents[number]
  if (!agent) throw new RangeError('no such agent')
  return agent
}

/** An agent's position in units. */
export function heldUnits({ scene, flow }: FlowStep, agent: Agent): number {
  return agentPosition(agent, scene.market) / flow.unitSteps
}

/** The middle price of a market's book in ticks; the index if a side is empty. */
export function bookMiddle({ market, index }: Scene): number {
  const { bids, asks } = market.book
  return bids.best && asks.best ? (bids.best.price + asks.best.price) / 2 : index
}
