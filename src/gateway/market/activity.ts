import { type Answer, fresh } from '../../cache/answer.ts'
import { isObject, pick } from '../../core/json.ts'
import { clamped, one, type Query } from '../../core/query.ts'
import { CLAMPS } from '../../spec/limits.ts'
import { ORDERBOOK_FIELDS, PUBLIC_TRADE_FIELDS } from '../../spec/market.ts'
import { ROUTES } from '../../spec/routes.ts'
import { symbolOf } from '../../wire/symbol.ts'
import { payloadOf, queryVenue } from '../venue-read.ts'
import type { MarketDeps } from './deps.ts'
import { ofListed } from './listed.ts'
import { rowsOf, type WireRow } from './rows.ts'
import { keptBy, publicReply, readParsed, throughCache } from './shaped.ts'

const BOOK_LEVELS = 100

/** The order book of one market as it is now: never cached, never shared in flight. */
export async function orderbook(deps: MarketDeps, query: Query): Promise<Answer> {
  const symbol = symbolOf(query)
  const read = () => queryVenue(deps, { type: 'orderbook', symbol, max_level: BOOK_LEVELS })
  const payload = payloadOf(await ofListed(deps, symbol, read))
  return fresh(publicReply(deps, bookOf(symbol, isObject(payload) ? payload : {})))
}

// An empty side leaves the venue without a middle; the strings of the answer are then empty, never null.
function bookOf(symbol: string, payload: WireRow): WireRow {
  const empty = { symbol, mid_price: '', spread: '', asks: [], bids: [] }
  const book = pick({ ...empty, ...payload }, ORDERBOOK_FIELDS)
  return { ...book, mid_price: book['mid_price'] ?? '', spread: book['spread'] ?? '' }
}

/** `{trades}`: the public tape of one market, newest first as the venue sends it. Carries no identity. */
export async function trades(deps: MarketDeps, query: Query): Promise<Answer> {
  const symbol = symbolOf(query)
  const limit = clamped(one(query, 'limit'), CLAMPS.trades)
  const path = `/v1/public/market_trades?symbol=${symbol}&limit=${limit}`
  const read = async () => rowsOf(await readParsed(deps, path))
  const rows = await ofListed(deps, symbol, read, (found) => found.length === 0)
  return fresh(publicReply(deps, { trades: rows.map((row) => pick(row, PUBLIC_TRADE_FIELDS)) }))
}

/** `{rows}`: recent liquidations on the whole exchange, as the venue sends them. */
export function liquidations(deps: MarketDeps, query: Query): Promise<Answer> {
  const size = clamped(one(query, 'size'), CLAMPS.liquidations)
  return throughCache(deps, keptBy(ROUTES.liquidations, { size }), async () => {
    const payload = await readParsed(deps, `/v1/public/liquidated_positions?size=${size}`)
    return publicReply(deps, { rows: rowsOf(payload) })
  })
}
