import { log } from '../base/mathematics.ts'
import { shiftFlowValue } from '../flow/flow.ts'
import { liquidateWhole } from '../liquidation/liquidate.ts'
import { accountAt } from '../state/accounts.ts'
import type { Liquidation } from '../state/observer.ts'
import { noOverrides } from '../state/overrides.ts'
import { plan } from '../state/queue.ts'
import type { Account, SideSign } from '../state/state.ts'
import type { EngineWorld, Scene } from '../state/world.ts'
import { admitTrader, type Newcomer } from '../traders/population.ts'
import { reopenBook, sceneAt, updateMarkPrice } from './handlers.ts'

/** Operator requests about a market or an account. Durations start at the request's time. */
export const OPERATOR_ACTS = {
  /** Multiplies the index price by 1 + `share`, evenly over some time. A negative share lowers the price. */
  trend: (world: EngineWorld, { market, share, forMs }: OfShare & Lasting, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.trend = Math.log1p(share) / forMs
    return lasting(world, scene, 'trendUntilMs', atMs + forMs)
  },

  /** Holds the index still for some time. */
  freeze: (world: EngineWorld, { market, forMs }: OfMarket & Lasting, atMs: number): null =>
    lasting(world, sceneAt(world, market), 'frozenUntilMs', atMs + forMs),

  /** Multiplies a market's index price by 1 + `share`. */
  shock: (world: EngineWorld, { market, share }: OfShare, atMs: number): null =>
    jump(world, sceneAt(world, market), share, atMs),

  /** Withdraws the makers' quotes and then lets the index jump, so that nothing trades at prices in between. */
  gap: (world: EngineWorld, { market, share }: OfShare, atMs: number): null => {
    const scene = sceneAt(world, market)
    reopenBook(world, scene, atMs)
    return jump(world, scene, share, atMs)
  },

  /** Makes makers quote around the index plus an offset, given as a share of the index. */
  lean: (world: EngineWorld, { market, share, forMs }: OfShare & Lasting, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.lean = share
    reopenBook(world, scene, atMs)
    return lasting(world, scene, 'leanUntilMs', atMs + forMs)
  },

  /** Makes makers quote a part of their usual size. */
  thin: (world: EngineWorld, { market, share, forMs }: OfShare & Lasting, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.depth = share
    reopenBook(world, scene, atMs)
    return lasting(world, scene, 'depthUntilMs', atMs + forMs)
  },

  /** Makes makers leave one side of the book without quotes. */
  bare: (world: EngineWorld, { market, side, forMs }: Bare, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.bare = side
    reopenBook(world, scene, atMs)
    return lasting(world, scene, 'bareUntilMs', atMs + forMs)
  },

  /**
   * Ends all overrides of a market. A price that follows recorded candles keeps the factor of past shocks and trends.
   */
  release: (world: EngineWorld, { market }: OfMarket, atMs: number): null => {
    const scene = sceneAt(world, market)
    Object.assign(scene.overrides, { ...noOverrides(), scale: scene.overrides.scale })
    reopenBook(world, scene, atMs)
    return null
  },

  /** Opens an account that takes one side of a market with all its margin. Returns the account's number. */
  newcomer: (
    world: EngineWorld,
    { market, ...newcomer }: OfMarket & Newcomer,
    atMs: number,
  ): Account => admitTrader(world, sceneAt(world, market), newcomer, atMs),

  /** Liquidates all positions of an account at the mark price. Returns the liquidations; empty without a position. */
  liquidate: (world: EngineWorld, { account }: OfAccount, atMs: number): readonly Liquidation[] =>
    liquidateWhole(world, accountAt(world.exchange, account), atMs),
} as const

type OfShare = OfMarket & { readonly share: number }
type Lasting = { readonly forMs: number }
type Bare = OfMarket & Lasting & { readonly side: SideSign }

function jump(world: EngineWorld, scene: Scene, share: number, atMs: number): null {
  scene.index *= 1 + share
  scene.overrides.scale *= 1 + share
  if (scene.flow) shiftFlowValue(scene.flow, log(1 + share))
  updateMarkPrice(world, scene, atMs)
  return null
}

type Until = 'trendUntilMs' | 'frozenUntilMs' | 'leanUntilMs' | 'depthUntilMs' | 'bareUntilMs'

/** Sets when an override ends, and plans its end. */
function lasting(
  { queue }: EngineWorld,
  { market, overrides }: Scene,
  until: Until,
  atMs: number,
): null {
  overrides[until] = atMs
  plan(queue, atMs, 'release', market.number)
  return null
}

/** Requests name accounts and markets by number, because they are logged and replayed as plain data. */
export type OfAccount = { readonly account: number }
export type OfMarket = { readonly market: number }
