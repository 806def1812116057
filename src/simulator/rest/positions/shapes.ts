import { ONE } from '../../base/units.ts'
import type { PriceThen, TradingContext } from '../../exchange/trading-context.ts'
import type { ClosedRow, FundingRow, LiquidationRow } from '../../history/account-rows.ts'
import { dayFlowsFromMs } from '../../history/flows.ts'
import { liquidationPrice } from '../../margin/liquidation-price.ts'
import { amountOf, modeOf, priceOf, quantityOf, rateOf } from '../../messages/values.ts'
import { notionalOf } from '../../state/markets.ts'
import { BUY, type Market, type MarketAccount } from '../../state/state.ts'
import { type MarginFigures, ratesOf } from './margin-figures.ts'

/** The account-wide figures of GET /v1/positions. */
export function ratiosOf({ collateral, accountValue, freeCollateral, ratios }: MarginFigures) {
  return {
    current_margin_ratio_with_orders: rateOf(ratios.marginWithOrders),
    free_collateral: amountOf(freeCollateral),
    initial_margin_ratio: rateOf(ratios.initial),
    initial_margin_ratio_with_orders: rateOf(ratios.initialWithOrders),
    maintenance_margin_ratio: rateOf(ratios.maintenance),
    maintenance_margin_ratio_with_orders: rateOf(ratios.maintenanceWithOrders),
    margin_ratio: rateOf(ratios.margin),
    open_margin_ratio: rateOf(ratios.marginWithOrders),
    total_collateral_value: amountOf(collateral),
    account_value: amountOf(accountValue),
  }
}

/** A position's row, and its result of the last 24 hours for the account's total. */
export function positionRow(
  context: TradingContext,
  marketAccount: MarketAccount,
  priceThen: PriceThen,
  nowMs: number,
) {
  const { market, quantity, life } = marketAccount
  const { spec } = market
  const rates = ratesOf(marketAccount)
  const day = dayResultOf(context, marketAccount, priceThen, nowMs)
  const row = {
    symbol: spec.symbol,
    position_qty: quantityOf(spec, quantity),
    cost_position: amountOf(marketAccount.cost),
    last_sum_unitary_funding: rateOf(life ? market.sumUnitary : 0),
    // Reduce-only orders are left out of margin and pending quantities, because they cannot grow a position.
    pending_long_qty: quantityOf(spec, marketAccount.buys),
    pending_short_qty: quantityOf(spec, marketAccount.sells),
    settle_price: rateOf(marketAccount.settlePrice || marketAccount.averageOpen),
    average_open_price: rateOf(marketAccount.averageOpen),
    unsettled_pnl: amountOf(marketAccount.pnl),
    mark_price: priceOf(spec, market.mark),
    est_liq_price: priceOf(spec, liquidationPrice(marketAccount)),
    timestamp: life?.openedAtMs ?? marketAccount.updatedAtMs,
    seq: marketAccount.sequence,
    updated_time: marketAccount.updatedAtMs,
    leverage: marketAccount.leverage,
    imr: rateOf(rates.imr),
    mmr: rateOf(rates.mmr),
    IMR_withdraw_orders: rateOf(rates.imrWithOrders),
    MMR_with_orders: rateOf(rates.mmrWithOrders),
    pnl_24_h: amountOf(day.pnl),
    fee_24_h: amountOf(day.fees),
    margin_mode: modeOf(marketAccount),
    margin: amountOf(marketAccount.margin),
    accrued_funding_fee: amountOf(marketAccount.accruedFunding),
  }
  return { row, dayPnl: day.pnl }
}

/** The liquidation that ended a position: of its owner, or of an account that it was deleveraged for. */
export type Cause = { readonly type: 'liquidated' | 'adl'; readonly id: number }

/** A row of GET /v1/position_history. */
export function closedRow(closed: ClosedRow, { spec }: Market, cause: Cause | null) {
  const { closedQuantity, closedValue } = closed
  return {
    position_id: closed.id,
    status: 'closed',
    type: cause?.type ?? 'active',
    symbol: spec.symbol,
    avg_open_price: rateOf(closed.averageOpen),
    avg_close_price: priceOf(spec, closedQuantity === 0 ? 0 : closedValue / closedQuantity),
    max_position_qty: quantityOf(spec, closed.maxQuantity),
    closed_position_qty: quantityOf(spec, closedQuantity),
    side: closed.side === BUY ? 'LONG' : 'SHORT',
    trading_fee: amountOf(closed.tradingFee),
    accumulated_funding_fee: amountOf(closed.funding),
    insurance_fund_fee: amountOf(closed.fundFee ?? 0),
    liquidator_fee: amountOf(closed.liquidatorFee ?? 0),
    liquidation_id: cause?.id ?? null,
    realized_pnl: amountOf(closed.realizedPnl),
    open_timestamp: closed.openedAtMs,
    close_timestamp: closed.closedAtMs,
    last_update_timestamp: closed.closedAtMs,
    leverage: closed.leverage,
    margin_mode: modeOf(closed),
  }
}

/** A row of GET /v1/funding_fee/history: the sign of the fee is in `payment_type`. */
export function fundingRow(charge: FundingRow, { spec }: Market) {
  return {
    symbol: spec.symbol,
    funding_rate: rateOf(charge.rate),
    mark_price: priceOf(spec, charge.mark),
    funding_fee: amountOf(Math.abs(charge.fee)),
    payment_type: charge.fee < 0 ? 'Receive' : 'Pay',
    status: charge.settledAtMs === undefined ? 'Accrued' : 'Settled',
    created_time: charge.atMs,
    updated_time: charge.settledAtMs ?? charge.atMs,
    margin_mode: modeOf(charge),
  }
}

/**
 * The result of a position in the last 1440 minutes, micro-USDC: current value minus the value then, minus the cost
 * of changes by trades and liquidations.
 */
function dayResultOf(
  context: TradingContext,
  marketAccount: MarketAccount,
  priceThen: PriceThen,
  nowMs: number,
): { readonly pnl: number; readonly fees: number } {
  const { market, isolated, quantity } = marketAccount
  const fromMs = dayFlowsFromMs(nowMs)
  let { bought, paid, fees } = takeoverFlow(context, marketAccount, fromMs)
  for (const flow of context.flows(nowMs)) {
    if (flow.market !== market.number || flow.isolated !== isolated) continue
    bought += flow.bought
    paid += flow.paid
    fees += flow.fees
  }
  const before = quantity - bought
  const valueBefore = before === 0 ? 0 : notionalOf(market.spec, priceThen(market, fromMs), before)
  return { pnl: notionalOf(market.spec, market.mark, quantity) - valueBefore - paid, fees }
}

/** Changes of a position without a trade: steps bought minus sold, their cost, and fees. Micro-USDC. */
type Flow = { readonly bought: number; readonly paid: number; readonly fees: number }

/** The changes of a position by liquidations since a time. */
function takeoverFlow(context: TradingContext, marketAccount: MarketAccount, fromMs: number): Flow {
  let [bought, paid, fees] = [0, 0, 0]
  for (const part of partsOf(context, marketAccount, fromMs)) {
    bought += part.moved
    paid += notionalOf(marketAccount.market.spec, part.price, part.moved)
    fees += part.fees
  }
  return { bought, paid, fees }
}

function partsOf(
  { liquidations }: TradingContext,
  { account: { number }, market, isolated }: MarketAccount,
  fromMs: number,
) {
  return liquidations
    .filter(({ atMs }) => atMs >= fromMs)
    .flatMap(({ account: owner, isolated: wasIsolated, takeovers }) =>
      takeovers
        .filter((part) => part.market === market.number)
        .flatMap(({ to, isolated: isToIsolated, quantity, price, liquidatorFee, fundFee }) => {
          if (owner === number && wasIsolated === isolated)
            return { moved: -quantity, price, fees: liquidatorFee + fundFee }
          return to === number && isToIsolated === isolated
            ? { moved: quantity, price, fees: 0 }
            : []
        }),
    )
}

/** The parts of an account's positions taken over by others, one row each. */
export function takeoverRows({ takeovers }: LiquidationRow, markets: readonly Market[]) {
  return takeovers.flatMap(({ market: number, quantity, price, liquidatorFee, fundFee }) => {
    const spec = markets[number]?.spec
    if (!spec) return []
    const notional = notionalOf(spec, price, quantity)
    return {
      symbol: spec.symbol,
      position_qty: quantityOf(spec, quantity),
      liquidator_fee: rateOf(shareOf(liquidatorFee, notional)),
      cost_position_transfer: amountOf(notional),
      transfer_price: priceOf(spec, price),
      insurance_fund_fee: rateOf(shareOf(fundFee, notional)),
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

/** A part as a share of a whole, eight decimals. */
function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / Math.abs(whole)) * ONE)
}
