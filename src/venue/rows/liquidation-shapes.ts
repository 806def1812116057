import { worthOf } from '../engine/markets.ts'
import type { LiquidationRow } from '../engine/records/records.ts'
import type { Market } from '../engine/state.ts'
import { ONE } from '../engine/units.ts'
import { amountOf, priceOf, quantityOf, rateOf } from './figures.ts'

/** What of an account's positions went to others, one row a part. */
export function takeoverRows({ takeovers }: LiquidationRow, markets: readonly Market[]) {
  return takeovers.flatMap(({ market: number, quantity, price, liquidatorFee, fundFee }) => {
    const spec = markets[number]?.spec
    if (!spec) return []
    const worth = worthOf(spec, price, quantity)
    return {
      symbol: spec.symbol,
      position_qty: quantityOf(spec, quantity),
      liquidator_fee: rateOf(shareOf(liquidatorFee, worth)),
      cost_position_transfer: amountOf(worth),
      transfer_price: priceOf(spec, price),
      insurance_fund_fee: rateOf(shareOf(fundFee, worth)),
      abs_insurance_fund_fee: amountOf(fundFee),
      abs_liquidator_fee: amountOf(liquidatorFee),
    }
  })
}

/** A row of GET /v1/liquidations. */
export function ownLiquidation(row: LiquidationRow, markets: readonly Market[]) {
  const { id, atMs, transferred, collateral, maintenance, notional, takeovers } = row
  const held = takeovers.flatMap(({ market: number, held: quantity, price }) => {
    const spec = markets[number]?.spec
    return spec
      ? { total_position: quantityOf(spec, quantity), mark_price: priceOf(spec, price) }
      : []
  })
  return {
    liquidation_id: id,
    timestamp: atMs,
    transfer_amount_to_insurance_fund: amountOf(transferred),
    margin_ratio: rateOf(shareOf(collateral, notional)),
    account_mmr: rateOf(shareOf(maintenance, notional)),
    position_notional: amountOf(notional),
    collateral_value: amountOf(collateral),
    positions_by_perp: takeoverRows(row, markets).map((taken, at) => ({ ...held[at], ...taken })),
  }
}

/** A part of an amount, eight decimals. */
function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / Math.abs(whole)) * ONE)
}
