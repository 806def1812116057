import { Elysia } from 'elysia'
import type { Answer } from '../cache/answer.ts'
import type { Query } from '../core/query.ts'
import { liquidations, trades } from '../gateway/market/activity.ts'
import { candles } from '../gateway/market/candles.ts'
import { config } from '../gateway/market/config.ts'
import { depositChains, insuranceFund, tokens } from '../gateway/market/funds.ts'
import { leaderboard, type PointsDeps, points, whales } from '../gateway/market/leaderboard.ts'
import { funding, marketRules, markets } from '../gateway/market/markets.ts'
import { orderbook } from '../gateway/market/orderbook.ts'
import type { TimedDeps } from '../gateway/market/shaped.ts'
import { ROUTES } from '../spec/routes.ts'
import { type Entrance, reading } from './verbs.ts'

type ReadDeps = TimedDeps & PointsDeps

type Read = (deps: ReadDeps, query: Query) => Answer | Promise<Answer>

const READS = {
  markets,
  marketRules,
  orderbook,
  candles,
  trades,
  funding,
  config,
  tokens,
  depositChains,
  insuranceFund,
  liquidations,
  leaderboard,
  whales,
  points,
} as const satisfies Partial<Record<keyof typeof ROUTES, Read>>

const IDS = Object.keys(READS).filter((id): id is keyof typeof READS => Object.hasOwn(READS, id))

/** The fourteen market-data routes. */
export const market = (parts: Entrance & { readonly deps: ReadDeps }) => {
  const plugin = new Elysia({ name: 'routes.market' })
  for (const id of IDS) {
    const read: Read = READS[id]
    plugin.get(
      ROUTES[id].path,
      reading(parts, ROUTES[id], (query) => read(parts.deps, query)),
    )
  }
  return plugin
}
