import type { Exchange } from '../exchange.ts'
import { reducible } from '../matching/walk.ts'
import { placeOrder } from '../orders/place.ts'
import { type OrderRequest, PLAIN_ORDER } from '../orders/request.ts'
import { Rejection } from '../rejections.ts'
import type { AlgoOrder } from '../state.ts'
import { absorb, closeRoot, end } from './end.ts'
import { executedOf, isAlive } from './tree.ts'

/** Sends the order of an algo order whose trigger was met. Refused by the book's rules, it ends as rejected. */
export function fire(exchange: Exchange, algo: AlgoOrder, atMs: number): void {
  if (!isAlive(algo)) return
  algo.triggeredAtMs = atMs
  algo.updatedAtMs = atMs
  tellTriggered(exchange, algo, atMs)
  if (algo.type === 'CLOSE_POSITION') closePosition(exchange, algo, atMs)
  else {
    const placed = placeOrder(exchange, orderOf(algo, algo.type, algo.quantity), atMs)
    if (placed instanceof Rejection) end(algo, 'REJECTED', atMs)
    else {
      algo.order = placed
      algo.orders.push(placed.id)
    }
  }
  closeRoot(exchange, algo, atMs)
}

function tellTriggered({ observers }: Exchange, algo: AlgoOrder, atMs: number): void {
  const { exposure, id, algoType: type, side, trigger: price } = algo
  const { account, market } = exposure
  for (const { triggered } of observers)
    triggered?.({ account, market, id, type, side, price, atMs })
}

/** Closes all of the position at market, in as many orders as the largest size needs. */
function closePosition(exchange: Exchange, algo: AlgoOrder, atMs: number): void {
  const { exposure, side } = algo
  algo.quantity = reducible(exposure, side)
  for (let left = algo.quantity; left > 0; left = reducible(exposure, side)) {
    const quantity = Math.min(left, exposure.market.spec.quantityMax)
    const placed = placeOrder(exchange, orderOf(algo, 'MARKET', quantity), atMs)
    if (placed instanceof Rejection) break
    algo.orders.push(placed.id)
    absorb(algo, placed)
    if (placed.executed < quantity) break
  }
  end(algo, closedAs(algo), atMs)
}

function closedAs(algo: AlgoOrder): AlgoOrder['status'] {
  const executed = executedOf(algo)
  if (executed > 0) return executed === algo.quantity ? 'FILLED' : 'CANCELLED'
  return algo.quantity > 0 ? 'REJECTED' : 'CANCELLED'
}

function orderOf(algo: AlgoOrder, type: OrderRequest['type'], quantity: number): OrderRequest {
  const { exposure, side, price, reduceOnly, orderTag, isolated } = algo
  const { account, market } = exposure
  const order = { ...PLAIN_ORDER, account, market, side, type, quantity }
  return { ...order, price, reduceOnly, orderTag, isolated }
}
