import { isIdle } from '../../engine/accounts.ts'
import type { ClosedRow } from '../../engine/records/records.ts'
import { exposureIn, marketAt, marketOf, type Seat } from '../../exchange/seat.ts'
import type { Exchange } from '../../exchange/state.ts'
import { pageOf, periodOf, positive, queryText } from '../../wire/page.ts'
import type { VenueCall, VenueRow } from '../../wire/row.ts'
import { amountOf } from '../figures.ts'
import { ownLiquidation } from '../liquidation-shapes.ts'
import { figuresOf } from '../margin-figures.ts'
import { type SeatAnswer, seatRow } from '../private.ts'
import { movePositionMargin } from './margin.ts'
import {
  type Cause,
  closedRow,
  fundingRow,
  type PriceThen,
  positionRow,
  ratiosOf,
} from './shapes.ts'

const HISTORY_DEFAULT_ROWS = 25
const FUNDING_DEFAULT_ROWS = 60

export type PositionParts = { readonly exchange: Exchange; readonly priceThen: PriceThen }

/** Positions and what became of them. */
export function positionRows({ exchange, priceThen }: PositionParts): readonly VenueRow[] {
  const row = (path: string, answer: SeatAnswer) =>
    seatRow(exchange, { method: 'GET', path, scope: 'read' }, answer)
  return [
    seatRow(
      exchange,
      { method: 'POST', path: '/v1/position_margin', scope: 'trading' },
      movePositionMargin,
    ),
    row('/v1/positions', (seat, { nowMs }) => allPositions(seat, priceThen, nowMs)),
    row('/v1/account_info', (seat, { nowMs }) => overview(seat, priceThen, nowMs)),
    row('/v1/position/{symbol}', (seat, { params, nowMs }) => {
      const market = marketOf(seat, params['symbol'] ?? '')
      return positionRow(seat, exposureIn(seat, market), priceThen, nowMs).row
    }),
    row('/v1/position_history', positionHistory),
    row('/v1/funding_fee/history', fundingHistory),
    row('/v1/liquidations', liquidationHistory),
  ]
}

/** Every position that is open, or closed and not yet settled; and each market with open orders alone. */
function allPositions(seat: Seat, priceThen: PriceThen, nowMs: number) {
  const figures = figuresOf(seat)
  const shown = seat.account.used.filter((exposure) => !isIdle(exposure))
  const results = shown.map((exposure) => positionRow(seat, exposure, priceThen, nowMs))
  return {
    ...ratiosOf(figures),
    total_pnl_24_h: amountOf(results.reduce((sum, { dayPnl }) => sum + dayPnl, 0)),
    rows: results.map(({ row }) => row),
  }
}

/** GET /v1/account_info: the account-wide figures without the positions. */
function overview(seat: Seat, priceThen: PriceThen, nowMs: number) {
  const { rows, total_pnl_24_h, ...figures } = allPositions(seat, priceThen, nowMs)
  return { ...figures, total_pnl_24h: total_pnl_24_h }
}

/** Positions that ended, the latest first. */
function positionHistory(seat: Seat, { query }: VenueCall) {
  const limit = positive(query, 'limit', HISTORY_DEFAULT_ROWS)
  const rows = seat.records.closed.filter(ofSymbol(seat, query)).reverse().slice(0, limit)
  return {
    rows: rows.map((closed) => closedRow(closed, marketAt(seat, closed), causeOf(seat, closed))),
  }
}

/** The liquidation in which a position ended; null when its owner closed it. */
function causeOf(
  { account: { number }, liquidations }: Seat,
  { market, closedAtMs }: ClosedRow,
): Cause | null {
  const there = liquidations.filter(({ atMs }) => atMs === closedAtMs)
  for (const { id, account, takeovers } of there) {
    const parts = takeovers.filter((part) => part.market === market)
    if (account === number && parts.length > 0) return { type: 'liquidated', id }
    if (parts.some(({ to, by }) => by === 'adl' && to === number)) return { type: 'adl', id }
  }
  return null
}

function fundingHistory(seat: Seat, { query }: VenueCall) {
  const isWithin = periodOf(query)
  const chosen = seat.records.fundings
    .filter(ofSymbol(seat, query))
    .filter(({ atMs }) => isWithin(atMs))
    .reverse()
  const { meta, rows } = pageOf(chosen, query, FUNDING_DEFAULT_ROWS)
  return { meta, rows: rows.map((charge) => fundingRow(charge, marketAt(seat, charge))) }
}

/** The account's own liquidations, the latest first. */
function liquidationHistory(seat: Seat, { query }: VenueCall) {
  const symbol = queryText(query, 'symbol')
  const wanted = queryText(query, 'liquidation_id')
  const isWithin = periodOf(query)
  const { markets } = seat.engine.world.exchange
  const chosen = seat.liquidations
    .filter(({ account }) => account === seat.account.number)
    .filter(({ atMs, id }) => isWithin(atMs) && (wanted === null || wanted === String(id)))
    .filter(
      ({ takeovers }) =>
        symbol === null || takeovers.some(({ market }) => markets[market]?.spec.symbol === symbol),
    )
    .reverse()
  const { meta, rows } = pageOf(chosen, query)
  return { meta, rows: rows.map((row) => ownLiquidation(row, markets)) }
}

function ofSymbol(seat: Seat, query: URLSearchParams) {
  const symbol = queryText(query, 'symbol')
  return (row: { readonly market: number }) =>
    symbol === null || marketAt(seat, row).spec.symbol === symbol
}
