import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { amountNumber, sumOrNull, toAmount } from '../../perp/amounts.ts'
import { type MarginMode, type Position, parsePositions } from '../../perp/positions.ts'
import { accountRead } from '../account-call.ts'
import { toolRefusal } from '../refusal.ts'
import { figure } from '../rows.ts'
import type { SignedContext } from '../tool.ts'

/** Reads the account. A live venue has the summary in the positions answer instead of the account answer. */
export async function accountView(context: SignedContext) {
  const [info, answer] = await Promise.all([
    accountRead(context, '/v1/client/info'),
    accountRead(context, '/v1/positions'),
  ])
  const answers = [info, answer].filter(isObject)
  const rows = rowsAt(answer, 'rows')
  const shown = (field: string) => figureIn(answers, field)
  // The venue's ratios are meaningless without positions.
  const ratio = (field: string) => (rows.some(isOpen) ? shown(field) : null)
  return {
    summary: {
      account_value: shown('account_value'),
      total_collateral_value: shown('total_collateral_value'),
      free_collateral: shown('free_collateral'),
      total_unsettled_pnl: shown('total_unsettled_pnl') ?? unsettledTotal(rows),
      margin_ratio: ratio('margin_ratio'),
      maintenance_margin_ratio: ratio('maintenance_margin_ratio'),
    },
    /** The raw answers with the figures. */
    answers,
    info: isObject(info) ? info : {},
    /** The venue's positions answer. */
    positionsAnswer: isObject(answer) ? answer : {},
    /** The venue's rows with an open position. */
    positionRows: rows.filter(isOpen),
    /** All parsed rows, including markets with only open orders. */
    positions: requirePositions(answer),
  }
}

/** The rows of open positions in an answer to `GET /v1/positions`; a market may have one row per margin mode. */
export function openPositionRows(answer: unknown): readonly Row[] {
  return rowsAt(answer, 'rows').filter(isOpen)
}

/** Reads the open positions in all markets and both margin modes. */
export async function openPositions(context: SignedContext): Promise<readonly Position[]> {
  const positions = requirePositions(await accountRead(context, '/v1/positions'))
  return positions.filter(({ quantity }) => quantity !== 0n)
}

function requirePositions(answer: unknown): readonly Position[] {
  const positions = parsePositions(answer)
  if (positions) return positions
  throw toolRefusal('upstream_unavailable', { next: UNREADABLE })
}

const UNREADABLE =
  'The venue answered positions without their sizes or mark prices. Call again; if it goes on, tell the user.'

/** Reads the open positions in a market, in one or both margin modes. Throws not_found, naming markets with positions. */
export async function openPositionsIn(
  context: SignedContext,
  symbol: string,
  mode?: MarginMode,
): Promise<readonly [Position, ...Position[]]> {
  const open = await openPositions(context)
  const [first, ...others] = open.filter(
    (row) => row.symbol === symbol && (mode === undefined || row.mode === mode),
  )
  if (first) return [first, ...others]
  const positions = [...new Set(open.map((row) => row.symbol))]
  throw toolRefusal('not_found', {
    parameter: 'symbol',
    reason: 'no_position',
    open_positions: positions,
    next:
      positions.length === 0
        ? 'There is no open position to close.'
        : 'Open positions are in these markets.',
  })
}

/** The distance from a position's mark to its liquidation price, in percent of the mark; null if no price liquidates it. */
export function liquidationDistance(row: Row): number | null {
  return distancePercent(figure(row, 'est_liq_price'), figure(row, 'mark_price'))
}

/**
 * The distance from a mark price to a liquidation price, in percent of the mark price; null if a price is not positive.
 */
export function distancePercent(liquidation: number, mark: number): number | null {
  if (liquidation <= 0 || mark <= 0) return null
  return Number(((Math.abs(mark - liquidation) / mark) * 100).toFixed(2))
}

/** Comparator that sorts positions nearest to liquidation first. Positions without a liquidation price come last. */
export function byDistance(a: Row, b: Row): number {
  const of = (row: Row) => Number(row['liq_distance_pct'] ?? Number.MAX_VALUE)
  return of(a) - of(b)
}

// The venue keeps the row of a closed position until it is settled.
function isOpen(row: Row): boolean {
  return figure(row, 'position_qty') !== 0
}

function figureIn(answers: readonly Row[], field: string): number | null {
  const answer = answers.find((row) => typeof row[field] === 'number')
  return answer ? figure(answer, field) : null
}

/** The unsettled PnL of all rows; null if it is unknown for one row. */
function unsettledTotal(rows: readonly Row[]): number | null {
  const total = sumOrNull(rows, (row) => toAmount(row['unsettled_pnl']))
  return total === null ? null : amountNumber(total)
}
