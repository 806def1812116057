import { amountAtRate, RATE_ONE } from '../../base/units.ts'
import type { TradingContext } from '../../exchange/trading-context.ts'
import { totalAccountValue } from '../../ledger/balances.ts'
import { accountMargin, freeCollateralAmount, refresh } from '../../margin/margin.ts'
import { wireRate, wireUsdc } from '../../messages/values.ts'
import { initialMarginRate, maintenanceMarginRate } from '../../state/margin-rates.ts'
import type { MarketAccount } from '../../state/state.ts'

/** An account's margin on the wire: micro-USDC, and ratios with eight decimals that count cross positions only. */
export type MarginFigures = {
  readonly collateral: number
  /** Balances at index prices, isolated margins, and the results of all positions. */
  readonly accountValue: number
  readonly freeCollateral: number
  readonly unsettledPnl: number
  readonly ratios: {
    readonly margin: number
    readonly marginWithOrders: number
    readonly initial: number
    readonly initialWithOrders: number
    readonly maintenance: number
    readonly maintenanceWithOrders: number
  }
}

/** The documented margin ratio of an account without a position is 10. */
const RATIO_WITHOUT_POSITION = 10 * RATE_ONE

export function marginFigures({ account, engine: { world } }: TradingContext): MarginFigures {
  const margin = accountMargin(account)
  const cross = account.used.filter(({ isolated }) => !isolated)
  const { collateral, notional, initialWithOrders, maintenance } = margin
  const withOrders = marginTotal(cross, (marketAccount) => marketAccount.notionalWithOrders)
  return {
    collateral,
    accountValue: totalAccountValue(world, account),
    freeCollateral: freeCollateralAmount(margin),
    unsettledPnl: marginTotal(account.used, ({ pnl }) => pnl),
    ratios: {
      margin: scaledRatio(collateral, notional, RATIO_WITHOUT_POSITION),
      marginWithOrders: scaledRatio(collateral, withOrders, RATIO_WITHOUT_POSITION),
      initial: scaledRatio(marginTotal(cross, initialMargin), notional),
      initialWithOrders: scaledRatio(initialWithOrders, withOrders),
      maintenance: scaledRatio(maintenance, notional),
      maintenanceWithOrders: scaledRatio(marginTotal(cross, orderMaintenanceMargin), withOrders),
    },
  }
}

/** The members of GET /v1/client/info that are about margin. */
export function marginSummary({ collateral, freeCollateral, unsettledPnl, ratios }: MarginFigures) {
  return {
    total_collateral_value: wireUsdc(collateral),
    free_collateral: wireUsdc(freeCollateral),
    total_unsettled_pnl: wireUsdc(unsettledPnl),
    margin_ratio: wireRate(ratios.margin),
    maintenance_margin_ratio: wireRate(ratios.maintenance),
  }
}

/** The margin rates of a market account, with eight decimals. */
export function marketMarginRates(marketAccount: MarketAccount) {
  if (marketAccount.stamp !== marketAccount.market.stamp) refresh(marketAccount)
  const { market, leverage, notional, notionalWithOrders } = marketAccount
  const { spec } = market
  return {
    imr: initialMarginRate(spec, leverage, notional),
    mmr: maintenanceMarginRate(spec, notional),
    imrWithOrders: initialMarginRate(spec, leverage, notionalWithOrders),
    mmrWithOrders: maintenanceMarginRate(spec, notionalWithOrders),
  }
}

function initialMargin(marketAccount: MarketAccount): number {
  return amountAtRate(marketAccount.notional, marketMarginRates(marketAccount).imr)
}

function orderMaintenanceMargin(marketAccount: MarketAccount): number {
  return amountAtRate(
    marketAccount.notionalWithOrders,
    marketMarginRates(marketAccount).mmrWithOrders,
  )
}

function scaledRatio(part: number, whole: number, fallback = 0): number {
  return whole === 0 ? fallback : Math.round((part / whole) * RATE_ONE)
}

function marginTotal(
  marketAccounts: readonly MarketAccount[],
  amountIn: (marketAccount: MarketAccount) => number,
): number {
  return marketAccounts.reduce((sum, marketAccount) => sum + amountIn(marketAccount), 0)
}
