import { ONE, shareOf } from '../../base/units.ts'
import type { TradingContext } from '../../exchange/trading-context.ts'
import { accountValueOf } from '../../ledger/balances.ts'
import { freeCollateralOf, marginOf, refresh } from '../../margin/margin.ts'
import { amountOf, rateOf } from '../../messages/values.ts'
import { initialRate, maintenanceRate } from '../../state/margin-rates.ts'
import type { MarketAccount } from '../../state/state.ts'

/** An account's margin for the wire: micro-USDC, and ratios of eight decimals, of cross positions alone. */
export type MarginFigures = {
  readonly collateral: number
  /** Balances at index prices, isolated margins and all results. */
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

/** Ten, the documented margin ratio of an account without a position. */
const RATIO_WITHOUT_POSITION = 10 * ONE

export function figuresOf({ account, engine: { world } }: TradingContext): MarginFigures {
  const margin = marginOf(account)
  const cross = account.used.filter(({ isolated }) => !isolated)
  const { collateral, notional, initialWithOrders, maintenance } = margin
  const withOrders = sumOf(cross, (marketAccount) => marketAccount.notionalWithOrders)
  return {
    collateral,
    accountValue: accountValueOf(world, account),
    freeCollateral: freeCollateralOf(margin),
    unsettledPnl: sumOf(account.used, ({ pnl }) => pnl),
    ratios: {
      margin: ratioOf(collateral, notional, RATIO_WITHOUT_POSITION),
      marginWithOrders: ratioOf(collateral, withOrders, RATIO_WITHOUT_POSITION),
      initial: ratioOf(sumOf(cross, initialOf), notional),
      initialWithOrders: ratioOf(initialWithOrders, withOrders),
      maintenance: ratioOf(maintenance, notional),
      maintenanceWithOrders: ratioOf(sumOf(cross, maintenanceWithOrdersOf), withOrders),
    },
  }
}

/** The members of GET /v1/client/info about margin. */
export function summaryOf({ collateral, freeCollateral, unsettledPnl, ratios }: MarginFigures) {
  return {
    total_collateral_value: amountOf(collateral),
    free_collateral: amountOf(freeCollateral),
    total_unsettled_pnl: amountOf(unsettledPnl),
    margin_ratio: rateOf(ratios.margin),
    maintenance_margin_ratio: rateOf(ratios.maintenance),
  }
}

/** The margin rates of a market account: eight decimals. */
export function ratesOf(marketAccount: MarketAccount) {
  if (marketAccount.stamp !== marketAccount.market.stamp) refresh(marketAccount)
  const { market, leverage, notional, notionalWithOrders } = marketAccount
  const { spec } = market
  return {
    imr: initialRate(spec, leverage, notional),
    mmr: maintenanceRate(spec, notional),
    imrWithOrders: initialRate(spec, leverage, notionalWithOrders),
    mmrWithOrders: maintenanceRate(spec, notionalWithOrders),
  }
}

function initialOf(marketAccount: MarketAccount): number {
  return shareOf(marketAccount.notional, ratesOf(marketAccount).imr)
}

function maintenanceWithOrdersOf(marketAccount: MarketAccount): number {
  return shareOf(marketAccount.notionalWithOrders, ratesOf(marketAccount).mmrWithOrders)
}

function ratioOf(part: number, whole: number, fallback = 0): number {
  return whole === 0 ? fallback : Math.round((part / whole) * ONE)
}

function sumOf(
  marketAccounts: readonly MarketAccount[],
  amountIn: (marketAccount: MarketAccount) => number,
): number {
  return marketAccounts.reduce((sum, marketAccount) => sum + amountIn(marketAccount), 0)
}
