import { CLAMPS } from '../../contract/limits.ts'
import { LEADERBOARD_SORTS, LEADERBOARD_WINDOWS } from '../../contract/market/leaderboard.ts'
import { LeaderboardRow } from '../../contract/market.ts'
import { ROUTES } from '../../contract/routes.ts'
import { Failure } from '../../core/failure.ts'
import { abbreviate, isAddress } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import { lenientCount, lenientValue, type Query } from '../../core/query.ts'
import { type Answer, uncachedAnswer } from '../cache/answer.ts'
import type { Operator } from '../venue/operator-call.ts'
import { noneIfNotFound, queryVenue } from '../venue/read.ts'
import {
  answerFromCache,
  cachePolicyWith,
  type MarketAccess,
  publicReply,
  readParsed,
  type TimedMarketAccess,
} from './cached-answers.ts'
import { listIn } from './rows.ts'
import { toInteger, typedRows } from './typed-rows.ts'

type Ranking = {
  readonly window: (typeof LEADERBOARD_WINDOWS)[number]
  readonly sort: (typeof LEADERBOARD_SORTS)[number]
  readonly limit: number
}

/**
 * `{rows, total, updatedAt}`: ranked traders with abbreviated addresses. A trader who lacks an amount is left out. An
 * invalid parameter falls back to its default. `window` applies to volume and profit; `total` counts the rows of this
 * answer.
 */
export function leaderboard(deps: TimedMarketAccess, query: Query): Promise<Answer> {
  const window = lenientValue(query, 'window')
  const sort = lenientValue(query, 'sort')
  return readRanking(deps, 'leaderboard', {
    window: LEADERBOARD_WINDOWS.find((known) => known === window) ?? '24h',
    sort: LEADERBOARD_SORTS.find((known) => known === sort) ?? 'volume',
    limit: lenientCount(query, 'limit', CLAMPS.leaderboard),
  })
}

/** The leaderboard by open notional, over 24 hours. */
export function whales(deps: TimedMarketAccess, query: Query): Promise<Answer> {
  const limit = lenientCount(query, 'limit', CLAMPS.whales)
  return readRanking(deps, 'whales', { window: '24h', sort: 'notional', limit })
}

function readRanking(
  deps: TimedMarketAccess,
  route: 'leaderboard' | 'whales',
  { window, sort, limit }: Ranking,
): Promise<Answer> {
  return answerFromCache(
    deps,
    cachePolicyWith(ROUTES[route], { window, sort, limit }),
    async () => {
      const sortBy = sort === 'notional' ? 'notional' : `${sort}_${window}`
      const payload = await queryVenue(deps, { type: 'topAddresses', sort_by: sortBy, limit })
      const listed = listIn(payload)?.map((trader) => traderRow(trader, window))
      // Ranks the rows here, since the venue's sequence is not guaranteed. Rows with equal amounts keep the venue's
      // sequence.
      const rows = typedRows(deps, route, LeaderboardRow, listed)
        .toSorted((a, b) => Number(b[sort]) - Number(a[sort]))
        .slice(0, limit)
        .map((trader, index) => ({ ...trader, rank: index + 1 }))
      const updatedAt = isObject(payload) ? toInteger(payload['last_updated_time']) : undefined
      return publicReply(deps, {
        rows,
        total: rows.length,
        updatedAt: updatedAt ?? deps.venueClock.nowMs(),
      })
    },
  )
}

/** A trader's amounts of one window, before the ranking; null for a malformed row. */
function traderRow(row: unknown, window: string): unknown {
  if (!isObject(row) || typeof row['address'] !== 'string') return null
  return {
    address: abbreviate(row['address']),
    rank: 0,
    volume: row[`volume_${window}`],
    pnl: row[`pnl_${window}`],
    notional: row['total_notional'],
  }
}

/** Access for the rewards. Rewards are read from the venue without a cache. */
export type RewardsAccess = Pick<MarketAccess, 'upstream' | 'scrub'> & {
  readonly operator: Pick<Operator, 'points'>
}

const OFF = { enabled: false, merits: null, epochs: null } as const

/**
 * `{enabled, merits, epochs}` of one wallet; null values if the rewards module is off or the venue has no data. Throws
 * Failure: invalid_address, or the failure that the venue's answer means, so that a timeout never looks like "no
 * points".
 */
export async function points(deps: RewardsAccess, query: Query): Promise<Answer> {
  const address = lenientValue(query, 'address') ?? ''
  if (!isAddress(address))
    throw new Failure('invalid_address', { parameter: 'address', reason: 'malformed' })
  if (!deps.operator.points) return uncachedAnswer(publicReply(deps, OFF))
  const [merits, epochs] = await Promise.all([
    readParsed(deps, `/v1/client/points?address=${address}`).catch(noneIfNotFound),
    readParsed(deps, '/v1/public/points/epoch_dates').catch(noneIfNotFound),
  ])
  return uncachedAnswer(publicReply(deps, { enabled: true, merits, epochs }))
}
