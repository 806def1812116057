import { AMOUNT_MAX } from '../../base/units.ts'
import { marketAccountIn, marketAt, type TradingContext } from '../../exchange/trading-context.ts'
import type { ClosedRow, FundingRow } from '../../history/account-rows.ts'
import { decimalField, requiredChoice, requiredText } from '../../messages/body.ts'
import { EXCHANGE_LIMITS } from '../../messages/limits.ts'
import {
  matchesQuery,
  periodFilter,
  positive,
  queryText,
  selectedPage,
} from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import { wireUsdc } from '../../messages/values.ts'
import { isolatedQuery, UNITS_IN_MICRO } from '../../orders/parse/order.ts'
import { marketBySymbol } from '../../state/exchange.ts'
import { accepted } from '../../state/rejections.ts'
import type { MarketAccount } from '../../state/state.ts'
import type { SignedCall, SignedTable } from '../signed/call.ts'
import { marginFigures } from './margin-figures.ts'
import {
  accountRatios,
  type Cause,
  closedPositionShape,
  fundingShape,
  ownLiquidation,
  positionRow,
} from './shapes.ts'

const HISTORY_DEFAULT_ROWS = 25
const FUNDING_DEFAULT_ROWS = 60

/** Endpoints for positions, their history and liquidations. */
export const POSITION_ROUTES: SignedTable = {
  trading: { 'POST /v1/position_margin': movePositionMargin },
  read: {
    'GET /v1/positions': allPositions,
    // The figures of the whole account, without its positions.
    'GET /v1/account_info': (call) => {
      const { rows, total_pnl_24_h, ...figures } = allPositions(call)
      return { ...figures, total_pnl_24h: total_pnl_24_h }
    },
    // The position in one margin mode: cross unless the query asks for isolated.
    'GET /v1/position/{symbol}': ({ context, params, query, priceThen, nowMs }) => {
      const market = marketBySymbol(context.engine.world.exchange, params['symbol'] ?? '')
      const own = marketAccountIn(context, market, isolatedQuery(query))
      return positionRow(context, own, priceThen, nowMs).row
    },
    'GET /v1/position_history': positionHistory,
    'GET /v1/funding_fee/history': fundingHistory,
    'GET /v1/liquidations': liquidationHistory,
  },
}

/** One row per market and margin mode that has an open or unsettled position, or only open orders. */
function allPositions({ context, priceThen, nowMs }: SignedCall) {
  const figures = marginFigures(context)
  const results = context.account.used.map((marketAccount) => ({
    marketAccount,
    ...positionRow(context, marketAccount, priceThen, nowMs),
  }))
  return {
    ...accountRatios(figures),
    // The day's total includes positions that have been closed and settled.
    total_pnl_24_h: wireUsdc(results.reduce((sum, { dayPnl }) => sum + dayPnl, 0)),
    rows: results.flatMap(({ marketAccount, row }) => (isShown(marketAccount) ? row : [])),
  }
}

function isShown({ quantity, cost, orders }: MarketAccount): boolean {
  return quantity !== 0 || cost !== 0 || orders > 0
}

/** Positions that have ended, latest first. */
function positionHistory({ context, query }: SignedCall) {
  const limit = positive(query, 'limit', HISTORY_DEFAULT_ROWS)
  const chosen = context.lists.closed().select({ isWanted: ofSymbol(context, query) })
  return {
    rows: chosen
      .rows(0, Math.min(limit, EXCHANGE_LIMITS.pageMaxRows))
      .map((closed) =>
        closedPositionShape(closed, marketAt(context, closed), closingCause(context, closed)),
      ),
  }
}

/** The liquidation that ended a position; null if its owner closed it. */
function closingCause(
  { account: { number }, lists }: TradingContext,
  { market, isolated, closedAtMs }: ClosedRow,
): Cause | null {
  const there = lists.liquidations().select({
    isWithin: (atMs) => atMs === closedAtMs,
    order: { by: 'atMs', isAscending: true },
  })
  for (const { id, account, isolated: wasIsolated, takeovers } of there.rows(0, there.total)) {
    const parts = takeovers.filter((part) => part.market === market)
    if (account === number && wasIsolated === isolated && parts.length > 0)
      return { type: 'liquidated', id }
    const isHit = (part: (typeof parts)[number]) =>
      part.by === 'adl' && part.to === number && part.isolated === isolated
    if (parts.some(isHit)) return { type: 'adl', id }
  }
  return null
}

function fundingHistory({ context, query }: SignedCall) {
  const chosen = context.lists
    .fundings()
    .select({ isWithin: periodFilter(query), isWanted: ofSymbol(context, query) })
  const shape = (charge: FundingRow) => fundingShape(charge, marketAt(context, charge))
  return selectedPage(chosen, query, shape, FUNDING_DEFAULT_ROWS)
}

/** The account's own liquidations, latest first. */
function liquidationHistory({ context, query }: SignedCall) {
  const symbol = queryText(query, 'symbol')
  const { markets } = context.engine.world.exchange
  const id = queryText(query, 'liquidation_id')
  const chosen = context.lists.liquidations().select({
    isWithin: periodFilter(query),
    id: id === null ? null : Number(id),
    isWanted: (facet) =>
      facet.account === context.account.number &&
      (symbol === null || facet.markets.some((market) => markets[market]?.spec.symbol === symbol)),
  })
  return selectedPage(chosen, query, (row) => ownLiquidation(row, markets))
}

/** Tests whether a row belongs to the queried market; always true without a queried market. */
function ofSymbol(context: TradingContext, query: URLSearchParams) {
  return (row: { readonly market: number }) =>
    matchesQuery(query, { symbol: marketAt(context, row).spec.symbol })
}

/**
 * POST /v1/position_margin: moves balance into an isolated position (ADD) or out of it (REDUCE). Throws
 * - -1005 if the amount is malformed,
 * - -1006 if the account has no such position,
 * - -1101 if the account has less than the amount, or if the position needs the margin.
 */
function movePositionMargin({ context, fields, nowMs }: SignedCall): undefined {
  const { number: market } = marketBySymbol(
    context.engine.world.exchange,
    requiredText(fields, 'symbol'),
  )
  const type = requiredChoice(fields, 'type', ['ADD', 'REDUCE'])
  const units = decimalField(fields, 'amount')
  if (units === undefined) throw refusal('parameter', 'amount is required')
  if (units <= 0n || units % UNITS_IN_MICRO !== 0n)
    throw refusal('parameter', 'amount must be positive, with at most six decimals')
  const micros = Math.min(Number(units / UNITS_IN_MICRO), AMOUNT_MAX)
  const amount = type === 'ADD' ? micros : -micros
  const change = { account: context.account.number, market, amount }
  accepted(context.engine.submit('margin', change, nowMs))
}
