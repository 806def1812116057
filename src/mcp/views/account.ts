import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { toAmount } from '../../perp/amounts.ts'
import { accountRead } from '../account-call.ts'
import { refusal } from '../refusal.ts'
import { figure } from '../rows.ts'
import type { SignedContext } from '../tool.ts'

/** The account's figures and open positions. */
export type AccountView = Awaited<ReturnType<typeof accountView>>

/** Reads the account. A live venue answers the summary with the positions, not in the account's own answer. */
export async function accountView(context: SignedContext) {
  const [info, positions] = await Promise.all([
    accountRead(context, '/v1/client/info'),
    accountRead(context, '/v1/positions'),
  ])
  const rows = rowsAt(positions, 'rows')
  const sources = [info, positions].filter(isObject)
  const shown = (field: string) => figureIn(sources, field)
  return {
    summary: {
      account_value: shown('account_value'),
      total_collateral_value: shown('total_collateral_value'),
      free_collateral: shown('free_collateral'),
      total_unsettled_pnl: shown('total_unsettled_pnl') ?? unsettledOf(rows),
      margin_ratio: shown('margin_ratio'),
      maintenance_margin_ratio: shown('maintenance_margin_ratio'),
    },
    positions: rows.filter(isOpen),
    /** The venue's rows of all markets in use, those with open orders alone among them. */
    rows,
    info: isObject(info) ? info : {},
  }
}

/** The open positions alone. */
export async function openPositions(context: SignedContext): Promise<readonly Row[]> {
  return rowsAt(await accountRead(context, '/v1/positions'), 'rows').filter(isOpen)
}

/** The signed size of a position; zero when there is none. */
export function heldIn(positions: readonly Row[], symbol: string): bigint {
  return toAmount(positions.find((row) => row['symbol'] === symbol)?.['position_qty']) ?? 0n
}

/** The signed size of an open position. Throws not_found, naming the positions there are. */
export async function heldQuantity(context: SignedContext, symbol: string): Promise<bigint> {
  const open = await openPositions(context)
  const held = heldIn(open, symbol)
  if (held !== 0n) return held
  const positions = open.map((row) => String(row['symbol']))
  throw refusal('not_found', {
    parameter: 'symbol',
    reason: 'no_position',
    open_positions: positions,
    next:
      positions.length === 0
        ? 'There is no open position: nothing to do.'
        : 'Open positions are in these markets.',
  })
}

/** How far a position's mark is from its liquidation price, in percent of the mark; null when no price liquidates it. */
export function liquidationDistance(row: Row): number | null {
  return distanceOf(figure(row, 'est_liq_price'), figure(row, 'mark_price'))
}

/** How far a mark is from a liquidation price, in percent of the mark; null where one of them is not above zero. */
export function distanceOf(liquidation: number, mark: number): number | null {
  if (liquidation <= 0 || mark <= 0) return null
  return Number(((Math.abs(mark - liquidation) / mark) * 100).toFixed(2))
}

/** Orders positions by their distance from liquidation, the nearest first; a position that no price liquidates is the farthest. */
export function byDistance(a: Row, b: Row): number {
  const of = (row: Row) => Number(row['liq_distance_pct'] ?? Number.MAX_VALUE)
  return of(a) - of(b)
}

// A closed position that is not settled yet keeps its row.
function isOpen(row: Row): boolean {
  return figure(row, 'position_qty') !== 0
}

function figureIn(sources: readonly Row[], field: string): number | null {
  const source = sources.find((row) => typeof row[field] === 'number')
  return source ? figure(source, field) : null
}

function unsettledOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + figure(row, 'unsettled_pnl'), 0)
}
