import { mulDiv } from '../../../core/decimals.ts'
import { scaledOf } from '../../market/decimal-text.ts'
import {
  createLiquidations,
  type Liquidation,
  type LiquidationMoment,
  type Liquidations,
} from '../../market/liquidations.ts'
import type { MarketFeed } from '../../market/seeded-feed.ts'
import { ONE } from '../../units.ts'
import { fixed, micro } from '../../wire/number.ts'
import { pageOf, periodOf, queryText } from '../../wire/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'

/** A position is under liquidation for so long, and then it is history. */
const UNDERWAY_MS = 90_000
const PAGE_DEFAULT_ROWS = 60

/** The public rows about liquidations, exchange-wide and anonymous. */
export function liquidationRows({ feed }: { readonly feed: MarketFeed }): readonly VenueRow[] {
  const liquidations = createLiquidations(feed)
  return [
    publicRead('/v1/public/liquidation', (call) => {
      const { nowMs } = call
      const moments = liquidations.moments(nowMs - UNDERWAY_MS, nowMs + 1, nowMs)
      return page(liquidations, moments, call, underwayRow)
    }),
    publicRead('/v1/public/liquidated_positions', (call) => {
      const moments = liquidations.moments(0, call.nowMs - UNDERWAY_MS, call.nowMs)
      return page(liquidations, moments, call, finishedRow)
    }),
  ]
}

function page(
  liquidations: Liquidations,
  moments: readonly LiquidationMoment[],
  { query }: VenueCall,
  rowOf: (liquidation: Liquidation) => unknown,
) {
  const symbol = queryText(query, 'symbol')
  const isWithin = periodOf(query)
  const chosen = moments.filter(
    ({ atMs, market }) => isWithin(atMs) && (symbol === null || market.symbol === symbol),
  )
  const { meta, rows } = pageOf(chosen, query, PAGE_DEFAULT_ROWS)
  return { meta, rows: rows.map((moment) => rowOf(liquidations.complete(moment))) }
}

function underwayRow({ id, atMs, market, quantity }: Liquidation) {
  return {
    timestamp: atMs,
    type: 'liquidated',
    liquidation_id: id,
    positions_by_perp: [
      {
        symbol: market.symbol,
        position_qty: fixed(quantity),
        liquidator_fee: fixed(scaledOf(market.tier.liquidatorFee)),
      },
    ],
  }
}

/** The fee is split between the liquidator and the insurance fund; nothing is left over for the fund to take on. */
function finishedRow({ id, atMs, market, quantity, price, notional }: Liquidation) {
  const { tier, symbol } = market
  const liquidatorRate = scaledOf(tier.liquidatorFee)
  const fundRate = scaledOf(tier.liquidationFee) - liquidatorRate
  return {
    timestamp: atMs,
    liquidation_id: id,
    transfer_amount_to_insurance_fund: 0,
    type: 'liquidated',
    positions_by_perp: [
      {
        symbol,
        // Nanoseconds, as whole digits: they are beyond what a float can hold.
        seq: fixed(BigInt(atMs) * 1_000_000n * ONE),
        position_qty: fixed(quantity),
        liquidator_fee: fixed(liquidatorRate),
        cost_position_transfer: micro(quantity < 0n ? -notional : notional),
        transfer_price: fixed(price),
        insurance_fund_fee: fixed(fundRate),
        abs_insurance_fund_fee: micro(mulDiv(notional, fundRate, ONE, 'ceil')),
        abs_liquidator_fee: micro(mulDiv(notional, liquidatorRate, ONE, 'ceil')),
      },
    ],
  }
}
