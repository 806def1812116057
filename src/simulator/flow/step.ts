import type { Flow, Profile } from '../state/flow.ts'
import type { Agent, Scene, World } from '../state/world.ts'
import { positionOf } from '../traders/trade.ts'
import { profileOf } from './profile.ts'

/** An event of a market's flow, with the state that it changes. */
export type Step = {
  readonly world: World
  readonly scene: Scene
  readonly flow: Flow
  readonly profile: Profile
  readonly atMs: number
}

export function stepOf(world: World, scene: Scene, flow: Flow, atMs: number): Step {
  return { world, scene, flow, profile: profileOf(scene.listed), atMs }
}

/** The agent of a number. Throws RangeError for an unknown number. */
export function agentAt({ agents }: World, number: number): Agent {
  const agent = agents[number]
  if (!agent) throw new RangeError('no such agent')
  return agent
}

/** An agent's position in units. */
export function heldUnits({ scene, flow }: Step, agent: Agent): number {
  return positionOf(agent, scene.market) / flow.unitSteps
}

/** The middle of a market's book in ticks; the index where a side is empty. */
export function middleOf({ market, index }: Scene): number {
  const { bids, asks } = market.book
  return bids.best && asks.best ? (bids.best.price + asks.best.price) / 2 : index
}
