import { isObject, rowsAt } from '../../core/json.ts'
import { defaultModeIn } from '../../perp/margin-modes.ts'
import { type MarginMode, toMarginMode } from '../../perp/positions.ts'
import { accountRead } from '../account-call.ts'
import { figure } from '../rows.ts'
import type { SignedContext } from '../tool.ts'

/** The default margin mode of an account in a market, and the leverage in that mode; null if the venue gives no leverage. */
type Leverage = { readonly margin_mode: MarginMode; readonly leverage: number | null }

/**
 * Reads the market's default margin mode and its leverage: the leverage of an open position, else of the next order.
 */
export async function leverageNow(context: SignedContext, symbol: string): Promise<Leverage> {
  const [margin_mode, answer] = await Promise.all([
    defaultMarginMode(context, symbol),
    accountRead(context, '/v1/positions'),
  ])
  const held = rowsAt(answer, 'rows').find(
    (row) =>
      row['symbol'] === symbol &&
      toMarginMode(row['margin_mode']) === margin_mode &&
      figure(row, 'position_qty') !== 0,
  )
  const leverage = figure(held, 'leverage') || (await leverageIn(context, symbol, margin_mode))
  return { margin_mode, leverage }
}

/** Reads the margin mode of orders that name no mode in a market. */
export async function defaultMarginMode(
  context: SignedContext,
  symbol: string,
): Promise<MarginMode> {
  const modes = rowsAt(await accountRead(context, '/v1/client/margin_modes'), 'rows')
  return defaultModeIn(modes, symbol) ?? 'CROSS'
}

/** Reads the account's leverage for a market in one margin mode; each mode has its own leverage. */
export async function leverageIn(
  context: SignedContext,
  symbol: string,
  margin_mode: MarginMode,
): Promise<number | null> {
  const row = await accountRead(context, '/v1/client/leverage', { symbol, margin_mode })
  return isObject(row) ? figure(row, 'leverage') || null : null
}
