import { larger } from '../../../core/decimals.ts'
import { isObject, rowsAt } from '../../../core/json.ts'
import { divided } from '../../../perp/amounts.ts'
import {
  accountAtRows,
  crossFigures,
  type MarginAccount,
  toMarginAccount,
  toOpenOrder,
} from '../../../perp/margin-account.ts'
import { parsePositions } from '../../../perp/positions.ts'
import { type Exact, textOf } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'
import { rowsAsRead } from './live-rows.ts'
import { type Position, positionsOf } from './rows.ts'

/** The answers that an account is read from: its positions, its open orders, and its fees. */
export type AccountAnswers = {
  readonly positions: Exact
  readonly orders: Exact
  readonly info: Exact
}

/** An account from its answers, at mark prices by market; null if a position cannot be read. */
export function toAccountAtMarks(
  { positions, orders, info }: AccountAnswers,
  marks: ReadonlyMap<string, bigint>,
): MarginAccount | null {
  const [read, now] = [{ rows: rowsAsRead(positions) }, positions].map(parsePositions)
  if (positions === null || !read || !now) return null
  const account = toMarginAccount(
    [positions, info].filter((answer) => isObject(answer)),
    read,
    rowsAt(orders, 'rows').map(toOpenOrder),
  )
  return accountAtRows(
    account,
    now.map((row) => ({ ...row, mark: marks.get(row.symbol) || row.mark })),
  )
}

/** The figures of an account as the page shows them. */
export type Summary = Readonly<ReturnType<typeof summaryOf>>

/** The figures of an account whose positions were read and are now at these rows. */
export function summaryOf(account: MarginAccount, read: Exact, now: readonly Position[]) {
  const { collateral, free, positions } = account
  const before = positionsOf({ rows: rowsAsRead(read) })
  return {
    collateral,
    free: larger(0n, free),
    /** Maintenance margin over collateral: the account is liquidated at one. */
    marginUsed: divided(crossFigures(positions).maintenance, collateral),
    dayPnl: near(textOf(read, 'total_pnl_24_h')) + unsettledOf(now) - unsettledOf(before),
  }
}

function unsettledOf(rows: readonly Position[]): bigint {
  return rows.reduce((sum, { unsettled }) => sum + unsettled, 0n)
}
