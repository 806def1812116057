import type { Account, Exchange } from '../exchange/state.ts'
import { marginOf } from '../margin/margin.ts'
import { chargeAccount } from '../positions/funding.ts'
import { flatPosition } from '../positions/positions.ts'
import { sumOf } from '../units.ts'
import { micro } from '../wire/number.ts'
import { pageOf, periodOf, positive, queryText } from '../wire/page.ts'
import { refusal } from '../wire/refusals.ts'
import type { VenueCall, VenueRow } from '../wire/row.ts'
import { closedRow, fundingRow, positionRow, ratiosOf } from './positions-shapes.ts'
import { type AccountAnswer, privateRow } from './private.ts'

const HISTORY_DEFAULT_ROWS = 25
const FUNDING_DEFAULT_ROWS = 60

/** Positions and what became of them. Funding that is due is charged before anything is told. */
export function positionRows({ exchange }: { readonly exchange: Exchange }): readonly VenueRow[] {
  const row = (path: string, answer: AccountAnswer) =>
    privateRow(exchange, 'GET', path, 'read', (account, call) => {
      chargeAccount(exchange, account, call.nowMs)
      return answer(account, call)
    })
  return [
    row('/v1/positions', (account, { nowMs }) => allPositions(exchange, account, nowMs)),
    row('/v1/position/{symbol}', (account, call) => onePosition(exchange, account, call)),
    row('/v1/position_history', positionHistory),
    row('/v1/funding_fee/history', fundingHistory),
    row('/v1/liquidations', (_, { query }) => pageOf([], query)),
  ]
}

/** Every position that is open, or closed and not yet settled. */
function allPositions(exchange: Exchange, account: Account, nowMs: number) {
  const margin = marginOf(exchange, account, nowMs)
  const shown = [...account.positions.values()].filter(
    ({ quantity, cost }) => quantity !== 0n || cost !== 0n,
  )
  const results = shown.map((position) => positionRow(exchange, account, position, margin, nowMs))
  return {
    ...ratiosOf(margin),
    total_pnl_24_h: micro(sumOf(results, ({ dayPnl }) => dayPnl)),
    rows: results.map(({ row }) => row),
  }
}

/** One market's position; a row of zeros when the account has none. */
function onePosition(exchange: Exchange, account: Account, { params, nowMs }: VenueCall) {
  const symbol = params['symbol'] ?? ''
  if (!exchange.feed.instruments.has(symbol)) throw refusal('parameter', 'symbol is invalid')
  const { accountId } = account.profile
  const position = account.positions.get(symbol) ?? flatPosition(accountId, symbol)
  const margin = marginOf(exchange, account, nowMs, { symbol, side: 'BUY', quantity: 0n })
  return positionRow(exchange, account, position, margin, nowMs).row
}

/** Positions that ended, the latest first. */
function positionHistory({ closed }: Account, { query }: VenueCall) {
  const symbol = queryText(query, 'symbol')
  const limit = positive(query, 'limit', HISTORY_DEFAULT_ROWS)
  const rows = closed
    .filter((position) => symbol === null || position.symbol === symbol)
    .reverse()
    .slice(0, limit)
  return { rows: rows.map(closedRow) }
}

function fundingHistory({ fundings }: Account, { query }: VenueCall) {
  const symbol = queryText(query, 'symbol')
  const isWithin = periodOf(query)
  const chosen = fundings
    .filter((charge) => (symbol === null || charge.symbol === symbol) && isWithin(charge.atMs))
    .sort((a, b) => b.atMs - a.atMs || b.id - a.id)
  const { meta, rows } = pageOf(chosen, query, FUNDING_DEFAULT_ROWS)
  return { meta, rows: rows.map(fundingRow) }
}
