import { absolute } from '../../../core/decimals.ts'
import type { Conditional } from './conditional.ts'
import { orderLeg, positionProtection } from './legs.ts'
import type { AccountPosition } from './rows.ts'

/** The size of a position that stop losses close, and reduce-only stops in its market; zero without a stop. */
export function stoppedSize(
  rows: readonly Conditional[],
  position: Pick<AccountPosition, 'symbol' | 'size' | 'isIsolated' | 'mark'>,
): bigint {
  const { symbol, size, isIsolated, mark } = position
  const { whole, parts } = positionProtection(rows, position)
  if (whole && orderLeg(whole, 'STOP_LOSS')) return absolute(size)
  const stops = rows.filter(
    (row) =>
      STOPS.has(row.kind) &&
      row.isReduceOnly &&
      row.symbol === symbol &&
      row.isIsolated === isIsolated &&
      (row.side === 'SELL') === size > 0n &&
      // A trigger on the other side of the mark price takes a profit.
      (row.trigger === null || row.trigger < mark === size > 0n),
  )
  return [...parts.filter((part) => orderLeg(part, 'STOP_LOSS')), ...stops].reduce(
    (sum, row) => sum + row.size,
    0n,
  )
}

const STOPS: ReadonlySet<string> = new Set(['STOP', 'TRAILING_STOP'])
