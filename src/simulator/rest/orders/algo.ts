import { marketAt, type TradingContext } from '../../exchange/trading-context.ts'
import { type AlgoRow, isTriggered, totalRow } from '../../history/algos.ts'
import { positive, queryText, requiredQuery, selectedPage } from '../../messages/page.ts'
import { refusal } from '../../messages/refusals.ts'
import {
  marginModeText,
  sideOf,
  type WireNumber,
  wirePrice,
  wireQuantity,
  wireRate,
  wireUsdc,
} from '../../messages/values.ts'
import { partsIn } from '../../orders/conditional/place.ts'
import { isAlive, isGroup } from '../../orders/conditional/tree.ts'
import { parseAlgoEdit } from '../../orders/parse/algo-edit.ts'
import { parseAlgo } from '../../orders/parse/algo-order.ts'
import { accepted } from '../../state/rejections.ts'
import type { AlgoOrder, EngineMarket } from '../../state/state.ts'
import type { SignedCall, SignedTable } from '../signed/call.ts'
import { chosenAlgos, isOfType, withClientId, withId } from './algo-choice.ts'
import { tradeShape } from './shapes.ts'

/** Endpoints for algo orders. */
export const ALGO_ORDERS: SignedTable = {
  trading: {
    'POST /v1/algo/order': ({ context, fields, nowMs }) => {
      const { engine, account } = context
      const request = parseAlgo(fields, engine.world.exchange)
      const placed = accepted(engine.submit('algo', { ...request, account: account.number }, nowMs))
      return algoAcknowledgement(totalRow(placed), placed.marketAccount.market)
    },
    'PUT /v1/algo/order': ({ context, fields, nowMs }) => {
      const edit = { account: context.account.number, ...parseAlgoEdit(fields, context.account) }
      accepted(context.engine.submit('editAlgo', edit, nowMs))
      return { status: 'EDIT_SENT' }
    },
    'DELETE /v1/algo/order': (call) => {
      requiredQuery(call.query, 'order_id')
      const id = positive(call.query, 'order_id', 0)
      return cancelOne(call, (algo) => algo.id === id)
    },
    'DELETE /v1/algo/client/order': (call) => {
      const id = requiredQuery(call.query, 'client_order_id')
      return cancelOne(call, ({ clientOrderId }) => clientOrderId === id)
    },
    'DELETE /v1/algo/orders': ({ context, query, nowMs }) => {
      const symbol = queryText(query, 'symbol')
      const isType = isOfType(queryText(query, 'algo_type'))
      for (const part of partsIn(context.account)) {
        const isChosen = symbol === null || part.marketAccount.market.spec.symbol === symbol
        if (isChosen && isType(part) && isAlive(part)) cancel(context, part, nowMs)
      }
      return { status: 'CANCEL_ALL_SENT' }
    },
  },
  read: {
    'GET /v1/algo/order/{order_id}': ({ context, params }) => {
      const { algo, root } = withId(context, Number(params['order_id']))
      return algoShape(algo, marketAt(context, algo), root)
    },
    'GET /v1/algo/order/{order_id}/trades': ({ context, params }) => {
      const { orders } = withId(context, Number(params['order_id'])).algo
      const trades = context.lists.trades().withReference(...orders)
      return { rows: trades.map((trade) => tradeShape(trade, marketAt(context, trade))) }
    },
    'GET /v1/algo/client/order/{client_order_id}': ({ context, params }) => {
      const { algo, root } = withClientId(context, params['client_order_id'] ?? '')
      return algoShape(algo, marketAt(context, algo), root)
    },
    'GET /v1/algo/orders': ({ context, query }) =>
      selectedPage(chosenAlgos(context, query), query, (algo) =>
        algoShape(algo, marketAt(context, algo)),
      ),
  },
}

/** Cancels an open algo order or one leg of it. Throws -1006 if no open algo order matches. */
function cancelOne({ context, query, nowMs }: SignedCall, isChosen: (algo: AlgoOrder) => boolean) {
  const symbol = requiredQuery(query, 'symbol')
  const algo = partsIn(context.account).find(isChosen)
  if (algo?.marketAccount.market.spec.symbol !== symbol || !isAlive(algo)) throw refusal('notFound')
  cancel(context, algo, nowMs)
  return { status: 'CANCEL_SENT' }
}

function cancel({ engine, account }: TradingContext, { id }: AlgoOrder, nowMs: number): void {
  engine.submit('cancelAlgo', { account: account.number, algo: id }, nowMs)
}

/** The answer to an accepted algo order. */
function algoAcknowledgement(algo: AlgoRow, { spec }: EngineMarket) {
  return {
    order_id: algo.id,
    client_order_id: algo.clientOrderId,
    algo_type: algo.algoType,
    quantity: wireQuantity(spec, algo.quantity),
  }
}

/** A row of GET /v1/algo/orders with the rows of its legs. `is_triggered` is a text on the wire. */
function algoShape(algo: AlgoRow, market: EngineMarket, root: AlgoRow = algo): object {
  const { spec } = market
  const executed = wireQuantity(spec, algo.executed)
  const quantity = wireQuantity(spec, algo.quantity)
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
    callback_rate: algo.callbackRate === 0 ? null : wireRate(algo.callbackRate),
    callback_value: priceOrNull(market, algo.callbackTicks),
    extreme_price: priceOrNull(market, algo.extreme),
    algo_status: algo.status,
    root_algo_status: root.status,
    root_algo_order_status: root.status,
    reduce_only: algo.reduceOnly,
    order_tag: algo.orderTag,
    margin_mode: marginModeText(algo),
    executed_quantity: executed,
    total_executed_quantity: executed,
    average_executed_price: wirePrice(
      spec,
      algo.executed === 0 ? 0 : algo.executedValue / algo.executed,
    ),
    total_fee: wireUsdc(algo.fee),
    fee_asset: 'USDC',
    realized_pnl: wireUsdc(algo.realizedPnl),
    created_time: algo.createdAtMs,
    updated_time: algo.updatedAtMs,
    child_orders: algo.children.map((child) => algoShape(child, market, root)),
  }
}

/** The part with this id in an algo order's tree. */
function inTree(algo: AlgoRow, id: number): AlgoRow | undefined {
  if (algo.id === id) return algo
  return algo.children.map((child) => inTree(child, id)).find((found) => found !== undefined)
}

/**
 * Whether an algo order counts as activated. A group is activated if one of its legs is. A bracket is always activated.
 */
function isActivated(algo: AlgoRow): boolean {
  if (isGroup(algo)) return algo.children.some(isActivated)
  return algo.algoType === 'BRACKET' || algo.isActivated
}

function priceOrNull({ spec }: EngineMarket, price: number): WireNumber | null {
  return price === 0 ? null : wirePrice(spec, price)
}
