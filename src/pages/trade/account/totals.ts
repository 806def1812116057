import { larger } from '../../../core/decimals.ts'
import { isObject, rowsAt } from '../../../core/json.ts'
import { quotient } from '../../../perp/amounts.ts'
import {
  accountAtRows,
  crossFigures,
  type MarginAccount,
  toMarginAccount,
  type UnreadablePart,
  unreadablePart,
} from '../../../perp/margin-account.ts'
import { type DayTotals, dayPnl, positionsDay } from '../../../perp/pnl.ts'
import { type Exact, memberText } from '../../common/exact-json.ts'
import { rowsAsRead } from './live-rows.ts'
import { type AccountPosition, accountPositions } from './rows.ts'

/** The answers from which an account is computed: positions, open orders, and account info with fees. */
export type AccountAnswers = {
  readonly positions: Exact
  readonly orders: Exact
  readonly info: Exact
}

/** An account from its answers, at mark prices by market; null while a part of it is unknown. */
export function toAccountAtMarks(
  { positions, orders, info }: AccountAnswers,
  marks: ReadonlyMap<string, bigint>,
): MarginAccount | null {
  if (positions === null) return null
  const answers = [positions, info].filter((answer) => isObject(answer))
  const rows = rowsAt({ rows: rowsAsRead(positions) }, 'rows')
  const account = toMarginAccount(answers, rows, rowsAt(orders, 'rows'))
  return account && accountAtRows(account, rowsAt(positions, 'rows'), marks)
}

/** The part by which the margin of an account with all answers is unknown. */
export function unreadableAnswer({ positions, orders }: AccountAnswers): UnreadablePart {
  // Live rows may replace a row of the read that is unreadable.
  const rows = [...rowsAt(positions, 'rows'), ...rowsAt(positions, 'rows_as_read')]
  return unreadablePart(rows, rowsAt(orders, 'rows'))
}

/** The figures of an account, in the form for display. */
export type AccountSummary = Readonly<ReturnType<typeof accountSummary>>

/** The figures of an account at its current rows. */
export function accountSummary({ collateral, free, positions }: MarginAccount) {
  return {
    collateral,
    free: larger(0n, free),
    /** Maintenance margin ÷ collateral; at 1 the account is liquidated. */
    marginUsed: quotient(crossFigures(positions).maintenance, collateral),
  }
}

/**
 * The change of an account's value in 24 hours, by cause. A positive figure is a gain; null is unknown. The net figure
 * also includes the change of unsettled PnL since the read.
 */
export function dayPnlAtMarks(read: Exact, totals: DayTotals, now: readonly AccountPosition[]) {
  // The venue computed its PnL of the day for the rows of the read.
  const rows = rowsAsRead(read)
  const total = { total_pnl_24_h: memberText(read, 'total_pnl_24_h'), rows }
  const day = dayPnl(positionsDay(total), totals)
  const won = unsettledTotal(now) - unsettledTotal(accountPositions({ rows }))
  return { ...day, net: day.net === null ? null : day.net + won }
}

function unsettledTotal(rows: readonly AccountPosition[]): bigint {
  return rows.reduce((sum, { unsettled }) => sum + unsettled, 0n)
}
