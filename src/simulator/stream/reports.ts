import { type Row, rowsAt, toFloat } from '../../core/json.ts'
import { orderShape, tradeShape } from '../rest/orders/shapes.ts'
import type { EngineMarket } from '../state/state.ts'
import type { OrderEvent } from './events.ts'
import { camelCased } from './rows.ts'

/** An execution report: an order, with its execution if there is one. */
export function executionReport({ order, trade }: OrderEvent, market: EngineMarket): Row {
  const shown = orderShape(order, market, undefined)
  const fill = trade && tradeShape(trade, market)
  return {
    symbol: shown.symbol,
    clientOrderId: shown.client_order_id,
    orderId: shown.order_id,
    type: shown.type,
    side: shown.side,
    quantity: shown.quantity,
    price: shown.price,
    tradeId: fill?.id ?? 0,
    executedPrice: fill?.executed_price ?? 0,
    executedQuantity: fill?.executed_quantity ?? 0,
    fee: fill?.fee ?? 0,
    feeAsset: 'USDC',
    totalExecutedQuantity: shown.total_executed_quantity,
    avgExecutedPrice: shown.average_executed_price,
    status: shown.status,
    reason: '',
    totalFee: shown.total_fee,
    visibleQuantity: shown.visible_quantity,
    timestamp: fill?.executed_timestamp ?? shown.updated_time,
    reduceOnly: shown.reduce_only,
    orderTag: shown.order_tag,
    marginMode: shown.margin_mode,
    maker: fill?.is_maker === 1,
    matchId: fill?.match_id,
    match_id: fill?.match_id,
    seq: fill?.id ?? shown.order_id,
  }
}

/** Reads a private path of the account. */
export type Read = (path: string) => unknown

const ALGOS = ['/v1/algo/orders?status=INCOMPLETE&size=500', '/v1/algo/orders?size=50'] as const

/** One private message. */
export type AccountMessage = { readonly topic: string; readonly data: unknown }

/**
 * Watches an account's algo orders. Each call returns the changes since the previous call: single parts for one topic,
 * whole orders for a second topic. The first call returns an empty list.
 */
export function watchAlgos(read: Read): () => readonly AccountMessage[] {
  let before: ReadonlyMap<unknown, Row> | null = null

  return () => {
    const roots = new Map(ALGOS.flatMap((path) => rowsAt(read(path), 'rows')).map(byId))
    const parts = new Map([...roots.values()].flatMap(rowTree).map(byId))
    const known = before
    before = parts
    if (known === null) return []
    const executionReport = (row: Row): Row => report(row, known.get(row['algo_order_id']), read)
    const treeReport = (row: Row): Row => ({
      ...executionReport(row),
      childOrders: rowsAt(row, 'child_orders').map(treeReport),
    })
    const isReported = (row: Row) => isChanged(row, known.get(row['algo_order_id']))
    return [...roots.values()]
      .filter((root) => rowTree(root).some(isReported))
      .flatMap((root) => [
        {
          topic: 'algoexecutionreport',
          data: rowTree(root).filter(isReported).map(executionReport),
        },
        { topic: 'algoexecutionreportv2', data: treeReport(root) },
      ])
  }
}

function byId(row: Row): readonly [unknown, Row] {
  return [row['algo_order_id'], row]
}

function rowTree(row: Row): readonly Row[] {
  return [row, ...rowsAt(row, 'child_orders').flatMap(rowTree)]
}

/** Whether a row needs a new report. If only a trailing trigger has moved, no report is needed. */
function isChanged(row: Row, before: Row | undefined): boolean {
  return before === undefined || stateKey(row) !== stateKey(before)
}

function stateKey(row: Row): string {
  const { algo_status, root_algo_status, is_triggered, is_activated } = row
  const { quantity, price, executed_quantity, parent_algo_order_id, algo_type } = row
  const trigger = algo_type === 'TRAILING_STOP' ? null : row['trigger_price']
  const state = [algo_status, root_algo_status, is_triggered, is_activated, trigger]
  return JSON.stringify([...state, quantity, price, executed_quantity, parent_algo_order_id])
}

function report(row: Row, before: Row | undefined, read: Read): Row {
  const { child_orders, is_triggered, root_algo_order_status, ...fields } = row
  const { executed_quantity, trigger_time, updated_time, ...others } = fields
  const isTriggered = is_triggered === 'true'
  return {
    ...(camelCased(others) as Row),
    status: row['algo_status'],
    triggered: isTriggered,
    isTriggered,
    triggerStatus: triggerStatus(row, isTriggered),
    triggerTime: trigger_time,
    timestamp: updated_time,
    activated: row['is_activated'],
    ...latestExecution(row, before, read),
  }
}

/** The text for a trigger's status. */
function triggerStatus({ algo_status }: Row, isTriggered: boolean): string {
  if (!isTriggered) return 'USELESS'
  return algo_status === 'REJECTED' ? 'FAIL' : 'SUCCESS'
}

/** The latest execution since the last call. */
function latestExecution(row: Row, before: Row | undefined, read: Read): Row {
  const executed = toFloat(row['executed_quantity']) ?? 0
  const isNew = executed > (toFloat(before?.['executed_quantity']) ?? 0)
  const [trade] = isNew ? rowsAt(read(`/v1/algo/order/${row['algo_order_id']}/trades`), 'rows') : []
  return {
    tradeId: trade?.['id'] ?? 0,
    executedPrice: trade?.['executed_price'] ?? 0,
    executedQuantity: trade?.['executed_quantity'] ?? 0,
    fee: trade?.['fee'] ?? 0,
    isMaker: toFloat(trade?.['is_maker']) === 1,
    maker: toFloat(trade?.['is_maker']) === 1,
  }
}
