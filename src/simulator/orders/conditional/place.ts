import { reducibleQuantity } from '../../book/walk.ts'
import { isIsolatedByDefault, openMarketAccount } from '../../state/accounts.ts'
import type { AlgoRequest } from '../../state/algo-terms.ts'
import { type ExchangeState, nextEngineId } from '../../state/exchange.ts'
import { firstRejection, REJECTIONS, Rejection } from '../../state/rejections.ts'
import {
  type Account,
  type AlgoOrder,
  BUY,
  type EngineMarket,
  type EngineOrder,
  type MarketAccount,
} from '../../state/state.ts'
import { checkPrice, checkSize, checkStatus } from '../checks.ts'
import { placeOrder } from '../place.ts'
import { enumFeeRate, PLAIN_ORDER } from '../request.ts'
import { arm } from './mark.ts'
import { algoSubtree, isGroup, isUntriggered, publishAlgo } from './tree.ts'

/**
 * Accepts an algo order with its legs. A bracket's order is placed in the book at once. It is rejected for the same
 * reasons as any order. All other parts wait for the mark price. Returns the root, or the rejection with nothing
 * changed.
 */
export function placeAlgo(
  exchange: ExchangeState,
  account: Account,
  market: EngineMarket,
  request: AlgoRequest,
  atMs: number,
): AlgoOrder | Rejection {
  const isolated = request.isolated ?? isIsolatedByDefault(account, market)
  const marketAccount = openMarketAccount(account, market, isolated)
  const refused = checkAlgo(marketAccount, request)
  if (refused) return refused
  const order =
    request.algoType === 'BRACKET' ? sendLeg(exchange, marketAccount, request, atMs) : null
  if (order instanceof Rejection) return order
  const root = newAlgo(exchange, marketAccount, request, null, atMs)
  root.order = order
  if (order) root.orders.push(order.id)
  account.algos.set(root.id, root)
  if (order) exchange.changed.add(marketAccount)
  else for (const part of algoSubtree(root)) if (!isGroup(part)) activate(exchange, part)
  publishAlgo(exchange, root)
  return root
}

/** Activates a part of an algo order and arms it if it waits for a trigger. */
export function activate(exchange: ExchangeState, algo: AlgoOrder): void {
  algo.isActivated = algo.algoType !== 'TRAILING_STOP'
  arm(exchange, algo)
}

/** Whether a mark price at or above the trigger meets it. For a plain stop, this depends on the current mark price. */
export function isMetAbove(
  { market }: MarketAccount,
  { algoType, side, trigger }: Pick<AlgoOrder, 'algoType' | 'side' | 'trigger'>,
): boolean {
  if (algoType === 'TAKE_PROFIT') return side !== BUY
  if (algoType === 'STOP_LOSS' || algoType === 'TRAILING_STOP') return side === BUY
  return trigger >= market.mark
}

function sendLeg(
  exchange: ExchangeState,
  { account, market, isolated }: MarketAccount,
  { side, type, price, quantity, reduceOnly, orderTag }: AlgoRequest,
  atMs: number,
): EngineOrder | Rejection {
  if (type === 'CLOSE_POSITION') throw new RangeError('a bracket opens')
  const order = { ...PLAIN_ORDER, account, market, side, type, price, quantity }
  return placeOrder(exchange, { ...order, reduceOnly, orderTag, isolated }, atMs)
}

function newAlgo(
  exchange: ExchangeState,
  marketAccount: MarketAccount,
  request: AlgoRequest,
  parent: AlgoOrder | null,
  atMs: number,
): AlgoOrder {
  const { algoType, side, type, price, quantity, trigger, reduceOnly } = request
  const { activation, callbackRate, callbackTicks, clientOrderId, orderTag, children } = request
  const algo: AlgoOrder = {
    // The order of members is fixed, because snapshots are compared as texts.
    ...{ algoType, side, type, price, quantity, trigger, activation, callbackRate, callbackTicks },
    ...{ reduceOnly, clientOrderId, orderTag },
    id: nextEngineId(exchange),
    marketAccount,
    parent,
    children: [],
    order: null,
    follows: null,
    isolated: marketAccount.isolated,
    isAbove: isMetAbove(marketAccount, request),
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
    algo.children.push(newAlgo(exchange, marketAccount, child, algo, atMs))
  return algo
}

/** Maximum number of open algo orders per account. */
const ALGO_ORDERS_MAX = 100
/** Maximum number of untriggered TP_SL orders per account. */
const TP_SL_MAX = 10

/** Why a new algo order is rejected; null if the account may place it. */
function checkAlgo(marketAccount: MarketAccount, request: AlgoRequest): Rejection | null {
  const { account } = marketAccount
  if (account.status === 'liquidating') return REJECTIONS.liquidating
  return checkPart(marketAccount, request) ?? checkCounts(marketAccount, request)
}

/** Checks the terms of an algo order and its legs. */
function checkPart(marketAccount: MarketAccount, request: AlgoRequest): Rejection | null {
  const { market } = marketAccount
  const { algoType, side, reduceOnly, orderTag, children } = request
  const type = request.type === 'LIMIT' ? 'LIMIT' : 'MARKET'
  const closed = checkStatus({ market, type, reduceOnly })
  if (closed) return closed
  if (enumFeeRate(orderTag, market.spec) === null) return REJECTIONS.orderTag
  // A bracket's legs close the quantity that the bracket opens.
  if (algoType === 'BRACKET')
    return firstRejection(children.flatMap(legRequests), (leg) => checkValues(marketAccount, leg))
  if (algoType === 'POSITIONAL_TP_SL' && reducibleQuantity(marketAccount, side) === 0)
    return REJECTIONS.nothingToReduce
  return (
    checkValues(marketAccount, request) ??
    firstRejection(children, (leg) => checkPart(marketAccount, leg))
  )
}

function checkValues({ market }: MarketAccount, request: AlgoRequest): Rejection | null {
  const { price, trigger, activation, quantity, reduceOnly } = request
  const off = firstRejection([price, trigger, activation], (each) =>
    checkPrice({ market, price: each }),
  )
  if (off || quantity === 0) return off
  const reference = price || trigger || market.mark
  return checkSize({ market, quantity, reference, isFullClose: reduceOnly })
}

function legRequests({ children }: AlgoRequest): readonly AlgoRequest[] {
  return children
}

function checkCounts(marketAccount: MarketAccount, request: AlgoRequest): Rejection | null {
  const { account } = marketAccount
  const open = partsIn(account)
  if (account.algos.size >= ALGO_ORDERS_MAX) return REJECTIONS.tooManyOrders
  const ids = idsIn(request)
  if (new Set(ids).size < ids.length) return REJECTIONS.duplicate
  if (open.some(({ clientOrderId }) => clientOrderId !== null && ids.includes(clientOrderId)))
    return REJECTIONS.duplicate
  if (hasTpSl(request)) {
    const waiting = open.filter((part) => part.algoType === 'TP_SL' && isUntriggered(part))
    if (waiting.length >= TP_SL_MAX) return REJECTIONS.tooManyTpSl
  }
  if (request.algoType !== 'POSITIONAL_TP_SL') return null
  return rivalAlgos(marketAccount, request.side).some(isUntriggered)
    ? REJECTIONS.positionalTpSl
    : null
}

/** A position's open TP/SL orders on a side. Legs of a bracket that waits for its first fill are not included. */
export function rivalAlgos(marketAccount: MarketAccount, side: AlgoOrder['side']): AlgoOrder[] {
  return [...marketAccount.account.algos.values()].filter(
    (algo) =>
      algo.algoType === 'POSITIONAL_TP_SL' &&
      algo.marketAccount === marketAccount &&
      algo.side === side,
  )
}

/** All parts of all open algo orders of an account. */
export function partsIn({ algos }: Account): AlgoOrder[] {
  return [...algos.values()].flatMap(algoSubtree)
}

function hasTpSl({ algoType, children }: AlgoRequest): boolean {
  return algoType === 'TP_SL' || children.some((child) => child.algoType === 'TP_SL')
}

function idsIn({ clientOrderId, children }: AlgoRequest): string[] {
  return [...(clientOrderId === null ? [] : [clientOrderId]), ...children.flatMap(idsIn)]
}
