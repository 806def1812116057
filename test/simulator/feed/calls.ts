import { isObject } from '../../../src/core/json.ts'
import { openExchange } from '../../../src/simulator/exchange/exchange.ts'
import { createLiveFeed } from '../../../src/simulator/feed/live-feed.ts'
import { createInitialState } from '../../../src/simulator/initial-state.ts'
import { VenueRefusal, type VenueRow } from '../../../src/simulator/messages/row.ts'
import { createFeed, type SeededFeed } from '../../../src/simulator/past/seeded-feed.ts'
import { openNotices } from '../../../src/simulator/rest/public/announcements.ts'
import { queryRows } from '../../../src/simulator/rest/public/query.ts'
import { publicRows } from '../../../src/simulator/rest/public.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { failed } from '../failed.ts'

export const NOW_MS = Date.UTC(2026, 3, 29, 13, 47, 11, 250)
/** Three quarters of an hour of trading before now. */
export const WORLD_START_MS = Date.UTC(2026, 3, 29, 13)

/** A whole world with its past, and a way to read its public rows as a client would: through JSON. */
export function openWorld(seed = 1, instruments?: SeededFeed['instruments']) {
  const past = createFeed({ seed, beginsAtMs: WORLD_START_MS, instruments })
  const exchange = openExchange({
    entities: openVenueFile(':memory:'),
    initialState: createInitialState(past, WORLD_START_MS, null, 'sparse', null),
    failed,
  })
  const { simulation } = exchange
  const feed = createLiveFeed(past, simulation)
  const notices = openNotices(openVenueFile(':memory:'), WORLD_START_MS, () => undefined)
  const rows = publicRows({
    ...{ feed, past, simulation, exchange, notices },
    beginsAtMs: WORLD_START_MS,
  })
  simulation()
  exchange.advance(NOW_MS)

  /** What a path answers; the caller names the part of its shape that it reads. */
  function get<T>(path: string, query: Record<string, string> = {}, nowMs = NOW_MS): T {
    exchange.advance(nowMs)
    const { row, params } = find(rows, path)
    return roundTrip(row.answer(callOf({ params, query: new URLSearchParams(query), nowMs })))
  }

  function query<T>(body: unknown, nowMs = NOW_MS, book = feed.book): T {
    const [row] = queryRows({ feed: { ...feed, book }, exchange })
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return roundTrip(row?.answer(callOf({ body: text, nowMs })))
  }

  return { past, exchange, feed, rows, get, query }
}

/** What a call was refused with. */
export function refusalOf(call: () => unknown): { status: number; code: number | string } {
  try {
    call()
  } catch (error) {
    if (error instanceof VenueRefusal) return { status: error.status, code: error.code }
    throw error
  }
  throw new Error('the call was answered')
}

/** How a value differs from a shape of test/vectors: one line a difference, none when it fits exactly. */
export function differences(value: unknown, shape: unknown, at = 'data'): string[] {
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${at} is no array`]
    return value.flatMap((item, position) => differences(item, shape[0], `${at}[${position}]`))
  }
  if (isObject(shape)) {
    if (!isObject(value)) return [`${at} is no object`]
    const names = new Set([...Object.keys(value), ...Object.keys(shape)])
    return [...names].flatMap((name) =>
      name in value && name in shape
        ? differences(value[name], shape[name], `${at}.${name}`)
        : [`${at}.${name} is ${name in value ? 'too many' : 'missing'}`],
    )
  }
  const type = value === null ? 'null' : typeof value
  const isFit =
    type === shape || shape === `${type}?` || (type === 'null' && String(shape).endsWith('?'))
  return isFit ? [] : [`${at} is ${type}, not ${shape}`]
}

function roundTrip<T>(answer: unknown): T {
  return (answer === undefined ? undefined : JSON.parse(JSON.stringify(answer))) as T
}

function callOf(call: {
  params?: Record<string, string>
  query?: URLSearchParams
  body?: string
  nowMs: number
}) {
  return { params: {}, query: new URLSearchParams(), body: '', accountId: '', ...call }
}

function find(rows: readonly VenueRow[], path: string) {
  for (const row of rows) {
    const pattern = new RegExp(`^${row.path.replace('{symbol}', '(?<symbol>[^/]+)')}$`)
    const match = pattern.exec(path)
    if (match && row.method === 'GET') return { row, params: { ...match.groups } }
  }
  throw new Error(`no row for ${path}`)
}
