import { type Answer, fresh } from '../../cache/answer.ts'
import { Failure } from '../../core/failure.ts'
import { abbreviate, isAddress } from '../../core/hex.ts'
import { isObject, numberOf, type Row, rowsAt } from '../../core/json.ts'
import { lenient, lenientCount, type Query } from '../../core/query.ts'
import { CLAMPS } from '../../spec/limits.ts'
import { LEADERBOARD_SORTS, LEADERBOARD_WINDOWS } from '../../spec/market/leaderboard.ts'
import { ROUTES } from '../../spec/routes.ts'
import type { Operator } from '../venue/operator-call.ts'
import { noneIfNotFound, queryVenue } from '../venue/read.ts'
import {
  type Kept,
  keptBy,
  type MarketDeps,
  publicReply,
  readParsed,
  type TimedDeps,
  throughCache,
} from './shaped.ts'

type Ranking = {
  readonly window: (typeof LEADERBOARD_WINDOWS)[number]
  readonly sort: (typeof LEADERBOARD_SORTS)[number]
  readonly limit: number
}

/**
 * `{rows, total, updatedAt}`: ranked traders, addresses abbreviated; an amount that the venue does not send is null. A parameter that makes no sense falls back to
 * its default. `window` applies to volume and profit; `total` counts the rows of this answer.
 */
export function leaderboard(deps: TimedDeps, query: Query): Promise<Answer> {
  const window = lenient(query, 'window')
  const sort = lenient(query, 'sort')
  return ranked(deps, ROUTES.leaderboard, {
    window: LEADERBOARD_WINDOWS.find((known) => known === window) ?? '24h',
    sort: LEADERBOARD_SORTS.find((known) => known === sort) ?? 'volume',
    limit: lenientCount(query, 'limit', CLAMPS.leaderboard),
  })
}

/** The leaderboard by open notional, over 24 hours. */
export function whales(deps: TimedDeps, query: Query): Promise<Answer> {
  const limit = lenientCount(query, 'limit', CLAMPS.whales)
  return ranked(deps, ROUTES.whales, { window: '24h', sort: 'notional', limit })
}

function ranked(deps: TimedDeps, row: Kept, { window, sort, limit }: Ranking): Promise<Answer> {
  return throughCache(deps, keptBy(row, { window, sort, limit }), async () => {
    const sortBy = sort === 'notional' ? 'notional' : `${sort}_${window}`
    const payload = await queryVenue(deps, { type: 'topAddresses', sort_by: sortBy, limit })
    // Ranked here, whatever order they come in; those of one amount stay in the order in which they came.
    const rows = rowsAt(payload, 'rows')
      .map((row) => rankedRow(row, window))
      .toSorted((a, b) => (b[sort] ?? LEAST) - (a[sort] ?? LEAST))
      .slice(0, limit)
      .map(({ address, ...amounts }, index) => ({ address, rank: index + 1, ...amounts }))
    const updatedAt = isObject(payload) ? (numberOf(payload['last_updated_time']) ?? null) : null
    return publicReply(deps, {
      rows,
      total: rows.length,
      updatedAt: updatedAt ?? deps.venueClock.nowMs(),
    })
  })
}

function rankedRow(row: Row, window: string) {
  return {
    address: abbreviate(row['address']),
    volume: amount(row[`volume_${window}`]),
    pnl: amount(row[`pnl_${window}`]),
    notional: amount(row['total_notional']),
  }
}

/** Traders whose amount is not known come after all others. */
const LEAST = -Number.MAX_VALUE

/** An amount, which the venue writes as decimal text, as a number; null where it sends none. */
function amount(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : numberOf(value)
  return number !== undefined && Number.isFinite(number) ? number : null
}

/** What the rewards use: whether they are on, and nothing that is kept. */
export type PointsDeps = Pick<MarketDeps, 'upstream' | 'scrub'> & {
  readonly operator: Pick<Operator, 'points'>
}

const OFF = { enabled: false, merits: null, epochs: null } as const

/**
 * `{enabled, merits, epochs}` of one wallet; nulls while the rewards module is off, and where the venue has nothing.
 * Throws Failure: invalid_address, or the venue's, so that a timeout never looks like "no points".
 */
export async function points(deps: PointsDeps, query: Query): Promise<Answer> {
  const address = lenient(query, 'address') ?? ''
  if (!isAddress(address))
    throw new Failure('invalid_address', { parameter: 'address', reason: 'malformed' })
  if (!deps.operator.points) return fresh(publicReply(deps, OFF))
  const [merits, epochs] = await Promise.all([
    readParsed(deps, `/v1/client/points?address=${address}`).catch(noneIfNotFound),
    readParsed(deps, '/v1/public/points/epoch_dates').catch(noneIfNotFound),
  ])
  return fresh(publicReply(deps, { enabled: true, merits, epochs }))
}
