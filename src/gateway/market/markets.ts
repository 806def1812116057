import type { Answer } from '../../cache/answer.ts'
import { isObject, numberOf, pick, type Row, rowsAt } from '../../core/json.ts'
import type { Query } from '../../core/query.ts'
import { FUNDING_FIELDS, MARKET_RULE_FIELDS, MarketRow } from '../../spec/market.ts'
import { ROUTES } from '../../spec/routes.ts'
import { baseOf, symbolOf } from '../../wire/symbol.ts'
import { ofListed } from './operations.ts'
import { changePercent, isActive, isShared, maxLeverage, typedRow, typedRows } from './rows.ts'
import { keptBy, type MarketDeps, publicReply, readParsed, throughCache } from './shaped.ts'

/** `{markets}`: active shared markets, highest 24h quote volume first, with `base` and `change24hPct`; numbers are numbers. */
export function markets(deps: MarketDeps): Promise<Answer> {
  return throughCache(deps, ROUTES.markets, async () => {
    const rows = rowsAt(await readParsed(deps, '/v1/public/futures'), 'rows')
      .filter(isShared)
      .filter(isActive)
    const typed = typedRows(deps, 'markets', rows, marketRow)
    return publicReply(deps, {
      markets: typed.toSorted((a, b) => quoteVolume(b) - quoteVolume(a)),
    })
  })
}

/** What was traded in a day, in USDC. */
export function quoteVolume(row: Row): number {
  return numberOf(row['24h_amount']) ?? 0
}

function marketRow(row: Row): Row | null {
  const base = baseOf(String(row['symbol']))
  const typed = typedRow(MarketRow, { status: 'ACTIVE', ...row, base, change24hPct: undefined })
  return typed && { ...typed, change24hPct: changePercent(typed['24h_open'], typed['24h_close']) }
}

/** `{rules: [{symbol, maxLeverage, info}]}` of every shared market. */
export function marketRules(deps: MarketDeps): Promise<Answer> {
  return throughCache(deps, ROUTES.marketRules, async () => {
    const rows = rowsAt(await readParsed(deps, '/v1/public/info'), 'rows').filter(isShared)
    const rules = rows.map((row) => ({
      symbol: row['symbol'],
      maxLeverage: maxLeverage(row['base_imr']),
      info: pick(row, MARKET_RULE_FIELDS),
    }))
    return publicReply(deps, { rules })
  })
}

/** Funding of one market: estimated and last rate, next time (ms), and the running sum. */
export function funding(deps: MarketDeps, query: Query): Promise<Answer> {
  const symbol = symbolOf(query)
  return throughCache(deps, keptBy(ROUTES.funding, { symbol }), async () => {
    const read = () => readParsed(deps, `/v1/public/funding_rate/${symbol}`)
    const row = await ofListed(deps, symbol, read)
    return publicReply(deps, pick(isObject(row) ? row : {}, FUNDING_FIELDS))
  })
}
