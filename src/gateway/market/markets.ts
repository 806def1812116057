import { FundingAnswer, MarketRow, MarketRuleRow } from '../../contract/market.ts'
import { ROUTES } from '../../contract/routes.ts'
import { isObject, type Row, toFloat } from '../../core/json.ts'
import type { Query } from '../../core/query.ts'
import { baseAsset, requiredSymbol } from '../../upstream/wire/symbol.ts'
import type { Answer } from '../cache/answer.ts'
import {
  answerFromCache,
  cachePolicyWith,
  type MarketAccess,
  publicReply,
  readParsed,
} from './cached-answers.ts'
import { readListed } from './operations.ts'
import { changePercent, isActive, isShared, listIn } from './rows.ts'
import { toVenueNumber, typedObject, typedRows } from './typed-rows.ts'

/**
 * `{markets}`: active shared markets, highest 24h quote volume first, with `base` and `change24hPct`. A missing 24-hour
 * figure counts as 0, with a change of 0. A market that lacks any other figure is left out.
 */
export function markets(deps: MarketAccess): Promise<Answer> {
  return answerFromCache(deps, ROUTES.markets, async () => {
    const rows = sharedRows(await readParsed(deps, '/v1/public/futures'), marketRow)
    const typed = typedRows(deps, 'markets', MarketRow, rows)
    return publicReply(deps, {
      markets: typed.toSorted((a, b) => quoteVolume(b) - quoteVolume(a)),
    })
  })
}

/** The 24-hour quote volume, in USDC. */
export function quoteVolume(row: Row): number {
  return toFloat(row['24h_amount']) ?? 0
}

/** The rows of shared markets in a payload; undefined without a list. A malformed row becomes null, so that it is counted. */
function sharedRows(payload: unknown, shaped: (row: Row) => unknown): unknown {
  return listIn(payload)?.flatMap((row) => {
    if (!isObject(row) || typeof row['symbol'] !== 'string') return [null]
    return isShared(row) ? (shaped(row) ?? []) : []
  })
}

const DAY_FIGURES = ['24h_open', '24h_close', '24h_high', '24h_low', '24h_volume', '24h_amount']

function marketRow(row: Row): Row | null {
  if (!isActive(row)) return null
  const base = baseAsset(String(row['symbol']))
  const figures = DAY_FIGURES.map((name) => [name, row[name] ?? 0])
  const change = changePercent(toVenueNumber(row['24h_open']), toVenueNumber(row['24h_close']))
  return {
    ...{ ...row, status: 'ACTIVE', base, change24hPct: change, ...Object.fromEntries(figures) },
    display_symbol_name: row['display_symbol_name'] ?? base,
  }
}

/** `{rules: [{symbol, maxLeverage, info}]}` of every shared market. */
export function marketRules(deps: MarketAccess): Promise<Answer> {
  return answerFromCache(deps, ROUTES.marketRules, async () => {
    const rows = sharedRows(await readParsed(deps, '/v1/public/info'), ruleRow)
    return publicReply(deps, { rules: typedRows(deps, 'marketRules', MarketRuleRow, rows) })
  })
}

function ruleRow(row: Row): Row {
  const { symbol, base_imr: rate } = row
  const info = {
    ...row,
    display_symbol_name: row['display_symbol_name'] ?? baseAsset(String(symbol)),
  }
  return { symbol, maxLeverage: maxLeverage(rate), info }
}

/**
 * The highest leverage that a market's initial margin rate allows: its reciprocal, rounded. Undefined without a usable
 * rate.
 */
function maxLeverage(baseImr: unknown): number | undefined {
  const rate = toFloat(toVenueNumber(baseImr)) ?? 0
  return rate > 0 && rate <= 1 ? Math.round(1 / rate) : undefined
}

/** Funding of one market: estimated and last rate, next time (ms), and the running sum. */
export function funding(deps: MarketAccess, query: Query): Promise<Answer> {
  const symbol = requiredSymbol(query)
  return answerFromCache(deps, cachePolicyWith(ROUTES.funding, { symbol }), async () => {
    const read = () => readParsed(deps, `/v1/public/funding_rate/${symbol}`)
    const row = await readListed(deps, symbol, read)
    return publicReply(deps, typedObject(deps, 'funding', FundingAnswer, row))
  })
}
