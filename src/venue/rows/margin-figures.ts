import { freeCollateralOf, marginOf, refresh } from '../engine/margin/margin.ts'
import { initialRate, maintenanceRate } from '../engine/margin/rates.ts'
import { accountValueOf } from '../engine/money/balances.ts'
import type { Exposure } from '../engine/state.ts'
import { ONE, shareOf } from '../engine/units.ts'
import type { Seat } from '../exchange/seat.ts'
import { amountOf, rateOf } from './figures.ts'

/** An account's margin as the wire tells it: micro-USDC, and ratios of eight decimals. Isolated positions stand alone. */
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

export function figuresOf({ account, engine: { world } }: Seat): MarginFigures {
  const margin = marginOf(account)
  const cross = account.used.filter(({ isolated }) => !isolated)
  const { collateral, notional, initialWithOrders, maintenance } = margin
  const withOrders = sumOf(cross, (exposure) => exposure.notionalWithOrders)
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

/** What GET /v1/client/info tells of it. */
export function summaryOf({ collateral, freeCollateral, unsettledPnl, ratios }: MarginFigures) {
  return {
    total_collateral_value: amountOf(collateral),
    free_collateral: amountOf(freeCollateral),
    total_unsettled_pnl: amountOf(unsettledPnl),
    margin_ratio: rateOf(ratios.margin),
    maintenance_margin_ratio: rateOf(ratios.maintenance),
  }
}

/** A market's own rates for what an account has there: eight decimals. */
export function ratesOf(exposure: Exposure) {
  if (exposure.stamp !== exposure.market.stamp) refresh(exposure)
  const { market, leverage, notional, notionalWithOrders } = exposure
  const { spec } = market
  return {
    imr: initialRate(spec, leverage, notional),
    mmr: maintenanceRate(spec, notional),
    imrWithOrders: initialRate(spec, leverage, notionalWithOrders),
    mmrWithOrders: maintenanceRate(spec, notionalWithOrders),
  }
}

function initialOf(exposure: Exposure): number {
  return shareOf(exposure.notional, ratesOf(exposure).imr)
}

function maintenanceWithOrdersOf(exposure: Exposure): number {
  return shareOf(exposure.notionalWithOrders, ratesOf(exposure).mmrWithOrders)
}

function ratioOf(part: number, whole: number, fallback = 0): number {
  return whole === 0 ? fallback : Math.round((part / whole) * ONE)
}

function sumOf(exposures: readonly Exposure[], amountIn: (exposure: Exposure) => number): number {
  return exposures.reduce((sum, exposure) => sum + amountIn(exposure), 0)
}
