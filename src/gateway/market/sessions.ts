import { ROUTES } from '../../contract/routes.ts'
import { isObject, type Row } from '../../core/json.ts'
import type { Answer } from '../cache/answer.ts'
import { noneIfNotFound } from '../venue/read.ts'
import {
  answerFromCache,
  publicReply,
  readParsed,
  type TimedMarketAccess,
} from './cached-answers.ts'
import { isShared, listIn } from './rows.ts'
import { convertibleRows, toInteger } from './typed-rows.ts'

/**
 * `{rows: [{symbol, open, opensAt, closesAt, note}], symbols}`: markets with trading hours, possibly empty. `symbols`
 * also contains markets with unknown hours, because such markets have special fee rates too.
 */
export function marketSessions(deps: TimedMarketAccess): Promise<Answer> {
  return answerFromCache(deps, ROUTES.marketSessions, async () => {
    const payload = await readParsed(deps, '/v1/public/rwa/info').catch(noneIfNotFound)
    const listed = listIn(payload) ?? []
    const nowMs = deps.venueClock.nowMs()
    const rows = convertibleRows(
      deps,
      'marketSessions',
      listed.filter((row) => !isObject(row) || typeof row['symbol'] !== 'string' || isShared(row)),
      (row) => sessionRow(row, nowMs),
    )
    const shared = listed.filter(isObject).filter(isShared)
    return publicReply(deps, { rows, symbols: shared.map(({ symbol }) => symbol) })
  })
}

const CLOSED =
  'The index price stands still until the market opens. Leverage and risk limits may differ.'

/** The session of a market; null if its times are malformed or both have passed. */
function sessionRow(row: unknown, nowMs: number): Row | null {
  if (!isObject(row) || typeof row['symbol'] !== 'string') return null
  const [opening, close] = [row['next_open'], row['next_close']].map(toTimeMs)
  if (opening === undefined || close === undefined) return null
  const [opensAt, closesAt] = [futureTime(opening, nowMs), futureTime(close, nowMs)]
  // A market without hours is always open.
  const isAlwaysOpen = opening === null && close === null
  if (!isAlwaysOpen && opensAt === null && closesAt === null) return null
  const open = isAlwaysOpen || closesFirst(opensAt, closesAt)
  return { symbol: row['symbol'], open, opensAt, closesAt, note: open ? '' : CLOSED }
}

function futureTime(time: number | null, nowMs: number): number | null {
  return time !== null && time > nowMs ? time : null
}

/** Whether the next event is the close, which means that the market is open. */
function closesFirst(opensAt: number | null, closesAt: number | null): boolean {
  return closesAt !== null && (opensAt === null || closesAt <= opensAt)
}

/** A time in milliseconds; null for an absent time, undefined for a malformed time. */
function toTimeMs(value: unknown): number | null | undefined {
  if (value === null || value === undefined) return null
  const time = toInteger(value)
  return time === undefined || time < 0 ? undefined : time || null
}
