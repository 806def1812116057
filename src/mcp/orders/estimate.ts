import { amountOf, larger, smaller, times } from '../amounts.ts'
import { type AccountView, heldIn } from '../views/account.ts'
import type { PreparedOrder } from './ask.ts'
import { type Fill, fillOf, marketLimit, opposite } from './book.ts'

const NOTHING: Fill = { quantity: 0n, value: 0n, worst: null, parts: [], offered: [] }

const LEAVES_NOTHING: ReadonlySet<string> = new Set(['MARKET', 'IOC', 'FOK'])

/** How much of its size an order can trade: a reduce-only one no more than there is to reduce, where that is known. */
export function reachOf({ market, args, check }: PreparedOrder, account: AccountView | null) {
  const { quantity, side } = check.corrected
  if (!args.reduce_only || !account) return quantity
  const held = heldIn(account.positions, market.symbol)
  return smaller(quantity, larger(side === 'SELL' ? held : -held, 0n))
}

/** What the book would fill of the corrected order at once, as far as the order reaches. */
export function estimatedFill({ market, args, check, book }: PreparedOrder, reach: bigint): Fill {
  const { side, price, quantity, reference } = check.corrected
  if (!book || args.order_type === 'POST_ONLY') return NOTHING
  const levels = opposite(book, side)
  const limit =
    args.order_type === 'MARKET'
      ? marketLimit(market, levels, { side, slippage: amountOf(args.slippage) })
      : (price ?? reference)
  const fill = fillOf(levels, { side, quantity: reach, limit })
  return args.order_type === 'FOK' && fill.quantity < quantity
    ? { ...NOTHING, offered: fill.offered }
    : fill
}

/** What an order is worth as it arrives: what it fills, and what of its reach then rests. */
export function arrivalValue({ args, check }: PreparedOrder, fill: Fill, reach: bigint): bigint {
  if (LEAVES_NOTHING.has(args.order_type)) return fill.value
  const { price, reference } = check.corrected
  return fill.value + times(reach - fill.quantity, price ?? reference)
}
