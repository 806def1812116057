import { mulDiv } from '../../core/decimals.ts'
import {
  type Account,
  type ClosedPosition,
  type Exchange,
  type FundingCharge,
  leftOf,
  type Position,
  type Side,
} from '../exchange/state.ts'
import { liquidationPrice } from '../margin/liquidation.ts'
import type { Margin } from '../margin/margin.ts'
import { dayResultOf } from '../positions/day.ts'
import { absolute, sumOf } from '../units.ts'
import { fixed, micro } from '../wire/number.ts'
import { refusal } from '../wire/refusals.ts'

/** The account-wide figures of GET /v1/positions. */
export function ratiosOf({ collateral, freeCollateral, ratios }: Margin) {
  return {
    current_margin_ratio_with_orders: fixed(ratios.marginWithOrders),
    free_collateral: micro(freeCollateral),
    initial_margin_ratio: fixed(ratios.initial),
    initial_margin_ratio_with_orders: fixed(ratios.initialWithOrders),
    maintenance_margin_ratio: fixed(ratios.maintenance),
    maintenance_margin_ratio_with_orders: fixed(ratios.maintenanceWithOrders),
    margin_ratio: fixed(ratios.margin),
    open_margin_ratio: fixed(ratios.marginWithOrders),
    total_collateral_value: micro(collateral),
    account_value: micro(collateral),
  }
}

/** A position's row, and its result of the last 24 hours for the account's total. */
export function positionRow(
  { feed }: Exchange,
  account: Account,
  position: Position,
  margin: Margin,
  nowMs: number,
) {
  const { symbol } = position
  const exposure = margin.exposures.get(symbol)
  if (!exposure) throw refusal('notFound')
  const day = dayResultOf(account, position, (atMs) => feed.mark(symbol, atMs), nowMs)
  const row = {
    symbol,
    position_qty: fixed(position.quantity),
    cost_position: micro(position.cost),
    last_sum_unitary_funding: fixed(position.lastSumUnitary),
    pending_long_qty: fixed(pendingOf(account, symbol, 'BUY')),
    pending_short_qty: fixed(pendingOf(account, symbol, 'SELL')),
    // Settled at its mark once pnl is settled; until then, where it was entered.
    settle_price: fixed(position.averageOpen),
    average_open_price: fixed(position.averageOpen),
    unsettled_pnl: micro(exposure.unsettledPnl),
    mark_price: fixed(exposure.mark),
    est_liq_price: fixed(liquidationPrice(margin, exposure)),
    timestamp: position.life?.openedAtMs ?? position.updatedAtMs,
    seq: position.seq,
    updated_time: position.updatedAtMs,
    leverage: exposure.leverage,
    imr: fixed(exposure.imr),
    mmr: fixed(exposure.mmr),
    IMR_withdraw_orders: fixed(exposure.imrWithOrders),
    MMR_with_orders: fixed(exposure.mmrWithOrders),
    pnl_24_h: micro(day.pnl),
    fee_24_h: micro(day.fees),
    margin_mode: 'CROSS',
    margin: 0,
    accrued_funding_fee: micro(position.accruedFunding),
  }
  return { row, dayPnl: day.pnl }
}

/** A row of GET /v1/position_history. */
export function closedRow(closed: ClosedPosition) {
  const averageClose = mulDiv(closed.closedValue, 1n, closed.closedQuantity, 'half')
  return {
    position_id: closed.id,
    status: 'closed',
    type: 'active',
    symbol: closed.symbol,
    avg_open_price: fixed(closed.averageOpen),
    avg_close_price: fixed(averageClose),
    max_position_qty: fixed(closed.maxQuantity),
    closed_position_qty: fixed(closed.closedQuantity),
    side: closed.side,
    trading_fee: micro(closed.tradingFee),
    accumulated_funding_fee: micro(closed.funding),
    insurance_fund_fee: 0,
    liquidator_fee: 0,
    liquidation_id: null,
    realized_pnl: micro(closed.realizedPnl),
    open_timestamp: closed.openedAtMs,
    close_timestamp: closed.closedAtMs,
    last_update_timestamp: closed.closedAtMs,
    leverage: closed.leverage,
    margin_mode: 'CROSS',
  }
}

/** A row of GET /v1/funding_fee/history: the sign of the fee is in `payment_type`. */
export function fundingRow({ symbol, rate, mark, fee, atMs }: FundingCharge) {
  return {
    symbol,
    funding_rate: fixed(rate),
    mark_price: fixed(mark),
    funding_fee: micro(absolute(fee)),
    payment_type: fee < 0n ? 'Receive' : 'Pay',
    status: 'Accrued',
    created_time: atMs,
    updated_time: atMs,
    margin_mode: 'CROSS',
  }
}

/** What open orders would still buy or sell, reduce-only ones included. */
function pendingOf({ open }: Account, symbol: string, side: Side): bigint {
  const orders = open.values().filter((order) => order.symbol === symbol && order.side === side)
  return sumOf(orders, leftOf)
}
