import { CLAMPS } from '../../contract/limits.ts'
import { PublicTradeRow } from '../../contract/market.ts'
import { ROUTES } from '../../contract/routes.ts'
import { Failure } from '../../core/failure.ts'
import { isObject, type Row, toFloat } from '../../core/json.ts'
import { clampedCount, type Query } from '../../core/query.ts'
import { requiredSymbol } from '../../upstream/wire/symbol.ts'
import { type Answer, uncachedAnswer } from '../cache/answer.ts'
import {
  answerFromCache,
  cachePolicyWith,
  type MarketAccess,
  publicReply,
  readParsed,
} from './cached-answers.ts'
import { readListed } from './operations.ts'
import { listIn } from './rows.ts'
import { convertibleRows, typedRows } from './typed-rows.ts'

/** `{trades}`: the public trades of one market without identities, newest first as the venue sends them. */
export async function trades(deps: MarketAccess, query: Query): Promise<Answer> {
  const symbol = requiredSymbol(query)
  const limit = clampedCount(query, 'limit', CLAMPS.trades)
  const path = `/v1/public/market_trades?symbol=${symbol}&limit=${limit}`
  const read = async () => listIn(await readParsed(deps, path))
  const rows = await readListed(deps, symbol, read, (found) => !found?.length)
  return uncachedAnswer(
    publicReply(deps, { trades: typedRows(deps, 'trades', PublicTradeRow, rows) }),
  )
}

/** `{rows}`: recent liquidations on the whole exchange, as the venue sends them. Malformed rows are left out and counted. */
export function liquidations(deps: MarketAccess, query: Query): Promise<Answer> {
  const size = clampedCount(query, 'size', CLAMPS.liquidations)
  return answerFromCache(deps, cachePolicyWith(ROUTES.liquidations, { size }), async () => {
    const payload = await readParsed(deps, `/v1/public/liquidated_positions?size=${size}`)
    const listed = listIn(payload)
    if (!listed) throw new Failure('upstream_unavailable')
    const rows = convertibleRows(deps, 'liquidations', listed, liquidation)
    return publicReply(deps, { rows })
  })
}

function liquidation(row: unknown): Row | null {
  return isObject(row) && isLiquidation(row) ? row : null
}

/** Whether a row has the liquidation's id, time and positions. */
function isLiquidation({ liquidation_id, timestamp, positions_by_perp }: Row): boolean {
  const numbers = [liquidation_id, timestamp].map(toFloat)
  return (
    numbers.every((number) => number !== undefined && number >= 0) &&
    Array.isArray(positions_by_perp) &&
    positions_by_perp.every(isTaken)
  )
}

function isTaken(position: unknown): boolean {
  return (
    isObject(position) &&
    typeof position['symbol'] === 'string' &&
    toFloat(position['position_qty']) !== undefined
  )
}
