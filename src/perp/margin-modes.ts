import type { Row } from '../core/json.ts'
import type { Limits } from '../core/mandate.ts'
import { type Excess, settingExcess } from './limits.ts'
import type { MarginMode } from './positions.ts'

/** The margin mode of orders that name no mode, in rows of `GET /v1/client/margin_modes`; null if unknown. */
export function defaultModeIn(rows: readonly Row[], symbol: string | null): MarginMode | null {
  const row = rows.find((each) => each['symbol'] === symbol)
  const mode = row?.['default_margin_mode']
  return mode === 'CROSS' || mode === 'ISOLATED' ? mode : null
}

/** The leverage of a market in a margin mode, in rows of `GET /v1/client/leverages`; null if unknown. */
export function modeLeverageIn(
  rows: readonly Row[],
  symbol: string | null,
  mode: MarginMode,
): number | null {
  const row = rows.find((each) => each['symbol'] === symbol && each['margin_mode'] === mode)
  return Number(row?.['leverage']) || null
}

/**
 * The limit that an order in another margin mode than its market's default would exceed, because it counts at the
 * leverage of its mode; `unknown` if that leverage is unknown.
 */
export function otherModeExcess(
  limits: Limits,
  leverage: number | null,
): readonly Excess[] | 'unknown' {
  if (limits.maxLeverage === undefined) return []
  return leverage === null ? 'unknown' : settingExcess(limits, leverage)
}
