import { DAY_MS } from '../../../contract/durations.ts'
import { DECIMAL_ONE } from '../../base/decimals.ts'
import { randomAt, randomStream } from '../../base/rng.ts'
import { amountAtRate, MICRO } from '../../base/units.ts'
import type { Simulation } from '../../exchange/simulation.ts'
import type { LiquidationRow } from '../../history/account-rows.ts'
import { periodFilter, queryText, shapedPage } from '../../messages/page.ts'
import { publicReadRows, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { fixed, wireUsdc } from '../../messages/values.ts'
import type { SeededFeed } from '../../past/seeded-feed.ts'
import { notionalAt } from '../../state/markets.ts'
import type { EngineMarket } from '../../state/state.ts'
import { takeoverRows } from '../positions/shapes.ts'

/** For this long, a liquidation is shown as current. */
const UNDERWAY_MS = 90_000
const PAGE_DEFAULT_ROWS = 60
const HISTORY_MS = 30 * DAY_MS

/** A liquidation with its markets. The row is created when it is read. */
type Listed = {
  readonly atMs: number
  readonly markets: readonly EngineMarket[]
  readonly row: () => LiquidationRow
}

/** Public endpoints about liquidations. They cover the whole exchange and name no accounts. */
export function publicLiquidationRows({
  past,
  simulation,
}: {
  readonly past: SeededFeed
  readonly simulation: () => Simulation
}): readonly VenueRow[] {
  const list =
    (shape: typeof runningTakeover | typeof finished, isListed: (ageMs: number) => boolean) =>
    ({ query, nowMs }: VenueCall) => {
      const { markets } = simulation().engine.world.exchange
      const symbol = queryText(query, 'symbol')
      const isWithin = periodFilter(query)
      const chosen = [
        ...sinceBeginning(simulation(), nowMs),
        ...seededLiquidations(past, simulation(), nowMs),
      ]
        .filter(({ atMs }) => isWithin(atMs) && isListed(nowMs - atMs))
        .filter(
          (each) => symbol === null || each.markets.some(({ spec }) => spec.symbol === symbol),
        )
      return shapedPage(chosen, query, ({ row }) => shape(row(), markets), PAGE_DEFAULT_ROWS)
    }
  return publicReadRows({
    '/v1/public/liquidation': list(runningTakeover, (ageMs) => ageMs <= UNDERWAY_MS),
    '/v1/public/liquidated_positions': list(finished, (ageMs) => ageMs > UNDERWAY_MS),
  })
}

function runningTakeover(row: LiquidationRow, markets: readonly EngineMarket[]) {
  const positions = takeoverRows(row, markets)
  return {
    ...liquidationIdentity(row),
    positions_by_perp: positions.map(({ symbol, position_qty, liquidator_fee }) => ({
      ...{ symbol, position_qty, liquidator_fee },
    })),
  }
}

function finished(row: LiquidationRow, markets: readonly EngineMarket[]) {
  // Nanoseconds are written as digits, because they exceed the precision of floats.
  const seq = fixed(BigInt(row.atMs) * 1_000_000n * DECIMAL_ONE)
  return {
    ...liquidationIdentity(row),
    transfer_amount_to_insurance_fund: wireUsdc(row.transferred),
    positions_by_perp: takeoverRows(row, markets).map((position) => ({ ...position, seq })),
  }
}

function liquidationIdentity({ atMs, id, takeovers }: LiquidationRow) {
  const type = takeovers.some(({ by }) => by === 'adl') ? 'adl' : 'liquidated'
  return { timestamp: atMs, liquidation_id: id, type }
}

/** The engine's liquidations since the world began, newest first. */
function sinceBeginning({ engine, records }: Simulation, nowMs: number): Listed[] {
  const { markets } = engine.world.exchange
  const recent = records.liquidations.filter(({ atMs }) => atMs > nowMs - HISTORY_MS)
  return recent.toReversed().map((row) => ({
    atMs: row.atMs,
    markets: row.takeovers.flatMap(({ market }) => markets[market] ?? []),
    row: () => row,
  }))
}

const SLOT_MS = 600_000
const NOTIONAL_MIN_USDC = 150
const NOTIONAL_MAX_USDC = 25_000

/**
 * The seeded liquidations of the month before the world began, newest first. In every ten minutes, liquidators take
 * over one position in a random market.
 */
function seededLiquidations(past: SeededFeed, { engine }: Simulation, nowMs: number): Listed[] {
  const { markets } = engine.world.exchange
  const of = (name: string) => randomStream(past.seed, 'liquidation', name)
  const [moments, choices, sizes, sides] = [of('moment'), of('market'), of('size'), of('side')]
  const [startMs, endMs] = [nowMs - HISTORY_MS, Math.min(engine.world.beginsAtMs, nowMs + 1)]
  const listed: Listed[] = []
  for (let id = Math.floor(endMs / SLOT_MS); id >= Math.floor(startMs / SLOT_MS); id--) {
    const atMs = id * SLOT_MS + Math.floor(randomAt(moments, id) * SLOT_MS)
    const market = markets[Math.floor(randomAt(choices, id) * markets.length)]
    if (!market || atMs < startMs || atMs >= endMs) continue
    const usdc = NOTIONAL_MIN_USDC * (NOTIONAL_MAX_USDC / NOTIONAL_MIN_USDC) ** randomAt(sizes, id)
    const isLong = randomAt(sides, id) < 0.5
    listed.push({
      atMs,
      markets: [market],
      row: () => seededRow(past, market, { id, atMs, usdc, isLong }),
    })
  }
  return listed
}

type Seeded = Pick<LiquidationRow, 'id' | 'atMs'> & {
  readonly usdc: number
  readonly isLong: boolean
}

/** A seeded liquidation. Liquidator and insurance fund share the fee, and the fund takes over no position. */
function seededRow(
  past: SeededFeed,
  market: EngineMarket,
  { id, atMs, usdc, isLong }: Seeded,
): LiquidationRow {
  const { number, spec } = market
  const price = Number(past.mark(spec.symbol, atMs) / BigInt(spec.tick))
  const steps = Math.ceil((usdc * MICRO) / notionalAt(spec, price, 1))
  const quantity = isLong ? steps : -steps
  const notional = notionalAt(spec, price, steps)
  const liquidatorFee = amountAtRate(notional, spec.liquidatorFee)
  const fundFee = amountAtRate(notional, spec.liquidationFee - spec.liquidatorFee)
  const takeover = { market: number, quantity, held: quantity, price, liquidatorFee, fundFee }
  return {
    ...{ id, atMs, account: 0, isolated: false, transferred: 0 },
    ...{ collateral: 0, notional, maintenance: 0 },
    takeovers: [{ ...takeover, to: 0, isolated: false, by: 'liquidator' }],
  }
}
