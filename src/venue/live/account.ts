import { isObject, numberOf } from '../../core/json.ts'
import type { Peek } from '../venue.ts'
import { watchAlgos } from './algo.ts'
import { camelCased, rowsOf } from './topics.ts'

type Row = Readonly<Record<string, unknown>>

/** One private message. */
export type AccountMessage = { readonly topic: string; readonly data: unknown }

/** Looks at an account again and again: what changed since the last look. The first look tells nothing. */
export type AccountWatch = () => readonly AccountMessage[]

const ORDERS = ['/v1/orders?status=INCOMPLETE&size=500', '/v1/orders?size=50'] as const
const TRADES = '/v1/trades?size=50'

/** A watch on one account. */
export function watchAccount(peek: Peek, accountId: string): AccountWatch {
  const read = (path: string) => peek(path, { accountId })
  let orders: ReadonlyMap<string, string> | null = null
  let trades: ReadonlySet<string> = new Set()
  let rest: ReadonlyMap<string, string> = new Map()
  const algos = watchAlgos(read)

  function executions(rows: ReadonlyMap<string, Row>): Row[] {
    const found = rowsOf(read(TRADES))
    const fresh = found.filter((trade) => !trades.has(textOf(trade['id']))).toReversed()
    trades = new Set(found.map((trade) => textOf(trade['id'])))
    return fresh.map((trade) => reportOf(rows.get(textOf(trade['order_id'])), trade))
  }

  function reports(isFirst: boolean): Row[] {
    const rows = new Map(
      ORDERS.flatMap((path) => rowsOf(read(path))).map((row) => [textOf(row['order_id']), row]),
    )
    const executed = executions(rows)
    const told = new Set(executed.map(({ orderId }) => textOf(orderId)))
    const states = new Map([...rows].map(([id, row]) => [id, stateOf(row)]))
    const changed = [...rows].filter(([id]) => orders?.get(id) !== states.get(id) && !told.has(id))
    orders = states
    return isFirst ? [] : [...changed.map(([, row]) => reportOf(row)), ...executed]
  }

  function others(): AccountMessage[] {
    const found: readonly AccountMessage[] = [
      { topic: 'position', data: { positions: rowsOf(read('/v1/positions')).map(positionOf) } },
      { topic: 'balance', data: { balances: balancesOf(read('/v1/client/holding')) } },
    ]
    const before = rest
    rest = new Map(found.map(({ topic, data }) => [topic, textOf(data)]))
    return found.filter(({ topic }) => before.get(topic) !== rest.get(topic))
  }

  return () => {
    const isFirst = orders === null
    const executed = reports(isFirst).map((data) => ({ topic: 'executionreport', data }))
    const waiting = algos()
    const changed = others()
    return isFirst ? [] : [...executed, ...waiting, ...changed]
  }
}

function stateOf({ status, price, quantity, executed, updated_time }: Row): string {
  return textOf([status, price, quantity, executed, updated_time])
}

/** An execution report: the order, and the execution that it is about, if it is about one. */
function reportOf(order: Row = {}, trade?: Row): Row {
  return {
    symbol: order['symbol'] ?? trade?.['symbol'],
    clientOrderId: order['client_order_id'] ?? null,
    orderId: order['order_id'] ?? trade?.['order_id'],
    type: order['type'],
    side: order['side'] ?? trade?.['side'],
    quantity: order['quantity'],
    price: order['price'],
    tradeId: trade?.['id'] ?? 0,
    executedPrice: trade?.['executed_price'] ?? 0,
    executedQuantity: trade?.['executed_quantity'] ?? 0,
    fee: trade?.['fee'] ?? 0,
    feeAsset: 'USDC',
    totalExecutedQuantity: order['total_executed_quantity'],
    avgExecutedPrice: order['average_executed_price'],
    status: order['status'],
    reason: '',
    totalFee: order['total_fee'],
    visibleQuantity: order['visible_quantity'],
    timestamp: trade?.['executed_timestamp'] ?? order['updated_time'],
    reduceOnly: order['reduce_only'],
    marginMode: order['margin_mode'] ?? trade?.['margin_mode'],
    maker: numberOf(trade?.['is_maker']) === 1,
    matchId: trade?.['match_id'],
  }
}

function positionOf(row: Row): unknown {
  const { IMR_withdraw_orders, MMR_with_orders, ...others } = row
  return {
    ...(camelCased(others) as Row),
    imrwithOrders: IMR_withdraw_orders,
    mmrwithOrders: MMR_with_orders,
  }
}

function balancesOf(payload: unknown): Row {
  const holding = isObject(payload) ? payload['holding'] : undefined
  const rows = (Array.isArray(holding) ? holding : []).filter(isObject)
  return Object.fromEntries(
    rows.map(({ token, pending_short, ...row }) => [
      String(token),
      { ...(camelCased(row) as Row), pendingShortQty: pending_short },
    ]),
  )
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
