import { larger, ONE } from '../core/decimals.ts'
import { isObject, type Row, rowsAt } from '../core/json.ts'
import { hasEnded } from '../core/order-fills.ts'
import { toAmount } from './amounts.ts'
import type { OpeningOrder } from './order-worst-case.ts'
import { type MarginMode, parseSide, toMarginMode } from './positions.ts'

/** A waiting conditional order that may open a position. */
export type WaitingOrder = OpeningOrder & {
  readonly symbol: string
  readonly mode: MarginMode
  readonly orderId: number
}

/**
 * The waiting conditional orders that may open a position, from an answer to `GET /v1/algo/orders` for all markets.
 * Null if the answer is incomplete or an order is unreadable. Triggered orders are left out, because they are open
 * orders.
 */
export function parseWaiting(answer: unknown): readonly WaitingOrder[] | null {
  if (!isObject(answer) || !isWholeAnswer(answer)) return null
  const orders = rowsAt(answer, 'rows').flatMap((row) => waitingParts(row, null))
  return orders.every((order) => order !== null) ? orders : null
}

/** Whether a paginated answer is the first page and has all rows. Its numbers may be strings. */
export function isWholeAnswer({ rows, meta }: Row): boolean {
  if (!Array.isArray(rows) || !rows.every(isObject) || !isObject(meta)) return false
  const [total, page] = [meta['total'], meta['current_page'] ?? 1].map(toAmount)
  return total != null && total <= BigInt(rows.length) * ONE && page === ONE
}

function waitingParts(row: Row, parent: Row | null): readonly (WaitingOrder | null)[] {
  const legs = rowsAt(row, 'child_orders').flatMap((leg) => waitingParts(leg, row))
  return isWaiting(row) ? [waitingOrder(row, parent), ...legs] : legs
}

/** Types of conditional orders that consist only of closing legs. */
export const LEG_GROUPS: ReadonlySet<unknown> = new Set(['TP_SL', 'POSITIONAL_TP_SL'])

/** A bracket's main order goes to the book at once; only its legs wait. */
const BRACKET = 'BRACKET'

/**
 * The ids of conditional orders and groups that can only reduce, even after an edit. `answer` is an answer to `GET
 * /v1/algo/orders` or `GET /v1/algo/order/{id}`.
 */
export function parseReducing(answer: unknown): readonly string[] {
  if (!isObject(answer)) return []
  const rows = 'algo_order_id' in answer ? [answer] : rowsAt(answer, 'rows')
  return rows.flatMap(reducingParts)
}

function reducingParts(row: Row): readonly string[] {
  const legs = rowsAt(row, 'child_orders')
  const reducing = legs.flatMap(reducingParts)
  const isReducing = reduces(row) && legs.every((leg) => reducing.includes(algoId(leg)))
  return isReducing ? [algoId(row), ...reducing] : reducing
}

function algoId(row: Row): string {
  return String(row['algo_order_id'])
}

function reduces(row: Row): boolean {
  if (LEG_GROUPS.has(row['algo_type'])) return true
  if (row['algo_type'] === BRACKET) return false
  return row['reduce_only'] === true || row['type'] === 'CLOSE_POSITION'
}

function isWaiting(row: Row): boolean {
  return (
    row['algo_type'] !== BRACKET &&
    !reduces(row) &&
    !hasEnded(row['algo_status']) &&
    String(row['is_triggered']) !== 'true'
  )
}

function waitingOrder(row: Row, parent: Row | null): WaitingOrder | null {
  const quantity = toAmount(row['quantity']) || toAmount(parent?.['quantity'])
  const symbol = row['symbol'] ?? parent?.['symbol']
  const orderId = Number(row['algo_order_id'])
  if (!quantity || typeof symbol !== 'string' || !(orderId > 0)) return null
  const side = parseSide(row['side'])
  const price = toAmount(row['price'])
  const named = [price, toAmount(row['trigger_price']), toAmount(row['activated_price'])]
  return {
    symbol,
    side,
    mode: toMarginMode(row['margin_mode']),
    orderId,
    clientOrderId: null,
    buysUpTo: side === 'BUY' && row['type'] === 'LIMIT' ? price || null : null,
    highest: named.map((figure) => figure ?? 0n).reduce(larger),
    quantity: quantity - (toAmount(row['total_executed_quantity']) ?? 0n),
    amount: null,
    // A trailing stop's worst case follows the mark price, and is computed again with every answer.
    isBoundless: false,
    isWaiting: true,
  }
}
