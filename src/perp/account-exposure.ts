import { larger, mulDiv, PER_MICRO } from '../core/decimals.ts'
import { isObject } from '../core/json.ts'
import type { ReservedUse } from '../core/spending.ts'
import { fromMicros, product, toAmount, toMicros } from './amounts.ts'
import { type MarketBound, type OpeningOrder, worstValue } from './order-worst-case.ts'
import { type DayTotals, dayPnl, type PositionsDay, positionsDay } from './pnl.ts'
import {
  type MarginMode,
  type Position,
  parsePositions,
  parseSide,
  type Side,
} from './positions.ts'
import type { WaitingOrder } from './waiting.ts'

/** The value of an account's position in a market, and of the orders that may still buy and sell there, in USDC. */
export type Exposure = {
  readonly symbol: string
  /**
   * The margin mode; null if unknown. Exposures of unknown mode offset only exposures of unknown mode, so that they
   * never hide a known position.
   */
  readonly mode: MarginMode | null
  /** The value of the position; negative for a short position. */
  readonly held: bigint
  readonly buys: bigint
  readonly sells: bigint
}

/** An account's figures from the venue. Limits are checked with these figures. */
export type AccountFigures = {
  /** The wall-clock time at which the first of the reads was sent. */
  readonly askedAtMs: number
  readonly valueMicros: bigint
  /** The PnL of the last 24 hours in the positions answer. */
  readonly day: PositionsDay
  /** The PnL of the last 24 hours, realised and unrealised, plus the known fees and funding, in micro-USDC. */
  readonly dayResultMicros: bigint
  /** Positions and open orders at the mark price, and waiting conditional orders at their worst case. */
  readonly exposures: readonly Exposure[]
}

/**
 * The figures of an account in an answer to `GET /v1/positions`; null if a figure is missing. `withWaiting` adds
 * conditional orders, and `withDayResult` adds funding and fees from other reads.
 */
export function parseFigures(answer: unknown, askedAtMs: number): AccountFigures | null {
  if (!isObject(answer) || !Array.isArray(answer['rows'])) return null
  const value = toAmount(answer['account_value'])
  const positions = answer['rows'].every(isObject) ? parsePositions(answer) : null
  const day = positionsDay(answer)
  if (value === null || day.prices === null || !positions) return null
  return {
    askedAtMs,
    valueMicros: mulDiv(value, 1n, PER_MICRO, 'floor'),
    day,
    dayResultMicros: toMicrosNearest(day.prices + day.rowFees),
    exposures: positions.map(positionExposure),
  }
}

/**
 * The figures with the PnL of the last 24 hours, rounded to micro-USDC. Unknown funding, and unknown fees of settled
 * positions, are left out; a loss limit then applies to the rest.
 */
export function withDayResult(figures: AccountFigures, totals: DayTotals): AccountFigures {
  const { prices, fees, funding } = dayPnl(figures.day, totals)
  const known = (prices ?? 0n) + (fees ?? figures.day.rowFees) + (funding ?? 0n)
  return { ...figures, dayResultMicros: toMicrosNearest(known) }
}

const toMicrosNearest = (amount: bigint) => mulDiv(amount, 1n, PER_MICRO, 'half')

function positionExposure(position: Position): Exposure {
  const { symbol, mode, quantity, pendingBuys, pendingSells, mark } = position
  return {
    ...{ symbol, mode, held: product(quantity, mark) },
    ...{ buys: product(pendingBuys, mark, 'ceil'), sells: product(pendingSells, mark, 'ceil') },
  }
}

/** The figures with the waiting conditional orders; null if the worst case of one order is unknown. */
export function withWaiting(
  figures: AccountFigures,
  waiting: readonly WaitingOrder[],
  bounds: ReadonlyMap<string, MarketBound>,
): AccountFigures | null {
  const added = waiting.map((order) => {
    const micros = worstValue(order, bounds.get(order.symbol) ?? null)
    return micros === null ? null : addedExposure({ ...order, micros })
  })
  if (!added.every((exposure) => exposure !== null)) return null
  return { ...figures, exposures: [...figures.exposures, ...added] }
}

/** An order that may enlarge a position, with its value in micro-USDC. */
export type AddedOrder = Pick<OpeningOrder, 'side' | 'mode'> & {
  readonly symbol: string
  readonly micros: bigint
}

/** The exposure of an order. An order of unknown side counts on both sides. */
export function addedExposure({ symbol, side, mode, micros }: AddedOrder): Exposure {
  const value = fromMicros(micros)
  return {
    ...{ symbol, mode, held: 0n },
    buys: side === 'SELL' ? 0n : value,
    sells: side === 'BUY' ? 0n : value,
  }
}

/** The largest long and the largest short position that an account's orders can lead to in a market, in micro-USDC. */
export type MarketSides = { readonly long: bigint; readonly short: bigint }

/** The two sides per market, from an account's positions of both margin modes and its orders. */
export function marketSides(parts: readonly Exposure[]): ReadonlyMap<string, MarketSides> {
  const found = new Map<string, MarketSides>()
  for (const [symbol, own] of Map.groupBy(parts, (part) => part.symbol)) {
    const modes = [...Map.groupBy(own, ({ mode }) => mode).values()].map(totalExposure)
    const long = modes.reduce((sum, { held, buys }) => sum + larger(held + buys, 0n), 0n)
    const short = modes.reduce((sum, { held, sells }) => sum + larger(sells - held, 0n), 0n)
    found.set(symbol, { long: toMicros(long), short: toMicros(short) })
  }
  return found
}

/** The exposure in a market, in micro-USDC: the larger of its two sides. */
export function marketExposure({ long, short }: MarketSides): bigint {
  return larger(long, short)
}

type Sides = Pick<Exposure, 'held' | 'buys' | 'sells'>

function totalExposure(parts: readonly Exposure[]): Sides {
  return parts.reduce<Sides>(
    (sum, { held, buys, sells }) => ({
      held: sum.held + held,
      buys: sum.buys + buys,
      sells: sum.sells + sells,
    }),
    { held: 0n, buys: 0n, sells: 0n },
  )
}

type AccountSides = ReadonlyMap<string, MarketSides>

/**
 * For each market, the larger of the sides that the orders enlarge. All other sides are left out, because a side that
 * orders reduce or do not change may exceed a limit.
 */
export function enlargedSides(
  before: AccountSides,
  after: AccountSides,
): ReadonlyMap<string, bigint> {
  const grown = new Map<string, bigint>()
  for (const [symbol, { long, short }] of after) {
    const was = before.get(symbol) ?? { long: 0n, short: 0n }
    const most = larger(long > was.long ? long : 0n, short > was.short ? short : 0n)
    if (most > 0n) grown.set(symbol, most)
  }
  return grown
}

/**
 * The value that a leverage limit applies to, in micro-USDC. It is the total exposure if the orders increase the total.
 * Otherwise it is the enlarged sides plus the exposure of all other markets.
 */
export function leveragedMicros(
  before: AccountSides,
  after: AccountSides,
  grown: ReadonlyMap<string, bigint>,
): bigint {
  if (grown.size === 0) return 0n
  const all = totalMicros(after)
  if (all > totalMicros(before)) return all
  return [...after].reduce(
    (sum, [symbol, sides]) => sum + (grown.get(symbol) ?? marketExposure(sides)),
    0n,
  )
}

/** The sum of the exposures of all markets, in micro-USDC. */
export function totalMicros(sides: AccountSides): bigint {
  return sides.values().reduce((sum, market) => sum + marketExposure(market), 0n)
}

/** The key of a reservation: the market with the side of its order (`PERP_ETH_USDC BUY`), or the market alone. */
export function reservedMarket(symbol: string, side: Side | null): string {
  return side === null ? symbol : `${symbol} ${side}`
}

/** The exposures of recent writes that the account's figures may not include yet. */
export function unseenExposures({ unseen }: Pick<ReservedUse, 'unseen'>): readonly Exposure[] {
  return [...unseen].map(([market, micros]) => {
    const [symbol = '', named] = market.split(' ')
    return addedExposure({ symbol, side: parseSide(named), mode: null, micros })
  })
}
