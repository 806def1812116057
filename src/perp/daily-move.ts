import { amountNumber, relativeDistance } from './amounts.ts'

/** The number of past days of `dailyMove`, without the present day. */
export const MOVE_DAYS = 14

/** Prices of a market's daily candle. */
export type DayRange = { readonly open: number; readonly high: number; readonly low: number }

/** The mean daily range, (high − low) ÷ open; null if there are no days. */
export function dailyMove(days: readonly DayRange[]): number | null {
  const moves = days
    .filter(({ open }) => open > 0)
    .map(({ open, high, low }) => (high - low) / open)
  if (moves.length === 0) return null
  return moves.reduce((sum, move) => sum + move, 0) / moves.length
}

/**
 * The distance from the mark price to another price, in mean daily moves (`dailyMove`); null if a price or the move is
 * unknown. A mark price of zero is unknown.
 */
export function movesBetween(
  mark: bigint | null,
  price: bigint | null,
  move: number | null,
): number | null {
  if (!mark || price === null || !move) return null
  return amountNumber(relativeDistance(mark, price)) / move
}
