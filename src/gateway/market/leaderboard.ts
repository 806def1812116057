import type { Answer } from '../../cache/answer.ts'
import { abbreviate } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import { numberOf, parseExact } from '../../core/json-text.ts'
import { clamped, lenient, type Query } from '../../core/query.ts'
import { CLAMPS, type Lifetime } from '../../spec/limits.ts'
import { LEADERBOARD_SORTS, LEADERBOARD_WINDOWS } from '../../spec/market.ts'
import { ROUTES } from '../../spec/routes.ts'
import type { Deps } from '../deps.ts'
import { queryVenue } from '../venue-read.ts'
import { rowsOf, type WireRow } from './rows.ts'
import { publicReply, throughCache } from './shaped.ts'

type Ranking = {
  readonly window: (typeof LEADERBOARD_WINDOWS)[number]
  readonly sort: (typeof LEADERBOARD_SORTS)[number]
  readonly limit: number
  readonly lifetime: Lifetime
}

/**
 * `{rows, total, updatedAt}`: ranked traders, addresses abbreviated. A parameter that makes no sense falls back to
 * its default. `window` applies to volume and profit; `total` counts the rows of this answer.
 */
export function leaderboard(deps: Deps, query: Query): Promise<Answer> {
  const window = lenient(query, 'window')
  const sort = lenient(query, 'sort')
  return ranked(deps, {
    window: LEADERBOARD_WINDOWS.find((known) => known === window) ?? '24h',
    sort: LEADERBOARD_SORTS.find((known) => known === sort) ?? 'volume',
    limit: clamped(lenient(query, 'limit'), CLAMPS.leaderboard),
    lifetime: ROUTES.leaderboard.lifetime,
  })
}

/** The leaderboard by open notional, over 24 hours. */
export function whales(deps: Deps, query: Query): Promise<Answer> {
  const limit = clamped(lenient(query, 'limit'), CLAMPS.whales)
  return ranked(deps, { window: '24h', sort: 'notional', limit, lifetime: ROUTES.whales.lifetime })
}

function ranked(deps: Deps, { window, sort, limit, lifetime }: Ranking): Promise<Answer> {
  const key = `route:leaderboard?window=${window}&sort=${sort}&limit=${limit}`
  return throughCache(deps, key, lifetime, async () => {
    const sortBy = sort === 'notional' ? 'notional' : `${sort}_${window}`
    const payload = parseExact(
      await queryVenue(deps, { type: 'topAddresses', sort_by: sortBy, limit }),
    )
    const rows = rowsOf(payload)
      .slice(0, limit)
      .map((row, index) => rankedRow(row, index + 1, window))
    const updatedAt = isObject(payload) ? (numberOf(payload['last_updated_time']) ?? null) : null
    return publicReply(deps, {
      rows,
      total: rows.length,
      updatedAt: updatedAt ?? deps.clock.nowMs(),
    })
  })
}

function rankedRow(row: WireRow, rank: number, window: string): WireRow {
  return {
    address: abbreviate(row['address']),
    rank,
    volume: amount(row[`volume_${window}`]),
    pnl: amount(row[`pnl_${window}`]),
    notional: amount(row['total_notional']),
  }
}

// The venue writes these as decimal text, the answer as numbers.
function amount(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : numberOf(value)
  return number !== undefined && Number.isFinite(number) ? number : 0
}
