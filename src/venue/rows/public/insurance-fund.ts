import { DAY_MS } from '../../../spec/durations.ts'
import { freeCollateralOf, marginOf, refresh } from '../../engine/margin/margin.ts'
import type { Account, Exposure } from '../../engine/state.ts'
import { MICRO } from '../../engine/units.ts'
import type { Floor } from '../../exchange/floor.ts'
import { exponentText } from '../../market/decimal-text.ts'
import { amountOf, priceOf, quantityOf, rateOf } from '../figures.ts'

const RATIO_WITHOUT_POSITION = 10

/** GET /v1/public/insurancefund: an account like any other, that takes over what nobody else does. */
export function insuranceFund(floor: Floor, nowMs: number) {
  const { fund, exchange } = floor.engine.world
  const margin = marginOf(fund)
  const { collateral, notional } = margin
  const value = usdcText(collateral)
  return {
    min_insurance_fund_initial_margin_ratio: 0.3,
    min_insurance_fund_margin_ratio: 0.25,
    margin_ratio: notional === 0 ? RATIO_WITHOUT_POSITION : collateral / notional,
    total_collateral_value: value,
    balance: usdcText(fund.holding),
    free_collateral: usdcText(freeCollateralOf(margin)),
    total_account_value: value,
    total_pnl_24_h: amountOf(dayResult(fund, nowMs)),
    rows: exchange.markets.map(({ number, spec, mark, sumUnitary }) => ({
      symbol: spec.symbol,
      timestamp: nowMs,
      mark_price: priceOf(spec, mark),
      last_sum_unitary_funding: rateOf(sumUnitary),
      ...holdingOf(fund.exposures.get(number)),
    })),
  }
}

function holdingOf(exposure: Exposure | undefined) {
  if (!exposure) return EMPTY
  refresh(exposure)
  return {
    ...EMPTY,
    position_qty: quantityOf(exposure.market.spec, exposure.quantity),
    cost_position: amountOf(exposure.cost),
    settle_price: rateOf(exposure.settlePrice || exposure.averageOpen),
    average_open_price: rateOf(exposure.averageOpen),
  }
}

const EMPTY = {
  position_qty: 0,
  cost_position: 0,
  settle_price: 0,
  average_open_price: 0,
  pnl_24_h: 0,
  fee_24_h: 0,
}

function dayResult({ days }: Account, nowMs: number): number {
  const today = Math.floor(nowMs / DAY_MS)
  return days.findLast(({ day }) => day === today)?.realizedPnl ?? 0
}

function usdcText(amount: number): string {
  return exponentText(amount / MICRO)
}
