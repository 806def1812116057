import { isGroup } from '../../engine/algo/tree.ts'
import type { AlgoRow } from '../../engine/records/algos.ts'
import type { Market } from '../../engine/state.ts'
import { modeOf, sideOf } from '../../orders/outcomes.ts'
import type { WireNumber } from '../../wire/number.ts'
import { amountOf, priceOf, quantityOf, rateOf } from '../figures.ts'

/** The answer to an algo order: that it was accepted. */
export function algoAcknowledgement(algo: AlgoRow, { spec }: Market) {
  return {
    order_id: algo.id,
    client_order_id: algo.clientOrderId,
    algo_type: algo.algoType,
    quantity: quantityOf(spec, algo.quantity),
  }
}

/** A row of GET /v1/algo/orders, with the rows of its legs. `is_triggered` is text on the wire. */
export function algoShape(algo: AlgoRow, market: Market, root: AlgoRow = algo): object {
  const { spec } = market
  const executed = quantityOf(spec, algo.executed)
  const quantity = quantityOf(spec, algo.quantity)
  return {
    algo_order_id: algo.id,
    client_order_id: algo.clientOrderId,
    root_algo_order_id: root.id,
    parent_algo_order_id: algo.parent,
    parent_algo_type: inTree(root, algo.parent)?.algoType ?? null,
    symbol: spec.symbol,
    algo_type: algo.algoType,
    side: sideOf(algo.side),
    type: algo.type,
    price: priceOrNull(market, algo.price),
    quantity,
    visible_quantity: quantity,
    trigger_price: priceOrNull(market, algo.trigger),
    trigger_price_type: 'MARK_PRICE',
    trigger_time: algo.triggeredAtMs,
    is_triggered: String(isTriggered(algo)),
    is_activated: isActivated(algo),
    activated_price: priceOrNull(market, algo.activation),
    callback_rate: algo.callbackRate === 0 ? null : rateOf(algo.callbackRate),
    callback_value: priceOrNull(market, algo.callbackTicks),
    extreme_price: priceOrNull(market, algo.extreme),
    algo_status: algo.status,
    root_algo_status: root.status,
    root_algo_order_status: root.status,
    reduce_only: algo.reduceOnly,
    order_tag: algo.orderTag,
    margin_mode: modeOf(algo),
    executed_quantity: executed,
    total_executed_quantity: executed,
    average_executed_price: priceOf(
      spec,
      algo.executed === 0 ? 0 : algo.executedValue / algo.executed,
    ),
    total_fee: amountOf(algo.fee),
    fee_asset: 'USDC',
    realized_pnl: amountOf(algo.realizedPnl),
    created_time: algo.createdAtMs,
    updated_time: algo.updatedAtMs,
    child_orders: algo.children.map((child) => algoShape(child, market, root)),
  }
}

/** The order of a tree that has this id. */
function inTree(algo: AlgoRow, id: number): AlgoRow | undefined {
  if (algo.id === id) return algo
  return algo.children.map((child) => inTree(child, id)).find((found) => found !== undefined)
}

/** Whether it, or a leg of it, has met its trigger. */
export function isTriggered({ triggeredAtMs, children }: AlgoRow): boolean {
  return triggeredAtMs !== null || children.some(isTriggered)
}

/** A group is as active as its legs; a bracket always is. */
function isActivated(algo: AlgoRow): boolean {
  if (isGroup(algo)) return algo.children.some(isActivated)
  return algo.algoType === 'BRACKET' || algo.isActivated
}

function priceOrNull({ spec }: Market, price: number): WireNumber | null {
  return price === 0 ? null : priceOf(spec, price)
}
