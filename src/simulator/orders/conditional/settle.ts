import { reducibleQuantity } from '../../book/walk.ts'
import type { ExchangeState } from '../../state/exchange.ts'
import { Rejection } from '../../state/rejections.ts'
import { type AlgoOrder, isOpen, type MarketAccount } from '../../state/state.ts'
import { placeOrder } from '../place.ts'
import { type OrderRequest, PLAIN_ORDER } from '../request.ts'
import { activate, rivalAlgos } from './place.ts'
import {
  addExecutions,
  algoExecutedQuantity,
  algoSubtree,
  cancelAlgo,
  closeRoot,
  endAlgo,
  isAlive,
  isGroup,
  isUntriggered,
  marketAlgos,
  publishAlgo,
} from './tree.ts'

/** Whether changes since the last update concern algo orders. */
export function hasAlgoUpdates({ triggered, changed }: ExchangeState): boolean {
  return triggered.size > 0 || changed.size > 0
}

/** Sends triggered orders, oldest first. Updates algo orders after changes of orders and positions. */
export function settleAlgos(exchange: ExchangeState, atMs: number): void {
  const { triggered, changed } = exchange
  const due = [...triggered].sort((a, b) => a.id - b.id)
  triggered.clear()
  for (const algo of due) {
    updateAlgos(exchange, algo.marketAccount, atMs)
    sendTriggeredOrder(exchange, algo, atMs)
    changed.add(algo.marketAccount)
  }
  for (const marketAccount of [...changed].sort(byAccount)) {
    changed.delete(marketAccount)
    updateAlgos(exchange, marketAccount, atMs)
  }
}

function byAccount(a: MarketAccount, b: MarketAccount): number {
  return (
    a.account.number - b.account.number ||
    a.market.number - b.market.number ||
    Number(a.isolated) - Number(b.isolated)
  )
}

/** Updates the algo orders of an account in one market and margin mode. */
function updateAlgos(exchange: ExchangeState, marketAccount: MarketAccount, atMs: number): void {
  for (const root of marketAlgos(marketAccount)) {
    if (!marketAccount.account.algos.has(root.id)) continue
    const changed = algoSubtree(root).filter((part) => updateFromOrder(part, atMs))
    if (root.algoType === 'BRACKET') activateLegs(exchange, root, atMs)
    if (root.follows) resizeLegs(root)
    if (changed.length > 0) closeRoot(exchange, root, atMs)
    if (isAlive(root) && isGroup(root)) cancelSpent(exchange, root, atMs)
  }
}

/** Updates a part from its order in the book. Returns whether the part changed. */
function updateFromOrder(part: AlgoOrder, atMs: number): boolean {
  const { order } = part
  if (!order) return false
  if (!isOpen(order)) {
    addExecutions(part, order)
    endAlgo(part, order.status === 'FILLED' ? 'FILLED' : 'CANCELLED', atMs)
    return true
  }
  const isNew =
    order.executed > 0 && (part.status === 'NEW' || order.updatedAtMs > part.updatedAtMs)
  if (isNew) part.status = 'PARTIAL_FILLED'
  if (isNew) part.updatedAtMs = order.updatedAtMs
  return isNew
}

/** Activates a bracket's legs at its first fill. If the bracket ends without a fill, cancels the legs. */
function activateLegs(exchange: ExchangeState, bracket: AlgoOrder, atMs: number): void {
  const [leg] = bracket.children
  if (!leg || !isAlive(leg)) return
  if (algoExecutedQuantity(bracket) > 0) releaseLegs(exchange, bracket, leg, atMs)
  else if (!isAlive(bracket)) cancelAlgo(exchange, leg, atMs)
}

function releaseLegs(
  exchange: ExchangeState,
  bracket: AlgoOrder,
  leg: AlgoOrder,
  atMs: number,
): void {
  const { account } = bracket.marketAccount
  bracket.children.splice(0)
  leg.parent = null
  leg.follows = leg.algoType === 'TP_SL' ? bracket : null
  const rivals = leg.algoType === 'TP_SL' ? [] : rivalAlgos(leg.marketAccount, leg.side)
  account.algos.set(leg.id, leg)
  // The leg is now a root. The next update must check whether the position leaves the leg anything to close.
  exchange.changed.add(leg.marketAccount)
  if (rivals.some((rival) => !isUntriggered(rival))) {
    cancelAlgo(exchange, leg, atMs)
    return
  }
  for (const rival of rivals) cancelAlgo(exchange, rival, atMs)
  resizeLegs(leg)
  for (const child of leg.children) if (isAlive(child)) activate(exchange, child)
  publishAlgo(exchange, leg)
}

/** After a bracket's first fill, sets the quantity of its legs to the quantity that the bracket has opened so far. */
function resizeLegs(group: AlgoOrder): void {
  const { follows } = group
  if (!follows) return
  for (const part of algoSubtree(group))
    if (part.triggeredAtMs === null) part.quantity = algoExecutedQuantity(follows)
  if (!isAlive(follows)) group.follows = null
}

/**
 * Cancels a group of legs after a leg has executed and ended. Also cancels a POSITIONAL_TP_SL after its position has
 * ended.
 */
function cancelSpent(exchange: ExchangeState, group: AlgoOrder, atMs: number): void {
  const isDone = group.children.some((leg) => !isAlive(leg) && algoExecutedQuantity(leg) > 0)
  const isClosed =
    group.algoType === 'POSITIONAL_TP_SL' &&
    reducibleQuantity(group.marketAccount, group.side) === 0
  if (isDone || isClosed) cancelAlgo(exchange, group, atMs)
}

/** Sends the order of a triggered algo order. If the book refuses it, the algo order ends as REJECTED. */
function sendTriggeredOrder(exchange: ExchangeState, algo: AlgoOrder, atMs: number): void {
  if (!isAlive(algo)) return
  algo.triggeredAtMs = atMs
  algo.updatedAtMs = atMs
  publishTriggered(exchange, algo, atMs)
  if (algo.type === 'CLOSE_POSITION') closePosition(exchange, algo, atMs)
  else {
    const placed = placeOrder(exchange, triggeredOrder(algo, algo.type, algo.quantity), atMs)
    if (placed instanceof Rejection) endAlgo(algo, 'REJECTED', atMs)
    else {
      algo.order = placed
      algo.orders.push(placed.id)
    }
  }
  closeRoot(exchange, algo, atMs)
}

function publishTriggered({ observers }: ExchangeState, algo: AlgoOrder, atMs: number): void {
  const { marketAccount, id, algoType: type, side, trigger: price } = algo
  const { account, market } = marketAccount
  for (const { triggered } of observers)
    triggered?.({ account, market, id, type, side, price, atMs })
}

/** Closes the whole position at market, in several orders if it exceeds the maximum order size. */
function closePosition(exchange: ExchangeState, algo: AlgoOrder, atMs: number): void {
  const { marketAccount, side } = algo
  algo.quantity = reducibleQuantity(marketAccount, side)
  for (let left = algo.quantity; left > 0; left = reducibleQuantity(marketAccount, side)) {
    const quantity = Math.min(left, marketAccount.market.spec.quantityMax)
    const placed = placeOrder(exchange, triggeredOrder(algo, 'MARKET', quantity), atMs)
    if (placed instanceof Rejection) break
    algo.orders.push(placed.id)
    addExecutions(algo, placed)
    if (placed.executed < quantity) break
  }
  endAlgo(algo, closedAs(algo), atMs)
}

function closedAs(algo: AlgoOrder): AlgoOrder['status'] {
  const executed = algoExecutedQuantity(algo)
  if (executed > 0) return executed === algo.quantity ? 'FILLED' : 'CANCELLED'
  return algo.quantity > 0 ? 'REJECTED' : 'CANCELLED'
}

function triggeredOrder(
  algo: AlgoOrder,
  type: OrderRequest['type'],
  quantity: number,
): OrderRequest {
  const { marketAccount, side, price, reduceOnly, orderTag, isolated } = algo
  const { account, market } = marketAccount
  const order = { ...PLAIN_ORDER, account, market, side, type, quantity }
  return { ...order, price, reduceOnly, orderTag, isolated }
}
