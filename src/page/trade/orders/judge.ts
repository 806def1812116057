import { larger } from '../../../core/decimals.ts'
import type { Order } from '../account/rows.ts'
import { withoutOwn } from '../market/book.ts'
import type { Book, Rule } from '../market/rows.ts'
import { checkOrder, type Draft, type Side } from './check.ts'
import { costOf, type Fill, fateOf, fillOf, marketLimit } from './estimate.ts'
import { excessValue, hasMargin, largestSize, type MarketAccount } from './margin.ts'

type Unsized = Omit<Draft, 'size'>

/** What of margin and position an order goes beyond. */
export type Excess = 'position' | 'margin' | 'leverage'

export type Verdict = Readonly<ReturnType<typeof judge>>

/** The price that values an order: its own, else the best opposite one, else the mark. */
export function referenceOf({ price, best, mark }: Unsized): bigint {
  return price ?? best ?? mark
}

/** What the venue would refuse of an order, and what would become of it; without an account no margin is judged. */
export function judge(rule: Rule, draft: Draft, account: MarketAccount | null) {
  const { side, price, size, isReduceOnly, mark } = draft
  const closable = closableOf(draft, account)
  const isFullClose = isReduceOnly && closable > 0n && size >= closable
  const reference = referenceOf(draft)
  const fill = fillWith(rule, draft, size)
  return {
    problems: checkOrder(rule, { side, price, size, reference, mark, isFullClose }),
    excess: account && excessOf(rule, draft, account, size),
    fate: fateOf(draft, fill),
    fill,
  }
}

/** The largest size that position, margin and leverage allow, on the step. */
export function largestOf(rule: Rule, draft: Unsized, account: MarketAccount): bigint {
  if (draft.isReduceOnly) return closableOf(draft, account)
  return largestSize(rule, (size) => excessOf(rule, draft, account, size) === null)
}

/** What of margin, position and leverage an order of a size goes beyond; null when of none. */
export function excessOf(
  rule: Rule,
  draft: Unsized,
  account: MarketAccount,
  size: bigint,
): Excess | null {
  if (draft.isReduceOnly) return size > closableOf(draft, account) ? 'position' : null
  const cost = costOf(fillWith(rule, draft, size), account)
  const order = { side: draft.side, size, price: referenceOf(draft), cost }
  if (!hasMargin(rule, account, order)) return 'margin'
  return excessValue(account, order) > 0n ? 'leverage' : null
}

function fillWith(rule: Rule, draft: Unsized, size: bigint): Fill {
  const { side, price, slippage, opposite, mark } = draft
  const best = referenceOf(draft)
  const limit = price ?? marketLimit(rule, { side, best, slippage }, mark)
  return fillOf(opposite, { side, size, limit }, mark)
}

/** How much of the position an order on this side could close. */
export function closableOf({ side }: Pick<Draft, 'side'>, account: MarketAccount | null): bigint {
  const held = account?.held ?? 0n
  return larger(0n, side === 'BUY' ? -held : held)
}

/** The other side of the book for an order: its best price, and what others than the account offer. */
export function oppositeOf(book: Book, orders: readonly Order[], symbol: string, side: Side) {
  const levels = side === 'BUY' ? book.asks : book.bids
  const own = orders
    .filter((order) => order.symbol === symbol && order.side !== side)
    .map(({ price, size, executed }) => ({ price: price ?? 0n, size: size - executed }))
  return { best: levels[0]?.price ?? null, opposite: withoutOwn(levels, own) }
}
