import { type Answer, fresh } from '../../cache/answer.ts'
import { pick } from '../../core/json.ts'
import { count, type Query } from '../../core/query.ts'
import { CLAMPS } from '../../spec/limits.ts'
import { PUBLIC_TRADE_FIELDS } from '../../spec/market.ts'
import { ROUTES } from '../../spec/routes.ts'
import { symbolOf } from '../../wire/symbol.ts'
import type { MarketDeps } from './deps.ts'
import { ofListed } from './listed.ts'
import { rowsOf } from './rows.ts'
import { keptBy, publicReply, readParsed, throughCache } from './shaped.ts'

/** `{trades}`: the public tape of one market, newest first as the venue sends it. Carries no identity. */
export async function trades(deps: MarketDeps, query: Query): Promise<Answer> {
  const symbol = symbolOf(query)
  const limit = count(query, 'limit', CLAMPS.trades)
  const path = `/v1/public/market_trades?symbol=${symbol}&limit=${limit}`
  const read = async () => rowsOf(await readParsed(deps, path))
  const rows = await ofListed(deps, symbol, read, (found) => found.length === 0)
  return fresh(publicReply(deps, { trades: rows.map((row) => pick(row, PUBLIC_TRADE_FIELDS)) }))
}

/** `{rows}`: recent liquidations on the whole exchange, as the venue sends them. */
export function liquidations(deps: MarketDeps, query: Query): Promise<Answer> {
  const size = count(query, 'size', CLAMPS.liquidations)
  return throughCache(deps, keptBy(ROUTES.liquidations, { size }), async () => {
    const payload = await readParsed(deps, `/v1/public/liquidated_positions?size=${size}`)
    return publicReply(deps, { rows: rowsOf(payload) })
  })
}
