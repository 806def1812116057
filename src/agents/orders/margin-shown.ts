import { larger } from '../../core/decimals.ts'
import type { AccountAfter } from '../../perp/account-after.ts'
import { amountNumber, quotient, toUsdcNumber } from '../../perp/amounts.ts'
import { distancePercent } from '../views/account.ts'
import type { PreviewAccount } from './account.ts'

/** The account's margin after an order, in the form of a tool's answer: USDC, prices, and rates as fractions. */
export function marginShown(account: PreviewAccount, after: AccountAfter, mark: bigint) {
  const { before, state, notional, maintenance, liquidation } = after
  const { mode, leverage } = account
  // The fee lowers these figures, so they are unknown if the fee is unknown.
  const known = (value: number | null) => (after.fee === null ? null : value)
  return {
    margin_mode: mode,
    leverage,
    free_collateral: positiveUsdc(account.free),
    initial_margin_needed: positiveUsdc(after.needed),
    free_collateral_after: known(positiveUsdc(after.free)),
    total_collateral_after: known(toUsdcNumber(after.collateral)),
    position_qty_now: amountNumber(before.quantity),
    position_qty_after: amountNumber(state.quantity),
    ...(mode === 'ISOLATED' && { position_margin_after: toUsdcNumber(state.margin) }),
    margin_ratio_after: known(ratio(after.collateral, notional)),
    maintenance_margin_ratio_after: ratio(maintenance, notional),
    cushion_usdc_after: known(toUsdcNumber(after.cushion)),
    est_liq_price_after: known(liquidation === null ? null : amountNumber(liquidation)),
    liq_distance_pct_after: known(
      distancePercent(amountNumber(liquidation ?? 0n), amountNumber(mark)),
    ),
    ...leverageNote(account, before.quantity),
  }
}

function positiveUsdc(value: bigint): number {
  return toUsdcNumber(larger(0n, value))
}

const RATIO_DECIMALS = 8

function ratio(part: bigint, whole: bigint): number | null {
  if (whole === 0n) return null
  return Number(amountNumber(quotient(part, whole)).toFixed(RATIO_DECIMALS))
}

function leverageNote({ leverage, leverageSet, mode }: PreviewAccount, held: bigint) {
  if (leverage === leverageSet) return {}
  const next =
    mode === 'ISOLATED' && held !== 0n
      ? 'an open isolated position keeps it.'
      : 'call set_leverage before the order.'
  return { note: `Computed at ${leverage}x; the market is set to ${leverageSet}x: ${next}` }
}
