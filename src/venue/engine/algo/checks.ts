import { isInUse } from '../accounts.ts'
import { reducible } from '../matching/walk.ts'
import { checkPrice, checkSize, checkStatus } from '../orders/checks.ts'
import { enumRateOf } from '../orders/enums.ts'
import { firstOf, REJECTIONS, type Rejection } from '../rejections.ts'
import type { Account, AlgoOrder, Exposure } from '../state.ts'
import type { AlgoRequest } from './terms.ts'
import { isUntriggered, partsOf } from './tree.ts'

/** How many algo orders an account may have open, and how many TP_SL that wait for their trigger. */
const ALGO_ORDERS_MAX = 100
const TP_SL_MAX = 10

/** Why an account may not have an algo order; null when it may. */
export function checkAlgo(exposure: Exposure, request: AlgoRequest): Rejection | null {
  const { account } = exposure
  if (account.status === 'liquidating') return REJECTIONS.liquidating
  const broken = checkPart(exposure, request)
  if (broken) return broken
  if (request.isolated !== null && request.isolated !== exposure.isolated && isInUse(exposure))
    return REJECTIONS.symbolInUse
  return checkCounts(exposure, request)
}

/** An algo order's own terms, and those of its legs. */
function checkPart(exposure: Exposure, request: AlgoRequest): Rejection | null {
  const { market } = exposure
  const { algoType, side, reduceOnly, orderTag, children } = request
  const type = request.type === 'LIMIT' ? 'LIMIT' : 'MARKET'
  const closed = checkStatus({ market, type, reduceOnly })
  if (closed) return closed
  if (enumRateOf(orderTag, market.spec) === null) return REJECTIONS.orderTag
  // What a bracket's legs will close is what it opens.
  if (algoType === 'BRACKET')
    return firstOf(children.flatMap(legsOf), (leg) => checkValues(exposure, leg))
  if (algoType === 'POSITIONAL_TP_SL' && reducible(exposure, side) === 0)
    return REJECTIONS.nothingToReduce
  return checkValues(exposure, request) ?? firstOf(children, (leg) => checkPart(exposure, leg))
}

function checkValues({ market }: Exposure, request: AlgoRequest): Rejection | null {
  const { price, trigger, activation, quantity, reduceOnly } = request
  const off = firstOf([price, trigger, activation], (each) => checkPrice({ market, price: each }))
  if (off || quantity === 0) return off
  const reference = price || trigger || market.mark
  return checkSize({ market, quantity, reference, isFullClose: reduceOnly })
}

function legsOf({ children }: AlgoRequest): readonly AlgoRequest[] {
  return children
}

function checkCounts(exposure: Exposure, request: AlgoRequest): Rejection | null {
  const { account } = exposure
  const open = partsIn(account)
  if (account.algos.size >= ALGO_ORDERS_MAX) return REJECTIONS.tooManyOrders
  const ids = idsIn(request)
  if (new Set(ids).size < ids.length) return REJECTIONS.duplicate
  if (open.some(({ clientOrderId }) => clientOrderId !== null && ids.includes(clientOrderId)))
    return REJECTIONS.duplicate
  if (isGroupOf(request, 'TP_SL')) {
    const waiting = open.filter((part) => part.algoType === 'TP_SL' && isUntriggered(part))
    if (waiting.length >= TP_SL_MAX) return REJECTIONS.tooManyTpSl
  }
  if (request.algoType !== 'POSITIONAL_TP_SL') return null
  return rivalsOf(exposure, request.side).some(isUntriggered) ? REJECTIONS.positionalTpSl : null
}

/** The position's TP/SL orders on a side that are not legs of a bracket still waiting for its first fill. */
export function rivalsOf(exposure: Exposure, side: AlgoOrder['side']): AlgoOrder[] {
  return [...exposure.account.algos.values()].filter(
    (algo) =>
      algo.algoType === 'POSITIONAL_TP_SL' && algo.exposure === exposure && algo.side === side,
  )
}

/** Every part of an account's open algo orders. */
export function partsIn({ algos }: Account): AlgoOrder[] {
  return [...algos.values()].flatMap(partsOf)
}

function isGroupOf({ algoType, children }: AlgoRequest, type: AlgoRequest['algoType']): boolean {
  return algoType === type || children.some((child) => child.algoType === type)
}

function idsIn({ clientOrderId, children }: AlgoRequest): string[] {
  return [...(clientOrderId === null ? [] : [clientOrderId]), ...children.flatMap(idsIn)]
}
