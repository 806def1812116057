import { RATE_ONE } from '../../base/units.ts'
import type { HistoricalPrice, TradingContext } from '../../exchange/trading-context.ts'
import type { ClosedRow, FundingRow, LiquidationRow } from '../../history/account-rows.ts'
import { dayFlowsFromMs } from '../../history/flows.ts'
import { positionLiquidationPrice } from '../../margin/liquidation-price.ts'
import {
  marginModeText,
  wirePrice,
  wireQuantity,
  wireRate,
  wireUsdc,
} from '../../messages/values.ts'
import { notionalAt } from '../../state/markets.ts'
import { BUY, type EngineMarket, type MarketAccount } from '../../state/state.ts'
import { type MarginFigures, marketMarginRates } from './margin-figures.ts'

/** The figures of the whole account in GET /v1/positions. */
export function accountRatios({ collateral, accountValue, freeCollateral, ratios }: MarginFigures) {
  return {
    current_margin_ratio_with_orders: wireRate(ratios.marginWithOrders),
    free_collateral: wireUsdc(freeCollateral),
    initial_margin_ratio: wireRate(ratios.initial),
    initial_margin_ratio_with_orders: wireRate(ratios.initialWithOrders),
    maintenance_margin_ratio: wireRate(ratios.maintenance),
    maintenance_margin_ratio_with_orders: wireRate(ratios.maintenanceWithOrders),
    margin_ratio: wireRate(ratios.margin),
    open_margin_ratio: wireRate(ratios.marginWithOrders),
    total_collateral_value: wireUsdc(collateral),
    account_value: wireUsdc(accountValue),
  }
}

/** The row of a position, and the position's result of the last 24 hours. The account's total includes this result. */
export function positionRow(
  context: TradingContext,
  marketAccount: MarketAccount,
  priceThen: HistoricalPrice,
  nowMs: number,
) {
  const { market, quantity, life } = marketAccount
  const { spec } = market
  const rates = marketMarginRates(marketAccount)
  const day = dayResult(context, marketAccount, priceThen, nowMs)
  const row = {
    symbol: spec.symbol,
    position_qty: wireQuantity(spec, quantity),
    cost_position: wireUsdc(marketAccount.cost),
    last_sum_unitary_funding: wireRate(life ? market.sumUnitary : 0),
    // Margin and pending quantities leave out reduce-only orders, because these cannot grow a position.
    pending_long_qty: wireQuantity(spec, marketAccount.buys),
    pending_short_qty: wireQuantity(spec, marketAccount.sells),
    settle_price: wireRate(marketAccount.settlePrice || marketAccount.averageOpen),
    average_open_price: wireRate(marketAccount.averageOpen),
    unsettled_pnl: wireUsdc(marketAccount.pnl),
    mark_price: wirePrice(spec, market.mark),
    est_liq_price: wirePrice(spec, positionLiquidationPrice(marketAccount)),
    timestamp: life?.openedAtMs ?? marketAccount.updatedAtMs,
    seq: marketAccount.sequence,
    updated_time: marketAccount.updatedAtMs,
    leverage: marketAccount.leverage,
    imr: wireRate(rates.imr),
    mmr: wireRate(rates.mmr),
    IMR_withdraw_orders: wireRate(rates.imrWithOrders),
    MMR_with_orders: wireRate(rates.mmrWithOrders),
    pnl_24_h: wireUsdc(day.pnl),
    fee_24_h: wireUsdc(day.fees),
    margin_mode: marginModeText(marketAccount),
    margin: wireUsdc(marketAccount.margin),
    accrued_funding_fee: wireUsdc(marketAccount.accruedFunding),
  }
  return { row, dayPnl: day.pnl }
}

/**
 * The liquidation that ended a position. The liquidated account is the position's owner, or another account for which
 * the position was deleveraged.
 */
export type Cause = { readonly type: 'liquidated' | 'adl'; readonly id: number }

/** A row of GET /v1/position_history. */
export function closedPositionShape(
  closed: ClosedRow,
  { spec }: EngineMarket,
  cause: Cause | null,
) {
  const { closedQuantity, closedValue } = closed
  return {
    position_id: closed.id,
    status: 'closed',
    type: cause?.type ?? 'active',
    symbol: spec.symbol,
    avg_open_price: wireRate(closed.averageOpen),
    avg_close_price: wirePrice(spec, closedQuantity === 0 ? 0 : closedValue / closedQuantity),
    max_position_qty: wireQuantity(spec, closed.maxQuantity),
    closed_position_qty: wireQuantity(spec, closedQuantity),
    side: closed.side === BUY ? 'LONG' : 'SHORT',
    trading_fee: wireUsdc(closed.tradingFee),
    accumulated_funding_fee: wireUsdc(closed.funding),
    insurance_fund_fee: wireUsdc(closed.fundFee ?? 0),
    liquidator_fee: wireUsdc(closed.liquidatorFee ?? 0),
    liquidation_id: cause?.id ?? null,
    realized_pnl: wireUsdc(closed.realizedPnl),
    open_timestamp: closed.openedAtMs,
    close_timestamp: closed.closedAtMs,
    last_update_timestamp: closed.closedAtMs,
    leverage: closed.leverage,
    margin_mode: marginModeText(closed),
  }
}

/** A row of GET /v1/funding_fee/history. `payment_type` shows the sign of the fee. */
export function fundingShape(charge: FundingRow, { spec }: EngineMarket) {
  return {
    symbol: spec.symbol,
    funding_rate: wireRate(charge.rate),
    mark_price: wirePrice(spec, charge.mark),
    funding_fee: wireUsdc(Math.abs(charge.fee)),
    payment_type: charge.fee < 0 ? 'Receive' : 'Pay',
    status: charge.settledAtMs === undefined ? 'Accrued' : 'Settled',
    created_time: charge.atMs,
    updated_time: charge.settledAtMs ?? charge.atMs,
    margin_mode: marginModeText(charge),
  }
}

/**
 * The result of a position in the last 1440 minutes, in micro-USDC. It is the value now, minus the value 1440 minutes
 * ago, minus the cost of all trades and takeovers in between.
 */
function dayResult(
  context: TradingContext,
  marketAccount: MarketAccount,
  priceThen: HistoricalPrice,
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
  const valueBefore = before === 0 ? 0 : notionalAt(market.spec, priceThen(market, fromMs), before)
  return { pnl: notionalAt(market.spec, market.mark, quantity) - valueBefore - paid, fees }
}

/** Changes of a position without a trade: steps bought minus sold, then cost and fees in micro-USDC. */
type Flow = { readonly bought: number; readonly paid: number; readonly fees: number }

/** The changes of a position by liquidations since a time. */
function takeoverFlow(context: TradingContext, marketAccount: MarketAccount, fromMs: number): Flow {
  let [bought, paid, fees] = [0, 0, 0]
  for (const part of takeoverMoves(context, marketAccount, fromMs)) {
    bought += part.moved
    paid += notionalAt(marketAccount.market.spec, part.price, part.moved)
    fees += part.fees
  }
  return { bought, paid, fees }
}

function takeoverMoves(
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

/** The parts of a liquidated account's positions that other accounts took over, one row per part. */
export function takeoverRows({ takeovers }: LiquidationRow, markets: readonly EngineMarket[]) {
  return takeovers.flatMap(({ market: number, quantity, price, liquidatorFee, fundFee }) => {
    const spec = markets[number]?.spec
    if (!spec) return []
    const notional = notionalAt(spec, price, quantity)
    return {
      symbol: spec.symbol,
      position_qty: wireQuantity(spec, quantity),
      liquidator_fee: wireRate(scaledShare(liquidatorFee, notional)),
      cost_position_transfer: wireUsdc(notional),
      transfer_price: wirePrice(spec, price),
      insurance_fund_fee: wireRate(scaledShare(fundFee, notional)),
      abs_insurance_fund_fee: wireUsdc(fundFee),
      abs_liquidator_fee: wireUsdc(liquidatorFee),
    }
  })
}

/** A row of GET /v1/liquidations. */
export function ownLiquidation(row: LiquidationRow, markets: readonly EngineMarket[]) {
  const { id, atMs, transferred, collateral, maintenance, notional, takeovers } = row
  const held = takeovers.flatMap(({ market: number, held: quantity, price }) => {
    const spec = markets[number]?.spec
    return spec
      ? { total_position: wireQuantity(spec, quantity), mark_price: wirePrice(spec, price) }
      : []
  })
  return {
    liquidation_id: id,
    timestamp: atMs,
    transfer_amount_to_insurance_fund: wireUsdc(transferred),
    margin_ratio: wireRate(scaledShare(collateral, notional)),
    account_mmr: wireRate(scaledShare(maintenance, notional)),
    position_notional: wireUsdc(notional),
    collateral_value: wireUsdc(collateral),
    positions_by_perp: takeoverRows(row, markets).map((taken, at) => ({ ...held[at], ...taken })),
  }
}

/** A part divided by its whole, with eight decimals. */
function scaledShare(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / Math.abs(whole)) * RATE_ONE)
}
