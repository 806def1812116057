import { isObject } from '../../../../src/core/json.ts'
import { openExchange } from '../../../../src/simulator/exchange/exchange.ts'
import { createLiveFeed } from '../../../../src/simulator/feed/live-feed.ts'
import { MARKETS } from '../../../../src/simulator/listing/instruments.ts'
import { VenueRefusal } from '../../../../src/simulator/messages/row.ts'
import { createFeed } from '../../../../src/simulator/past/seeded-feed.ts'
import { vaultRows } from '../../../../src/simulator/rest/vaults/vaults.ts'
import { openVenueFile } from '../../../../src/store/entity-file.ts'
import { failed } from '../../failed.ts'

export const WORLD_START_MS = Date.UTC(2026, 0, 1)
export const DAY_MS = 86_400_000
/** Those that the vaults trade, and one that they do not. */
const BASES = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE', 'TRUMP']

/** A day and a half of a small world with its vaults, and what their rows answer through JSON. */
export function openVaults(seed = 1) {
  const entities = openVenueFile(':memory:')
  let nowMs = WORLD_START_MS + 1.5 * DAY_MS
  const listed = [...MARKETS.values()].filter(({ base }) => BASES.includes(base))
  const prices = { kind: 'seeded' } as const
  const initialState = { seed, beginsAtMs: WORLD_START_MS, prices, listed, populate: false }
  function open() {
    const exchange = openExchange({ entities, initialState, failed })
    exchange.simulation()
    exchange.advance(nowMs)
    return exchange
  }
  let exchange = open()
  const past = createFeed({ seed, beginsAtMs: WORLD_START_MS })
  const rowsNow = () =>
    vaultRows({ ...exchange, priceThen: createLiveFeed(past, exchange.simulation).ticksThen })
  let rows = rowsNow()

  /** Loose on purpose: tests say what they expect. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what is being tested
  function get(path: string, query: Record<string, string> = {}): any {
    exchange.advance(nowMs)
    const row = rows.find((each) => each.method === 'GET' && each.path === path)
    if (!row) throw new Error(`no row ${path}`)
    const call = { params: {}, query: new URLSearchParams(query), body: '', accountId: '', nowMs }
    return JSON.parse(JSON.stringify(row.answer(call)))
  }

  return {
    get,
    exchange: () => exchange,
    world: () => exchange.simulation().engine.world,
    nowMs: () => nowMs,
    pass(ms: number) {
      nowMs += ms
      exchange.advance(nowMs)
      exchange.commit()
    },
    /** Stores the world, and opens everything again. */
    restart() {
      exchange.simulation().engine.save()
      exchange.commit()
      exchange = open()
      rows = rowsNow()
    },
  }
}

export function codeOf(call: () => unknown): number | string {
  try {
    call()
  } catch (error) {
    if (error instanceof VenueRefusal) return error.code
    throw error
  }
  throw new Error('the call was answered')
}

/** Lists in an answer that are empty, by their names. */
export function emptyLists(value: unknown, at = 'data'): string[] {
  if (Array.isArray(value))
    return value.length === 0 ? [at] : value.flatMap((each) => emptyLists(each, `${at}[]`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => emptyLists(inner, `${at}.${name}`))
}
