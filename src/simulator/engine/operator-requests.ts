import { liquidateWhole } from '../liquidation/liquidate.ts'
import { accountAt } from '../state/accounts.ts'
import type { Liquidation } from '../state/observer.ts'
import { noOverrides } from '../state/overrides.ts'
import { plan } from '../state/queue.ts'
import type { Account, SideSign } from '../state/state.ts'
import type { EngineWorld, Scene } from '../state/world.ts'
import { admitTrader, type Newcomer } from '../traders/population.ts'
import { reopenBook, reprice, sceneAt } from './handlers.ts'

/** Operator requests about a market or an account. Durations count from the time of the request. */
export const OPERATOR_ACTS = {
  /** The index rises by a share of itself, or falls below zero, evenly over some time. */
  trend: (world: EngineWorld, { market, share, forMs }: OfShare & Lasting, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.trend = Math.log1p(share) / forMs
    return lasting(world, scene, 'trendUntilMs', atMs + forMs)
  },

  /** The index does not move. */
  freeze: (world: EngineWorld, { market, forMs }: OfMarket & Lasting, atMs: number): null =>
    lasting(world, sceneAt(world, market), 'frozenUntilMs', atMs + forMs),

  /** The index jumps after makers have withdrawn their quotes, so that trades at prices in between are impossible. */
  gap: (world: EngineWorld, { market, share }: OfShare, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.index *= 1 + share
    scene.overrides.scale *= 1 + share
    reopenBook(world, scene, atMs)
    reprice(world, scene, atMs)
    return null
  },

  /** Makers quote at an offset from the index, as a share of it. */
  lean: (world: EngineWorld, { market, share, forMs }: OfShare & Lasting, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.lean = share
    reopenBook(world, scene, atMs)
    return lasting(world, scene, 'leanUntilMs', atMs + forMs)
  },

  /** Makers quote a part of their usual size. */
  thin: (world: EngineWorld, { market, share, forMs }: OfShare & Lasting, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.depth = share
    reopenBook(world, scene, atMs)
    return lasting(world, scene, 'depthUntilMs', atMs + forMs)
  },

  /** Makers do not quote one side. */
  bare: (world: EngineWorld, { market, side, forMs }: Bare, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.bare = side
    reopenBook(world, scene, atMs)
    return lasting(world, scene, 'bareUntilMs', atMs + forMs)
  },

  /** Ends all overrides of a market; replayed prices keep their distance from the file. */
  release: (world: EngineWorld, { market }: OfMarket, atMs: number): null => {
    const scene = sceneAt(world, market)
    Object.assign(scene.overrides, { ...noOverrides(), scale: scene.overrides.scale })
    reopenBook(world, scene, atMs)
    return null
  },

  /** A new account takes one side of a market with all its margin. Returns its number. */
  newcomer: (
    world: EngineWorld,
    { market, ...newcomer }: OfMarket & Newcomer,
    atMs: number,
  ): Account => admitTrader(world, sceneAt(world, market), newcomer, atMs),

  /** Liquidates all positions of an account at the mark. Returns the liquidations; empty without positions. */
  liquidate: (world: EngineWorld, { account }: OfAccount, atMs: number): readonly Liquidation[] =>
    liquidateWhole(world, accountAt(world.exchange, account), atMs),
} as const

type OfShare = OfMarket & { readonly share: number }
type Lasting = { readonly forMs: number }
type Bare = OfMarket & Lasting & { readonly side: SideSign }

type Until = 'trendUntilMs' | 'frozenUntilMs' | 'leanUntilMs' | 'depthUntilMs' | 'bareUntilMs'

/** Sets the end of an override and plans it. */
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

/** Requests name accounts and markets by number, so that they are plain data that can be logged and replayed. */
export type OfAccount = { readonly account: number }
export type OfMarket = { readonly market: number }
