import { hasEnded } from '../../../core/order-fills.ts'
import {
  type Exact,
  isRecord,
  memberRows,
  memberText,
  memberValue,
} from '../../common/exact-json.ts'
import { displayDecimal } from '../../common/format.ts'
import { OPEN_STATUSES } from './rows.ts'

/**
 * The fields of a position that do not depend on the mark price. While these fields are unchanged, data that depends on
 * the position is not read again.
 */
const OWN_FIELDS = [
  'position_qty',
  'average_open_price',
  'pending_long_qty',
  'pending_short_qty',
  'leverage',
  'margin',
] as const

/**
 * Merges live position rows into an answer of `GET /v1/positions`. `isAll` is true if positions and orders are
 * unchanged, so that no read is needed.
 */
export function withPositions(read: Exact, topic: string, rows: readonly Exact[]) {
  if (topic !== 'positions') return { data: read, isAll: false }
  const before = new Map(memberRows(read, 'rows').map((row) => [modeKey(row), row]))
  const isAll = rows.every((row) => isUnchanged(before.get(modeKey(row)), row))
  for (const row of rows) {
    const known = before.get(modeKey(row))
    if (isRecord(known) && isRecord(row)) before.set(modeKey(row), { ...known, ...row })
  }
  const data = withRows(read, [...before.values()])
  return { data: { ...data, rows_as_read: rowsAsRead(read) }, isAll }
}

/** The rows of the last answer to `GET /v1/positions`, without live changes. */
export function rowsAsRead(read: Exact): readonly Exact[] {
  return memberRows(read, memberValue(read, 'rows_as_read') ? 'rows_as_read' : 'rows')
}

/** The key of a row: a market may have a cross and an isolated row. */
function modeKey(row: Exact): string {
  return `${memberText(row, 'symbol')} ${memberText(row, 'margin_mode') || 'CROSS'}`
}

function isUnchanged(before: Exact | undefined, row: Exact): boolean {
  return OWN_FIELDS.every((name) => {
    const now = memberText(row, name)
    // A missing position counts as zero. A field that the message omits is unchanged.
    return now === '' || displayDecimal(now) === displayDecimal(memberText(before, name))
  })
}

/** Merges live order rows into a list of open orders, whose total number is then unknown. `isAll` is true unless a row has an unknown status. */
export function withOrders(read: Exact, _topic: string, rows: readonly Exact[]) {
  const orders = new Map(memberRows(read, 'rows').map((row) => [memberText(row, 'order_id'), row]))
  for (const row of rows) {
    const [id, status] = [memberText(row, 'order_id'), memberText(row, 'status')]
    if (hasEnded(status)) orders.delete(id)
    else if (OPEN_STATUSES.has(status)) orders.set(id, joinedOrder(orders.get(id), row))
  }
  const statuses = rows.map((row) => memberText(row, 'status'))
  const isAll = statuses.every((status) => hasEnded(status) || OPEN_STATUSES.has(status))
  return { data: { rows: sortedByTime(orders) }, isAll }
}

/** An order in the form of a read, from the known row and a newer live row. */
function joinedOrder(known: Exact | undefined, row: Exact): Exact {
  return {
    created_time: memberText(row, 'updated_time'),
    ...(isRecord(known) && known),
    ...(isRecord(row) && row),
    total_executed_quantity:
      memberText(row, 'total_executed_quantity') || memberText(row, 'executed_quantity'),
  }
}

/** The orders newest first, as in a read. */
function sortedByTime(orders: ReadonlyMap<string, Exact>): readonly Exact[] {
  const createdAt = (row: Exact) => Number(memberText(row, 'created_time'))
  return [...orders.values()].sort((one, other) => createdAt(other) - createdAt(one))
}

/** The answer with its rows replaced. */
export function withRows(read: Exact, rows: readonly Exact[]) {
  return { ...(isRecord(read) && read), rows }
}
