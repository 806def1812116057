import { absolute, larger } from '../core/decimals.ts'
import { type Row, rowsAt } from '../core/json.ts'
import { toAmount } from './amounts.ts'

export type Side = 'BUY' | 'SELL'

/** Cross positions share the account's collateral; each isolated position has separate margin. */
export const MARGIN_MODES = ['CROSS', 'ISOLATED'] as const

export type MarginMode = (typeof MARGIN_MODES)[number]

/**
 * A position row of an account in one market and margin mode; a market may have one row per mode. Quantities are in the
 * base asset. A row of quantity zero has open orders, or a closed position that is not settled yet.
 */
export type Position = {
  readonly symbol: string
  readonly mode: MarginMode
  /** The quantity of the position; negative for a short position. */
  readonly quantity: bigint
  /** The quantities that open orders may still buy and sell; reduce-only orders do not count. */
  readonly pendingBuys: bigint
  readonly pendingSells: bigint
  readonly mark: bigint
  /** The leverage of the position; zero if the row has no leverage. */
  readonly leverage: number
  /** The cost of the position in USDC, with fees and funding; like the figures below, null if its row lacks it. */
  readonly cost: bigint | null
  /** The margin of an isolated position in USDC. */
  readonly margin: bigint | null
  /** The maintenance margin rate of the position, and the initial margin rate with open orders, as fractions. */
  readonly mmr: bigint | null
  readonly imrWithOrders: bigint | null
}

/** A position with all figures that margin is computed from. */
export type MarginPosition = { readonly [Name in keyof Position]: NonNullable<Position[Name]> }

/** The position rows of an answer to `GET /v1/positions`; null if a row has no valid quantity or mark price. */
export function parsePositions(answer: unknown): readonly Position[] | null {
  const positions = rowsAt(answer, 'rows').map(parsePosition)
  return positions.every((position) => position !== null) ? positions : null
}

/** Parses one row of `GET /v1/positions`; its numbers may be strings. Null without a valid quantity or mark price. */
function parsePosition(row: Row): Position | null {
  const [quantity, long, short, mark] = FIELDS.map((field) => toAmount(row[field]))
  if (quantity == null || long == null || short == null || mark == null) return null
  return {
    symbol: String(row['symbol'] ?? ''),
    mode: toMarginMode(row['margin_mode']),
    quantity,
    // The sign is dropped, because the venue's documentation leaves the sign of pending sells open.
    pendingBuys: absolute(long),
    pendingSells: absolute(short),
    mark,
    leverage: Number(row['leverage']) || 0,
    cost: toAmount(row['cost_position']),
    margin: toAmount(row['margin']),
    mmr: toAmount(row['mmr']),
    // "withdraw" is the venue's spelling of "with".
    imrWithOrders: toAmount(row['IMR_withdraw_orders']),
  }
}

/** Parses one row of `GET /v1/positions`; null if a figure is unknown that the margin of its mode depends on. */
export function parseMarginPosition(row: Row): MarginPosition | null {
  const position = parsePosition(row)
  if (!position) return null
  const { mode, cost, margin, mmr, imrWithOrders } = position
  const isKnown = mode === 'CROSS' ? mmr !== null && imrWithOrders !== null : margin !== null
  if (cost === null || !isKnown) return null
  return {
    ...position,
    cost,
    margin: margin ?? 0n,
    mmr: mmr ?? 0n,
    imrWithOrders: imrWithOrders ?? 0n,
  }
}

const FIELDS = ['position_qty', 'pending_long_qty', 'pending_short_qty', 'mark_price'] as const

/** The margin mode of a row; CROSS if the row names no other mode. */
export function toMarginMode(value: unknown): MarginMode {
  return value === 'ISOLATED' ? 'ISOLATED' : 'CROSS'
}

/** The side in a row or body; null if it is invalid or missing. */
export function parseSide(value: unknown): Side | null {
  return value === 'BUY' || value === 'SELL' ? value : null
}

/** The unsigned quantity of a signed position that an order on this side can close. */
export function closableQuantity(held: bigint, side: Side): bigint {
  return larger(0n, side === 'BUY' ? -held : held)
}

/** The size of the largest position that filling all buys or all sells can lead to, from a signed quantity. */
export function quantityWithOrders(held: bigint, buys: bigint, sells: bigint): bigint {
  return larger(absolute(held + buys), absolute(held - sells))
}

/** The signed quantity of a market's position in one margin mode, or the sum of both modes. Zero without a position. */
export function heldQuantity(
  positions: readonly Position[],
  symbol: string,
  mode?: MarginMode,
): bigint {
  return positions
    .filter((row) => row.symbol === symbol && (mode === undefined || row.mode === mode))
    .reduce((sum, { quantity }) => sum + quantity, 0n)
}
