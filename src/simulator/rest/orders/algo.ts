import { marketAt, type TradingContext } from '../../exchange/trading-context.ts'
import { type AlgoRow, isTriggered, totalRow } from '../../history/algos.ts'
import { textNumber } from '../../history/past-rows.ts'
import type { Selected } from '../../history/row-list.ts'
import {
  matchesQuery,
  periodFilter,
  positive,
  queryText,
  requiredQuery,
  selectedPage,
} from '../../messages/page.ts'
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
import { statusFilter, tradeShape } from './shapes.ts'

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

/** The part of an algo order with this id, and the part's root. Throws -1006 for an unknown id. */
function withId(context: TradingContext, id: number) {
  const ended = context.lists.algos().findUpTo(id)
  return found([...openRoots(context), ...(ended ? [ended] : [])], (part) => part.id === id)
}

/** The newest part with this client id, and the part's root. Throws -1006 for an unknown id. */
function withClientId(context: TradingContext, clientId: string) {
  const algos = context.lists.algos()
  const byLegs = algos.select({
    order: NEWEST_FIRST,
    isWanted: ({ legs }) => legs.includes(clientId),
  })
  const roots = [
    ...openRoots(context),
    ...algos.withReference(textNumber(clientId)),
    ...byLegs.rows(0, 1),
  ]
  roots.sort((a, b) => b.createdAtMs - a.createdAtMs || b.id - a.id)
  return found(roots, (part) => part.clientOrderId === clientId)
}

function found(roots: readonly AlgoRow[], isChosen: (algo: AlgoRow) => boolean) {
  for (const root of roots) {
    const algo = partIn(root, isChosen)
    if (algo) return { algo, root }
  }
  throw refusal('notFound')
}

function partIn(algo: AlgoRow, isChosen: (algo: AlgoRow) => boolean): AlgoRow | undefined {
  if (isChosen(algo)) return algo
  for (const child of algo.children) {
    const part = partIn(child, isChosen)
    if (part) return part
  }
  return undefined
}

function openRoots({ account }: TradingContext): AlgoRow[] {
  return Array.from(account.algos.values(), totalRow)
}

const NEWEST_FIRST = { by: 'atMs', isAscending: false } as const

/** The algo orders that a query selects, newest first. Throws -1005 for an unknown status or type. */
function chosenAlgos(context: TradingContext, query: URLSearchParams): Selected<AlgoRow> {
  const hasStatus = statusFilter(query)
  const isType = isOfType(queryText(query, 'algo_type'))
  return context.lists.algos().select({
    order: NEWEST_FIRST,
    also: openRoots(context),
    isWithin: periodFilter(query),
    tag: queryText(query, 'order_tag'),
    isWanted: (facet) =>
      hasStatus(facet) &&
      isType(facet) &&
      matchesQuery(query, {
        symbol: marketAt(context, facet).spec.symbol,
        side: sideOf(facet.side),
        order_type: facet.type,
        is_triggered: String(facet.isTriggered),
      }),
  })
}

/** The kinds that each `algo_type` in a query selects. STOP also selects stop losses and take profits. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  STOP: ['STOP', 'TAKE_PROFIT', 'STOP_LOSS'],
  TP_SL: ['TP_SL'],
  TPSL: ['TP_SL'],
  POSITIONAL_TP_SL: ['POSITIONAL_TP_SL'],
  positional_TPSL: ['POSITIONAL_TP_SL'],
  BRACKET: ['BRACKET'],
  TRAILING_STOP: ['TRAILING_STOP'],
  TAKE_PROFIT: ['TAKE_PROFIT'],
  STOP_LOSS: ['STOP_LOSS'],
}

/** Tests whether an algo order has a kind that `algo_type` selects; null selects all. Throws -1005 for another type. */
function isOfType(name: string | null): (algo: { readonly algoType: string }) => boolean {
  if (name === null) return () => true
  const types = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
  if (!types) throw refusal('parameter', 'algo_type is invalid')
  return ({ algoType }) => types.includes(algoType)
}
