import type { ExchangeState } from '../../state/exchange.ts'
import { firstRejection, REJECTIONS, type Rejection } from '../../state/rejections.ts'
import type { AlgoOrder } from '../../state/state.ts'
import { checkPrice, checkSize, checkStatus } from '../checks.ts'
import { editOrder } from '../edit.ts'
import { disarm } from './mark.ts'
import { activate, isMetAbove } from './place.ts'
import { algoRoot, algoSubtree, isAlive, isGroup, publishAlgo } from './tree.ts'

/** Changes of one part of an algo order. Null leaves a value unchanged. */
export type AlgoChange = {
  readonly algo: number
  readonly price: number | null
  readonly quantity: number | null
  readonly trigger: number | null
}

/**
 * Changes an algo order and its legs, all or nothing. A triggered part cannot change. A bracket's price and quantity
 * are the price and quantity of its order in the book. Returns null, or the rejection.
 */
export function editAlgo(
  exchange: ExchangeState,
  root: AlgoOrder,
  changes: readonly AlgoChange[],
  atMs: number,
): Rejection | null {
  const parts = new Map(algoSubtree(root).map((part) => [part.id, part]))
  const checked = (change: AlgoChange) => {
    const part = parts.get(change.algo)
    return part ? checkChange(part, change) : REJECTIONS.notFound
  }
  const own = changes.find(({ algo }) => algo === root.id)
  const refused =
    firstRejection(changes, checked) ?? (own ? editLeg(exchange, root, own, atMs) : null)
  if (refused) return refused
  for (const change of changes) {
    const part = parts.get(change.algo)
    if (part) apply(exchange, part, change, atMs)
  }
  publishAlgo(exchange, root)
  return null
}

function checkChange(part: AlgoOrder, change: AlgoChange): Rejection | null {
  const { algoType, type, reduceOnly, marketAccount } = part
  const isSent = algoType !== 'BRACKET' && part.triggeredAtMs !== null
  if (!isAlive(part) || isSent) return REJECTIONS.notFound
  if (isFixed(part, change)) return REJECTIONS.algoFixed
  const status = {
    market: marketAccount.market,
    type: type === 'LIMIT' ? 'LIMIT' : 'MARKET',
    reduceOnly: reduceOnly || isGroup(part),
  } as const
  return checkStatus(status) ?? checkValues(part, change)
}

/** Whether a change names a value that the part does not have, or that is derived. */
function isFixed(part: AlgoOrder, { price, quantity, trigger }: AlgoChange): boolean {
  const { algoType, type, follows } = part
  const isFollowing = algoRoot(part).follows !== null || follows !== null
  return (
    (price !== null && (type !== 'LIMIT' || isGroup(part))) ||
    (trigger !== null && (part.trigger === 0 || algoType === 'TRAILING_STOP')) ||
    (quantity !== null && (part.quantity === 0 || isFollowing))
  )
}

function checkValues(part: AlgoOrder, { price, quantity, trigger }: AlgoChange): Rejection | null {
  const { market } = part.marketAccount
  const off =
    checkPrice({ market, price: price ?? 0 }) ?? checkPrice({ market, price: trigger ?? 0 })
  if (off || quantity === null) return off
  const reference = (price ?? part.price) || (trigger ?? part.trigger) || market.mark
  return checkSize({ market, quantity, reference, isFullClose: part.reduceOnly })
}

function editLeg(
  exchange: ExchangeState,
  { order }: AlgoOrder,
  { price, quantity }: AlgoChange,
  atMs: number,
): Rejection | null {
  if (!order) return null
  const change = { price: price ?? order.price, quantity: quantity ?? order.quantity }
  return editOrder(exchange, order, change, atMs)
}

function apply(
  exchange: ExchangeState,
  part: AlgoOrder,
  { price, quantity, trigger }: AlgoChange,
  atMs: number,
): void {
  part.price = price ?? part.price
  part.quantity = quantity ?? part.quantity
  part.updatedAtMs = atMs
  if (trigger === null) return
  part.trigger = trigger
  part.isAbove = isMetAbove(part.marketAccount, part)
  if (!part.isActivated) return
  disarm(part)
  activate(exchange, part)
}
