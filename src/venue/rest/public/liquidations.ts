import { mulDiv } from '../../../core/decimals.ts'
import { DAY_MS } from '../../../spec/durations.ts'
import { notionalOf, ONE, scaledOf } from '../../base/decimals.ts'
import { draw, stream } from '../../base/rng.ts'
import type { Simulation } from '../../exchange/simulation.ts'
import type { LiquidationRow } from '../../history/records.ts'
import type { Market } from '../../listing/instruments.ts'
import { periodOf, queryText, shapedPage } from '../../messages/page.ts'
import { publicReads, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { fixed, micro } from '../../messages/values.ts'
import type { SeededFeed } from '../../past/seeded-feed.ts'
import { takeoverRows } from '../positions/shapes.ts'

/** A position is under liquidation for so long, and then it is history. */
const UNDERWAY_MS = 90_000
const PAGE_DEFAULT_ROWS = 60
const HISTORY_MS = 30 * DAY_MS

type Parts = { readonly past: SeededFeed; readonly simulation: () => Simulation }

/** One liquidation as both lists tell it. */
type ShownLiquidation = {
  readonly atMs: number
  readonly symbols: readonly string[]
  readonly underway: () => unknown
  readonly finished: () => unknown
}

/** The public rows about liquidations, exchange-wide and anonymous. */
export function liquidationRows({ past, simulation }: Parts): readonly VenueRow[] {
  const seeded = createLiquidations(past)
  const allOf = (nowMs: number): ShownLiquidation[] => {
    const { beginsAtMs } = simulation().engine.world
    const before = seeded.moments(0, Math.min(beginsAtMs, nowMs + 1), nowMs)
    return [
      ...shownSince(simulation(), nowMs).reverse(),
      ...before.map((moment) => toldBefore(seeded, moment)),
    ]
  }
  return publicReads({
    '/v1/public/liquidation': (call) => {
      const current = allOf(call.nowMs).filter(({ atMs }) => atMs >= call.nowMs - UNDERWAY_MS)
      return page(current, call, ({ underway }) => underway())
    },
    '/v1/public/liquidated_positions': (call) => {
      const over = allOf(call.nowMs).filter(({ atMs }) => atMs < call.nowMs - UNDERWAY_MS)
      return page(over, call, ({ finished }) => finished())
    },
  })
}

function page(
  all: readonly ShownLiquidation[],
  { query }: VenueCall,
  rowOf: (liquidation: ShownLiquidation) => unknown,
) {
  const symbol = queryText(query, 'symbol')
  const isWithin = periodOf(query)
  const chosen = all.filter(
    ({ atMs, symbols }) => isWithin(atMs) && (symbol === null || symbols.includes(symbol)),
  )
  return shapedPage(chosen, query, rowOf, PAGE_DEFAULT_ROWS)
}

/** What the engine liquidated, oldest first. */
function shownSince({ engine, records }: Simulation, nowMs: number): ShownLiquidation[] {
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
): ShownLiquidation {
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

/** One seeded position that liquidators take over. `quantity` is signed: below zero, a short. */
type Liquidation = {
  readonly id: number
  readonly atMs: number
  readonly market: Market
  readonly quantity: bigint
  readonly price: bigint
  /** USDC with six decimals. */
  readonly notional: bigint
}

/** When and in which market, without what costs more to compute. */
type LiquidationMoment = Pick<Liquidation, 'id' | 'atMs' | 'market'>

/** The trickle of seeded liquidations, as it was before genesis. */
type Liquidations = {
  /** Those with fromMs <= atMs < toMs, newest first, none older than a month. */
  readonly moments: (fromMs: number, toMs: number, nowMs: number) => readonly LiquidationMoment[]
  readonly complete: (moment: LiquidationMoment) => Liquidation
}

const SLOT_MS = 600_000
const NOTIONAL_MIN_USDC = 150
const NOTIONAL_MAX_USDC = 25_000

/** Somewhere in every ten minutes one position is liquidated, in a market drawn at random. */
function createLiquidations(feed: SeededFeed): Liquidations {
  const markets = [...feed.instruments.values()]
  const moments = stream(feed.seed, 'liquidation', 'moment')
  const choices = stream(feed.seed, 'liquidation', 'market')
  const sizes = stream(feed.seed, 'liquidation', 'size')
  const sides = stream(feed.seed, 'liquidation', 'side')

  return {
    moments: (fromMs, toMs, nowMs) => {
      const found: LiquidationMoment[] = []
      const end = Math.min(toMs, nowMs + 1)
      const start = Math.max(fromMs, nowMs - HISTORY_MS)
      for (let id = Math.floor(end / SLOT_MS); id >= Math.floor(start / SLOT_MS); id--) {
        const atMs = id * SLOT_MS + Math.floor(draw(moments, id) * SLOT_MS)
        const market = markets[Math.floor(draw(choices, id) * markets.length)]
        if (market && atMs >= start && atMs < end) found.push({ id, atMs, market })
      }
      return found
    },
    complete: (moment) => {
      const { id, atMs, market } = moment
      const price = feed.mark(market.symbol, atMs)
      const usdc = NOTIONAL_MIN_USDC * (NOTIONAL_MAX_USDC / NOTIONAL_MIN_USDC) ** draw(sizes, id)
      const steps = Math.ceil(usdc / (Number(price / market.quoteTick) * market.unitUsdc))
      const size = BigInt(steps) * market.baseTick
      const quantity = draw(sides, id) < 0.5 ? size : -size
      return { ...moment, quantity, price, notional: notionalOf(price, size) }
    },
  }
}
