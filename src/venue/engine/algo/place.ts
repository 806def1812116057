import { applyMode, exposureOf, isIdle } from '../accounts.ts'
import { type Exchange, nextId } from '../exchange.ts'
import { placeOrder } from '../orders/place.ts'
import { PLAIN_ORDER } from '../orders/request.ts'
import { Rejection } from '../rejections.ts'
import {
  type Account,
  type AlgoOrder,
  BUY,
  type Exposure,
  type Market,
  type Order,
} from '../state.ts'
import { checkAlgo } from './checks.ts'
import { arm } from './mark.ts'
import type { AlgoRequest } from './terms.ts'
import { isGroup, partsOf, tellAlgo } from './tree.ts'

/**
 * Accepts an algo order with its legs. A bracket's own order goes to the book at once, and is refused as any other would
 * be; the others wait for the mark. Answers the root, or why it was refused, with nothing changed.
 */
export function placeAlgo(
  exchange: Exchange,
  account: Account,
  market: Market,
  request: AlgoRequest,
  atMs: number,
): AlgoOrder | Rejection {
  const exposure = exposureOf(account, market)
  const refused = checkAlgo(exposure, request)
  if (refused) return refused
  const order = request.algoType === 'BRACKET' ? sendLeg(exchange, exposure, request, atMs) : null
  if (order instanceof Rejection) return order
  takeMode(exposure, request)
  const root = newAlgo(exchange, exposure, request, null, atMs)
  root.order = order
  if (order) root.orders.push(order.id)
  account.algos.set(root.id, root)
  if (order) exchange.stirred.add(exposure)
  else for (const part of partsOf(root)) if (!isGroup(part)) activate(exchange, part)
  tellAlgo(exchange, root)
  return root
}

/** An algo order that is the first thing in a market decides how the account trades there. */
function takeMode(exposure: Exposure, { isolated }: AlgoRequest): void {
  if (isolated !== null && isolated !== exposure.isolated && isIdle(exposure))
    applyMode(exposure, isolated)
}

/** Lets a part that waits for a trigger begin to. */
export function activate(exchange: Exchange, algo: AlgoOrder): void {
  algo.isActivated = algo.algoType !== 'TRAILING_STOP'
  arm(exchange, algo)
}

/** Whether a trigger is met by marks above it: of a stop, on whichever side of the mark it lies. */
export function isMetAbove(
  { market }: Exposure,
  { algoType, side, trigger }: Pick<AlgoOrder, 'algoType' | 'side' | 'trigger'>,
): boolean {
  if (algoType === 'TAKE_PROFIT') return side !== BUY
  if (algoType === 'STOP_LOSS' || algoType === 'TRAILING_STOP') return side === BUY
  return trigger >= market.mark
}

function sendLeg(
  exchange: Exchange,
  { account, market }: Exposure,
  { side, type, price, quantity, reduceOnly, orderTag, isolated }: AlgoRequest,
  atMs: number,
): Order | Rejection {
  if (type === 'CLOSE_POSITION') throw new RangeError('a bracket opens')
  const order = { ...PLAIN_ORDER, account, market, side, type, price, quantity }
  return placeOrder(exchange, { ...order, reduceOnly, orderTag, isolated }, atMs)
}

function newAlgo(
  exchange: Exchange,
  exposure: Exposure,
  request: AlgoRequest,
  parent: AlgoOrder | null,
  atMs: number,
): AlgoOrder {
  const { algoType, side, type, price, quantity, trigger, reduceOnly, isolated } = request
  const { activation, callbackRate, callbackTicks, clientOrderId, orderTag, children } = request
  const algo: AlgoOrder = {
    // In this order, whatever order the request names them in: snapshots are text.
    ...{ algoType, side, type, price, quantity, trigger, activation, callbackRate, callbackTicks },
    ...{ reduceOnly, clientOrderId, orderTag },
    id: nextId(exchange),
    exposure,
    parent,
    children: [],
    order: null,
    follows: null,
    isolated: isolated ?? exposure.isolated,
    isAbove: isMetAbove(exposure, request),
    isActivated: false,
    extreme: 0,
    status: 'NEW',
    triggeredAtMs: null,
    createdAtMs: atMs,
    updatedAtMs: atMs,
    orders: [],
    executed: 0,
    executedValue: 0,
    fee: 0,
    realizedPnl: 0,
  }
  for (const child of children)
    algo.children.push(newAlgo(exchange, exposure, { ...child, isolated }, algo, atMs))
  return algo
}
