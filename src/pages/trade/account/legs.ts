import type { Conditional } from './conditional.ts'
import type { AccountPosition } from './rows.ts'

/** The take-profit or stop-loss of an order, at any depth of its children; null without such a leg. */
export function orderLeg(
  order: Conditional,
  kind: 'TAKE_PROFIT' | 'STOP_LOSS',
): Conditional | null {
  if (order.kind === kind) return order
  for (const child of order.children) {
    const found = orderLeg(child, kind)
    if (found) return found
  }
  return null
}

/** The orders that protect a position: the order that closes all of it, and the orders that close a part. */
export function positionProtection(
  rows: readonly Conditional[],
  { symbol, size, isIsolated }: Pick<AccountPosition, 'symbol' | 'size' | 'isIsolated'>,
) {
  const side = size > 0n ? 'SELL' : 'BUY'
  const here = rows.filter(
    (row) =>
      row.symbol === symbol &&
      row.isIsolated === isIsolated &&
      row.children.some((leg) => leg.side === side),
  )
  return {
    whole: here.find(({ kind }) => kind === 'POSITIONAL_TP_SL') ?? null,
    parts: here.filter(({ kind }) => kind === 'TP_SL'),
  }
}
