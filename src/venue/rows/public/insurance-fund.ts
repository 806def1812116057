import { DAY_MS } from '../../../spec/durations.ts'
import { freeCollateralOf, marginOf, refresh } from '../../engine/margin/margin.ts'
import { worthOf } from '../../engine/markets.ts'
import type { FundFlow } from '../../engine/records/fund.ts'
import type { Exposure, Market } from '../../engine/state.ts'
import { MICRO } from '../../engine/units.ts'
import type { Floor } from '../../exchange/floor.ts'
import { exponentText } from '../../market/decimal-text.ts'
import { amountOf, priceOf, quantityOf, rateOf } from '../figures.ts'
import type { PriceThen } from '../positions/shapes.ts'

const RATIO_WITHOUT_POSITION = 10

/** GET /v1/public/insurancefund: an account like any other, that takes over what nobody else does. */
export function insuranceFund(floor: Floor, nowMs: number, priceThen: PriceThen) {
  const { fund, exchange } = floor.engine.world
  const margin = marginOf(fund)
  const { collateral, notional } = margin
  const value = usdcText(collateral)
  const flows = floor.fund.flows(nowMs)
  const days = exchange.markets.map((market) => {
    const own = flows.filter((flow) => flow.market === market.number)
    return dayOf(fund.exposures.get(market.number), own, market, priceThen, nowMs)
  })
  return {
    min_insurance_fund_initial_margin_ratio: 0.3,
    min_insurance_fund_margin_ratio: 0.25,
    margin_ratio: notional === 0 ? RATIO_WITHOUT_POSITION : collateral / notional,
    total_collateral_value: value,
    balance: usdcText(fund.holding),
    free_collateral: usdcText(freeCollateralOf(margin)),
    total_account_value: value,
    total_pnl_24_h: amountOf(days.reduce((sum, day) => sum + day.pnl + day.fees + day.left, 0)),
    rows: exchange.markets.map(({ number, spec, mark, sumUnitary }) => ({
      symbol: spec.symbol,
      timestamp: nowMs,
      mark_price: priceOf(spec, mark),
      last_sum_unitary_funding: rateOf(sumUnitary),
      ...holdingOf(fund.exposures.get(number)),
      pnl_24_h: amountOf(days[number]?.pnl ?? 0),
      fee_24_h: amountOf(days[number]?.fees ?? 0),
    })),
  }
}

/** What a market brought the fund in 24 hours: on its position, in fees, and in balances that were left to it. */
function dayOf(
  exposure: Exposure | undefined,
  flows: readonly FundFlow[],
  market: Market,
  priceThen: PriceThen,
  nowMs: number,
) {
  const sum = (figureOf: (flow: FundFlow) => number) =>
    flows.reduce((total, flow) => total + figureOf(flow), 0)
  const now = exposure?.quantity ?? 0
  const before = now - sum(({ quantity }) => quantity)
  const price = before === 0 ? 0 : priceThen(market, nowMs - DAY_MS)
  const gained = worthOf(market.spec, market.mark, now) - worthOf(market.spec, price, before)
  return {
    pnl: gained - sum(({ paid }) => paid),
    fees: sum(({ fees }) => fees),
    left: sum(({ transferred }) => transferred),
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
}

function usdcText(amount: number): string {
  return exponentText(amount / MICRO)
}
