import { mulDiv } from '../../../core/decimals.ts'
import { DAY_MS } from '../../../spec/durations.ts'
import type { LiquidationRow } from '../../engine/records/records.ts'
import type { Floor } from '../../exchange/floor.ts'
import { scaledOf } from '../../market/decimal-text.ts'
import { createLiquidations, type LiquidationMoment } from '../../market/liquidations.ts'
import type { SeededFeed } from '../../market/seeded-feed.ts'
import { ONE } from '../../units.ts'
import { fixed, micro } from '../../wire/number.ts'
import { pageOf, periodOf, queryText } from '../../wire/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { takeoverRows } from '../liquidation-shapes.ts'

/** A position is under liquidation for so long, and then it is history. */
const UNDERWAY_MS = 90_000
const PAGE_DEFAULT_ROWS = 60
const HISTORY_MS = 30 * DAY_MS

type Parts = { readonly past: SeededFeed; readonly floor: () => Floor }

/** One liquidation as both lists tell it. */
type Told = {
  readonly atMs: number
  readonly symbols: readonly string[]
  readonly underway: () => unknown
  readonly finished: () => unknown
}

/** The public rows about liquidations, exchange-wide and anonymous. */
export function liquidationRows({ past, floor }: Parts): readonly VenueRow[] {
  const seeded = createLiquidations(past)
  const allOf = (nowMs: number): Told[] => {
    const { genesisMs } = floor().engine.world
    const before = seeded.moments(0, Math.min(genesisMs, nowMs + 1), nowMs)
    return [
      ...toldSince(floor(), nowMs).reverse(),
      ...before.map((moment) => toldBefore(seeded, moment)),
    ]
  }
  return [
    publicRead('/v1/public/liquidation', (call) => {
      const current = allOf(call.nowMs).filter(({ atMs }) => atMs >= call.nowMs - UNDERWAY_MS)
      return page(current, call, ({ underway }) => underway())
    }),
    publicRead('/v1/public/liquidated_positions', (call) => {
      const over = allOf(call.nowMs).filter(({ atMs }) => atMs < call.nowMs - UNDERWAY_MS)
      return page(over, call, ({ finished }) => finished())
    }),
  ]
}

function page(all: readonly Told[], { query }: VenueCall, rowOf: (told: Told) => unknown) {
  const symbol = queryText(query, 'symbol')
  const isWithin = periodOf(query)
  const chosen = all.filter(
    ({ atMs, symbols }) => isWithin(atMs) && (symbol === null || symbols.includes(symbol)),
  )
  const { meta, rows } = pageOf(chosen, query, PAGE_DEFAULT_ROWS)
  return { meta, rows: rows.map(rowOf) }
}

/** What the engine liquidated, oldest first. */
function toldSince({ engine, records }: Floor, nowMs: number): Told[] {
  const { markets } = engine.world.exchange
  const recent = records.liquidations.filter(({ atMs }) => atMs > nowMs - HISTORY_MS)
  return recent.map((row) => {
    const positions = takeoverRows(row, markets)
    return {
      atMs: row.atMs,
      symbols: positions.map(({ symbol }) => symbol),
      underway: () => ({
        ...identityOf(row),
        positions_by_perp: positions.map(({ symbol, position_qty, liquidator_fee }) => ({
          ...{ symbol, position_qty, liquidator_fee },
        })),
      }),
      finished: () => ({
        ...identityOf(row),
        transfer_amount_to_insurance_fund: micro(BigInt(row.transferred)),
        positions_by_perp: positions.map((position) => ({ ...position, seq: seqOf(row.atMs) })),
      }),
    }
  })
}

function identityOf({ atMs, id, takeovers }: LiquidationRow) {
  const type = takeovers.some(({ by }) => by === 'adl') ? 'adl' : 'liquidated'
  return { timestamp: atMs, liquidation_id: id, type }
}

/** Nanoseconds, as whole digits: they are beyond what a float can hold. */
function seqOf(atMs: number) {
  return fixed(BigInt(atMs) * 1_000_000n * ONE)
}

/** The fee is split between the liquidator and the insurance fund; nothing is left over for the fund to take on. */
function toldBefore(
  { complete }: ReturnType<typeof createLiquidations>,
  moment: LiquidationMoment,
): Told {
  const { id, atMs, market } = moment
  const { symbol, tier } = market
  const liquidatorRate = scaledOf(tier.liquidatorFee)
  const fundRate = scaledOf(tier.liquidationFee) - liquidatorRate
  const identity = { timestamp: atMs, liquidation_id: id, type: 'liquidated' }
  return {
    atMs,
    symbols: [symbol],
    underway: () => ({
      ...identity,
      positions_by_perp: [
        {
          symbol,
          position_qty: fixed(complete(moment).quantity),
          liquidator_fee: fixed(liquidatorRate),
        },
      ],
    }),
    finished: () => {
      const { quantity, price, notional } = complete(moment)
      return {
        ...identity,
        transfer_amount_to_insurance_fund: 0,
        positions_by_perp: [
          {
            symbol,
            seq: seqOf(atMs),
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
    },
  }
}
