import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { type MarginMode, toMarginMode } from '../../perp/positions.ts'
import { accountRead } from '../account-call.ts'
import { figure } from '../rows.ts'
import type { SignedContext } from '../tool.ts'

/** The margin mode of an account in a market and the leverage of that mode; null where the venue gives none. */
type Leverage = { readonly margin_mode: MarginMode; readonly leverage: number | null }

/** The margin mode and leverage of a market now: those of an open position, else those of the next order. */
export async function leverageNow(context: SignedContext, symbol: string): Promise<Leverage> {
  const positions = rowsAt(await accountRead(context, '/v1/positions'), 'rows')
  const margin_mode = await marginModeNow(context, symbol, positions)
  const held = positions.find((row) => isOf(row, symbol) && figure(row, 'position_qty') !== 0)
  const leverage = figure(held, 'leverage') || (await leverageIn(context, symbol, margin_mode))
  return { margin_mode, leverage }
}

/** The mode of the market's open position or orders, else the account's default for the market. */
export async function marginModeNow(
  context: SignedContext,
  symbol: string,
  positions: readonly Row[],
): Promise<MarginMode> {
  const used = positions.find((row) => isOf(row, symbol) && isInUse(row))
  if (used) return toMarginMode(used['margin_mode'])
  const modes = rowsAt(await accountRead(context, '/v1/client/margin_modes'), 'rows')
  return toMarginMode(modes.find((row) => isOf(row, symbol))?.['default_margin_mode'])
}

/** The leverage that the account has set for a market in one margin mode: each mode has its own. */
export async function leverageIn(
  context: SignedContext,
  symbol: string,
  margin_mode: MarginMode,
): Promise<number | null> {
  const row = await accountRead(context, '/v1/client/leverage', { symbol, margin_mode })
  return isObject(row) ? figure(row, 'leverage') || null : null
}

const USES = ['position_qty', 'pending_long_qty', 'pending_short_qty'] as const

function isInUse(row: Row): boolean {
  return USES.some((field) => figure(row, field) !== 0)
}

function isOf(row: Row, symbol: string): boolean {
  return row['symbol'] === symbol
}
