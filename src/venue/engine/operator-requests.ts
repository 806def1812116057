import { liquidateWhole } from '../liquidation/liquidate.ts'
import { accountAt } from '../state/accounts.ts'
import type { Liquidation } from '../state/observer.ts'
import { noOverrides } from '../state/overrides.ts'
import { plan } from '../state/queue.ts'
import type { Account, Side } from '../state/state.ts'
import type { Scene, World } from '../state/world.ts'
import { admitTrader, type Newcomer } from '../traders/population.ts'
import { reopenBook, reprice } from './handlers.ts'

/** What an operator does to a market or an account. Durations count from the time of the request. */
export const ACTS = {
  /** The index gains a share of itself, below zero loses it, evenly over some time. */
  trend: (world: World, { market, share, forMs }: OfShare & Lasting, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.trend = Math.log1p(share) / forMs
    return lasting(world, scene, 'trendUntilMs', atMs + forMs)
  },

  /** The index stands. */
  freeze: (world: World, { market, forMs }: OfMarket & Lasting, atMs: number): null =>
    lasting(world, sceneAt(world, market), 'frozenUntilMs', atMs + forMs),

  /** The index jumps while nobody quotes: nothing trades on the way. */
  gap: (world: World, { market, share }: OfShare, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.index *= 1 + share
    scene.overrides.scale *= 1 + share
    reopenBook(world, scene, atMs)
    reprice(world, scene, atMs)
    return null
  },

  /** Makers quote beside the index by a share of it. */
  lean: (world: World, { market, share, forMs }: OfShare & Lasting, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.lean = share
    reopenBook(world, scene, atMs)
    return lasting(world, scene, 'leanUntilMs', atMs + forMs)
  },

  /** Makers quote a part of their usual sizes. */
  thin: (world: World, { market, share, forMs }: OfShare & Lasting, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.depth = share
    reopenBook(world, scene, atMs)
    return lasting(world, scene, 'depthUntilMs', atMs + forMs)
  },

  /** Makers quote nothing on one side. */
  bare: (world: World, { market, side, forMs }: Bare, atMs: number): null => {
    const scene = sceneAt(world, market)
    scene.overrides.bare = side
    reopenBook(world, scene, atMs)
    return lasting(world, scene, 'bareUntilMs', atMs + forMs)
  },

  /** A market is left to itself again; replayed prices stay as far from their file as they are. */
  release: (world: World, { market }: OfMarket, atMs: number): null => {
    const scene = sceneAt(world, market)
    Object.assign(scene.overrides, { ...noOverrides(), scale: scene.overrides.scale })
    reopenBook(world, scene, atMs)
    return null
  },

  /** A newcomer takes one side of a market with all its margin. Answers its account. */
  newcomer: (world: World, { market, ...newcomer }: OfMarket & Newcomer, atMs: number): Account =>
    admitTrader(world, sceneAt(world, market), newcomer, atMs),

  /** Takes over all that an account holds at the mark. Answers the liquidations: none for an account without positions. */
  liquidate: (world: World, { account }: OfAccount, atMs: number): readonly Liquidation[] =>
    liquidateWhole(world, accountAt(world.exchange, account), atMs),
} as const

type OfShare = OfMarket & { readonly share: number }
type Lasting = { readonly forMs: number }
type Bare = OfMarket & Lasting & { readonly side: Side }

type Until = 'trendUntilMs' | 'frozenUntilMs' | 'leanUntilMs' | 'depthUntilMs' | 'bareUntilMs'

/** Notes until when an act lasts, and plans its end. */
function lasting({ queue }: World, { market, overrides }: Scene, until: Until, atMs: number): null {
  overrides[until] = atMs
  plan(queue, atMs, 'release', market.number)
  return null
}

/** Accounts go by their number and markets by theirs: a request is plain data, and its log can be run again. */
export type OfAccount = { readonly account: number }
export type OfMarket = { readonly market: number }

/** The market of a number, with what of the world is about it. Throws RangeError when there is none. */
export function sceneAt({ scenes }: World, number: number): Scene {
  const scene = scenes[number]
  if (!scene) throw new RangeError('no such market')
  return scene
}
